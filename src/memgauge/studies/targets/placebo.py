"""What the form of memories earns without any evidence: anchors moved to other turns of the same sessions.

A placebo question wants as many turns of the same session as the real one, each with a derived memory exactly
where the real one has one, none of them evidence. What is earned then is exposure of a form and not evidence: a
better null than chance (targets.md, 7B).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures import credit_of, find, parse
from memgauge.records import Target
from memgauge.results import result
from memgauge.scoring.targets import credited, marked
from memgauge.studies.targets.lineup import TARGETS
from memgauge.studies.targets.sessions import anchors_of, descent_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.datasets.base import Dataset
    from memgauge.measures import Anchors
    from memgauge.studies.targets.lineup import Audited, Lineup

DRAWS = 20
SEED = 1337

Turn = tuple[str, str]
"""Conversation and turn."""


@result
@dataclass(frozen=True)
class Placebo:
    """One run under the three targets, with real and with moved anchors."""

    label: str
    n: int
    """Questions all of whose anchors could be moved."""
    real: Mapping[str, float]
    placebo: Mapping[str, float]
    """Means over the draws."""
    above: Mapping[str, float]
    """(real - placebo) / (1 - placebo): what is left above the form alone."""


def placebos(lineup: Lineup, dataset: Dataset, draws: int = DRAWS) -> list[Placebo]:
    """Score every run that holds raw and derived memories against moved anchors."""
    numbers: dict[Turn, int] = {}
    session: dict[Turn, str] = {}
    for case in dataset.cases():
        for turn in case.conversation.turns():
            numbers[case.conversation.id, turn.id] = len(numbers)
            session[case.conversation.id, turn.id] = turn.session
    serving = lineup.serving(Target.RAW, Target.CANONICAL)
    rows = (_placebo(lineup, audited, numbers, session, draws) for audited in serving)
    return [row for row in rows if row is not None]


def _placebo(
    lineup: Lineup, audited: Audited, numbers: Mapping[Turn, int], session: Mapping[Turn, str], draws: int
) -> Placebo | None:
    """Score one run; ``None`` where no question has anchors that can all be moved."""
    lineage = descent_by(audited.run, numbers)
    masks = {target: credited(audited.run, target) for target in TARGETS}
    is_derived = marked(audited.run, Target.CANONICAL)
    is_served = np.zeros(len(numbers), dtype=np.bool_)
    width = np.diff(lineage.indptr)
    is_served[lineage.turns[np.repeat(is_derived, width)]] = True
    mask = lineup.shared(*TARGETS)
    choices = _choices(lineup, mask, numbers, session, is_served)
    question_places = np.array(sorted(choices), dtype=np.int64)
    if not len(question_places):
        return None
    sums = dict.fromkeys(TARGETS, 0.0)
    rng = np.random.default_rng(SEED)
    for _ in range(draws):
        anchors = _moved(choices, rng)
        for target in TARGETS:
            hits = find(audited.trace, lineage, anchors, k=lineup.spec.k, credited=masks[target])
            judged_hits = credit_of(hits, lineup.spec.credit, lineup.spec.coverage, source=hits)
            sums[target] += float(parse(lineup.spec.metrics[0]).rows(judged_hits).values[question_places].mean())
    real_means = {str(t): float(audited.rows(t).values[question_places].mean()) for t in TARGETS}
    placebo = {str(t): sums[t] / draws for t in TARGETS}
    lifts = {name: (real_means[name] - placebo[name]) / (1 - placebo[name]) for name in real_means}
    return Placebo(audited.label, len(question_places), real_means, placebo, lifts)


def _choices(
    lineup: Lineup,
    mask: NDArray[np.bool_],
    numbers: Mapping[Turn, int],
    session: Mapping[Turn, str],
    is_served: NDArray[np.bool_],
) -> dict[int, list[NDArray[np.int64]]]:
    """Return, for every question whose anchors can all be moved, the turns that each may move to."""
    pools: defaultdict[tuple[str, str, bool], list[int]] = defaultdict(list)
    for turn, place in numbers.items():
        pools[turn[0], session[turn], bool(is_served[place])].append(place)
    movable = {}
    for question in np.flatnonzero(mask).tolist():
        home = lineup.gold.questions[question].conversation
        anchors = [(home, turn) for turn in lineup.gold.golds[question].anchors(lineup.spec.evidence)]
        anchor_numbers = {numbers[anchor] for anchor in anchors}
        options = [
            np.setdiff1d(pools[home, session[anchor], bool(is_served[numbers[anchor]])], list(anchor_numbers))
            for anchor in anchors
        ]
        if all(len(each) for each in options):
            movable[question] = options
    return movable


def _moved(choices: Mapping[int, list[NDArray[np.int64]]], rng: np.random.Generator) -> Anchors:
    return anchors_of(
        [(question, int(rng.choice(each))) for question, options in choices.items() for each in options]
    )
