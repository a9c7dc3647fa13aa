"""One method over instances and repeats: means, intervals over histories, and how much repeats differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.stats import Interval, cluster_interval
from memgauge.stats.clusters import DOMINATED, NO_SPREAD, ONE_CLUSTER
from memgauge.studies.track.play.played import NO_REPLY, QuestionEnding
from memgauge.studies.track.scoring.patterns import COUNTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.track.scoring.card import InstanceCard


_OF_HISTORIES = {
    ONE_CLUSTER: "one history cannot say how much histories differ",
    DOMINATED: "one history has nearly all instances, so that nobody knows how much histories differ",
    NO_SPREAD: "no history differs from another, so their spread is unknown",
}
"""Why there is no interval, where the units are histories."""


OF_ANSWERS = frozenset({"correctness", "strict", "follow_up", "follow_up_drop"})
"""Measures that rest on verdicts."""
MOST_LOST = 0.02
"""The share of answers on which a judge may fail, or whose reply may be cut off or refused.

Beyond it no mean is given: rules settle right answers, and what models do not say is no random part of all.
"""


@result
@dataclass(frozen=True, slots=True)
class Deviation:
    """How much correctness differs from repeat to repeat."""

    of_runs: float | None
    """Standard deviation of the means of whole runs; ``None`` with one repeat."""
    of_instances: float | None
    """Mean over instances of the standard deviation of one instance."""
    repeats: int


@result
@dataclass(frozen=True, slots=True)
class MethodScores:
    """Everything that is said of one method."""

    label: str
    instances: int
    histories: int
    """Distinct ones: the units of the intervals."""
    questions: int
    unscored: int
    """Answers, over all repeats, that neither rules nor judge could score, and replies that were none."""
    scores: Mapping[str, Interval]
    """Mean over instances of the mean over repeats; the interval is over histories."""
    tc_max: float | None
    """Largest number of calls of an instance, mean over repeats."""
    success_median: float | None
    success_min: float | None
    deviation: Deviation
    patterns: Mapping[str, int]
    ended: Mapping[str, int]
    input_tokens: int
    output_tokens: int
    usd: float | None
    unjudged: int = 0
    """Of the unscored: answers on which a judge was asked and gave no verdict."""

    def count(self, *endings: QuestionEnding) -> int:
        """Count the questions that ended in one of these ways."""
        return sum(self.ended.get(ending, 0) for ending in endings)

    @property
    def lost(self) -> int:
        """Count the questions to which the model gave no whole reply."""
        return self.count(*NO_REPLY)


def no_verdicts(cards: Sequence[InstanceCard]) -> str:
    """Say why nothing that rests on verdicts can be averaged; empty where it can."""
    answers = sum(len(card.correctness.verdicts) for card in cards)
    unjudged = sum(card.correctness.unjudged for card in cards)
    if unjudged > MOST_LOST * answers:
        return f"the judge gave no verdict on {unjudged} of {answers} answers"
    lost = sum(card.ended.get(ending, 0) for card in cards for ending in NO_REPLY)
    if lost > MOST_LOST * answers:
        return f"{lost} of {answers} replies were cut off or refused"
    return ""


def method(label: str, cards: Sequence[InstanceCard]) -> MethodScores:
    """Put the cards of one method together."""
    by_instance: defaultdict[str, list[InstanceCard]] = defaultdict(list)
    for card in cards:
        by_instance[card.instance].append(card)
    success = [value for value in instance_values(cards, "success_rate").values() if value is not None]
    prices = [card.usd for card in cards]
    return MethodScores(
        label=label,
        instances=len(by_instance),
        histories=len({card.history for card in cards}),
        questions=sum(len(repeats[0].correctness.verdicts) for repeats in by_instance.values()),
        unscored=sum(card.correctness.unscored for card in cards),
        scores=_scores(cards),
        tc_max=_largest(cards),
        success_median=median(success) if success else None,
        success_min=min(success, default=None),
        deviation=deviation(cards),
        patterns={name: sum(getattr(card.patterns, name) for card in cards) for name in COUNTED},
        ended=dict(sum((Counter(card.ended) for card in cards), Counter[str]())),
        input_tokens=sum(card.input_tokens for card in cards),
        output_tokens=sum(card.output_tokens for card in cards),
        usd=None if None in prices else sum(price for price in prices if price is not None),
        unjudged=sum(card.correctness.unjudged for card in cards),
    )


def instance_values(cards: Sequence[InstanceCard], name: str) -> dict[str, float | None]:
    """Return one value of each instance: the mean over its repeats that have one."""
    values: dict[str, list[float]] = {card.instance: [] for card in cards}
    for card in cards:
        value = card.values()[name]
        if value is not None:
            values[card.instance].append(value)
    return {instance: fmean(repeats) if repeats else None for instance, repeats in values.items()}


def deviation(cards: Sequence[InstanceCard]) -> Deviation:
    """Measure how much correctness differs between repeats, in the two readings of the document's table."""
    runs: defaultdict[int, list[float]] = defaultdict(list)
    by_instance: defaultdict[str, list[float]] = defaultdict(list)
    for card in cards if not no_verdicts(cards) else ():
        if card.correctness.score is not None:
            runs[card.repeat].append(card.correctness.score)
            by_instance[card.instance].append(card.correctness.score)
    means = [fmean(scores) for scores in runs.values()]
    spreads = [stdev(scores) for scores in by_instance.values() if len(scores) > 1]
    return Deviation(
        stdev(means) if len(means) > 1 else None,
        fmean(spreads) if spreads else None,
        len({card.repeat for card in cards}),
    )


def _scores(cards: Sequence[InstanceCard]) -> dict[str, Interval]:
    import numpy as np

    if not cards:
        return {}
    histories = {card.instance: card.history for card in cards}
    clusters = list(histories.values())
    scores, unjudged = {}, no_verdicts(cards)
    for name in cards[0].values():
        if unjudged and name in OF_ANSWERS:
            scores[name] = Interval(None, None, None, 0, unjudged)
            continue
        values = instance_values(cards, name)
        is_defined = np.array([values[instance] is not None for instance in histories])
        column = np.array([values[instance] or 0.0 for instance in histories])
        interval = cluster_interval(column, clusters, is_defined, shares=True)
        scores[name] = replace(interval, reason=_OF_HISTORIES.get(interval.reason, interval.reason))
    return scores


def _largest(cards: Sequence[InstanceCard]) -> float | None:
    runs: defaultdict[int, int] = defaultdict(int)
    for card in cards:
        runs[card.repeat] = max(runs[card.repeat], card.tc)
    return fmean(runs.values()) if runs else None
