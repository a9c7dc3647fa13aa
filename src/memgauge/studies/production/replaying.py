"""How much a memory returns otherwise when the same is asked in other words: replayed on a system at hand.

Everything that was written is written again, then every question is asked as it was and in other words, of the
same state: what differs between their lists is the wording's doing alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.datasets.own.lines import ASKED, FORMAT, Lines, fields_of, turn_rows
from memgauge.datasets.synthetic.writing import write_folder
from memgauge.errors import ConfigError
from memgauge.records import Outcome
from memgauge.results import ResultKind, result
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.stats import Interval
from memgauge.stats.clusters import cluster_interval
from memgauge.studies.production.repeats import PATIENCE
from memgauge.studies.production.rewording import rewordings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case, Question
    from memgauge.runs.record.store import Run

_NONE: Final = "no question was put in these words, or none was answered"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=datetime.isoformat).encode


@result
@dataclass(frozen=True)
class RuleSensitivity:
    """What one way of rewording changes; means over pairs, with 95 % intervals clustered by scope."""

    rule: str
    overlap: Interval
    """Share of the first k that both lists have."""
    ordered: Interval
    """Rank-biased overlap."""
    first: Interval
    """Share of pairs whose first memory is the same."""
    example: str
    """Other words of the first question."""


@result
@dataclass(frozen=True)
class ParaphraseSensitivity:
    """How one system takes the same questions in other words."""

    system: str
    source: str
    k: int
    questions: int
    """Drawn among those with a text."""
    without_text: int
    scopes: int
    failed: int
    """Pairs of which a search failed."""
    rules: tuple[RuleSensitivity, ...]


PARAPHRASE: Final = ResultKind(
    "paraphrase sensitivity",
    1,
    ParaphraseSensitivity,
    "memgauge study production paraphrase SOURCE --system SYSTEM",
)


@dataclass(frozen=True)
class ReplayOrder:
    """What is replayed: on which system, how many questions, how deep."""

    system: str
    k: int = 10
    questions: int = 200
    seed: int = 0


@dataclass(frozen=True)
class WordingPair:
    """A question and what it is called in other words."""

    original: str
    other: str
    rule: str
    conversation: str
    text: str


def replay(
    dataset: Dataset, order: ReplayOrder, given: Mapping[str, tuple[str, ...]], scratch: Path
) -> ParaphraseSensitivity:
    """Ask everything twice and more, and compare.

    *given* are rewordings by question; rules where there are none.

    Raises:
        ConfigError: No question has a text, or none of them a rewording.
        UserError: The system cannot be opened.
    """
    asked = [question for case in dataset.cases() for question in case.questions]
    texts = [question for question in asked if question.text.strip()]
    drawn = _drawn([question for question in texts if any(rewordings(question.text, given))], order)
    if not drawn:
        why = "no question has a text" if not texts else "no question is in the file of paraphrases"
        raise ConfigError(
            f"There is nothing to ask in other words: {why}.",
            "Import with texts, or take the queries as they stand.",
        )
    pairs = list(_pairs(drawn, given))
    _write(dataset, drawn, pairs, scratch / "data")
    planned = plan([f"own:{scratch / 'data'}"], [order.system], limits=Limits(k=order.k), probes=0)
    (folder,) = execute(planned, scratch / "runs")
    compared = _compared(load(folder), pairs, order)
    return replace(
        compared,
        source=dataset.identity.name,
        questions=len(drawn),
        without_text=len(asked) - len(texts),
    )


def _drawn(questions: Sequence[Question], order: ReplayOrder) -> dict[str, Question]:
    """Draw questions by chance, the same for the same seed."""
    rng = np.random.default_rng(order.seed)
    chosen = rng.permutation(len(questions))[: order.questions]
    return {questions[place].id: questions[place] for place in np.sort(chosen).tolist()}


def _pairs(drawn: Mapping[str, Question], given: Mapping[str, tuple[str, ...]]) -> Iterator[WordingPair]:
    for question in drawn.values():
        for number, (rule, text) in enumerate(rewordings(question.text, given)):
            yield WordingPair(question.id, f"{question.id}~{number}", rule, question.conversation, text)


def _write(dataset: Dataset, drawn: Mapping[str, Question], pairs: Sequence[WordingPair], folder: Path) -> None:
    """Write those conversations that something is asked of, with every wording of it as a question."""
    others: dict[str, list[Question]] = {}
    for pair in pairs:
        others.setdefault(pair.original, []).append(replace(drawn[pair.original], id=pair.other, text=pair.text))

    def lines(case: Case) -> Lines:
        asked = [each for each in case.questions if each.id in drawn]
        everything = [wording for each in asked for wording in (each, *others[each.id])]
        return Lines(
            [_encode(row) for row in turn_rows(case.conversation)],
            [_encode(fields_of(wording, ASKED)) for wording in everything],
            [],
        )

    def manifest(written: Any) -> dict[str, Any]:
        return {"format": FORMAT, "name": "reworded", "licence": "", "sha256": written.sha256()}

    names = {question.conversation for question in drawn.values()}
    write_folder(folder, (lines(case) for case in dataset.cases() if case.conversation.id in names), manifest)


def _compared(run: Run, pairs: Sequence[WordingPair], order: ReplayOrder) -> ParaphraseSensitivity:
    columns = (run.questions[name].tolist() for name in ("question", "outcome"))
    valid = {question for question, outcome in zip(*columns, strict=True) if Outcome(outcome).valid}
    lists = {name: [hit["memory"] for hit in hits] for name, hits in run.hits_of(sorted(valid), order.k).items()}
    answered = [pair for pair in pairs if pair.original in lists and pair.other in lists]
    rules = tuple(
        _sensitivity(rule, [pair for pair in answered if pair.rule == rule], lists, order.k)
        for rule in dict.fromkeys(pair.rule for pair in pairs)
    )
    scopes = len({pair.conversation for pair in pairs})
    failed = len(pairs) - len(answered)
    return ParaphraseSensitivity(run.label, "", order.k, 0, 0, scopes, failed, rules)


def _sensitivity(
    rule: str, pairs: Sequence[WordingPair], lists: Mapping[str, Sequence[str]], k: int
) -> RuleSensitivity:
    both = [(lists[pair.original], lists[pair.other]) for pair in pairs]
    scopes = [pair.conversation for pair in pairs]

    def mean(values: list[float]) -> Interval:
        if not values:
            return Interval(None, None, None, 0, _NONE)
        return cluster_interval(values, scopes, shares=True)

    return RuleSensitivity(
        rule,
        overlap=mean([overlap_at(*each, k) for each in both]),
        ordered=mean([rank_biased_overlap(*each) for each in both]),
        first=mean([float(first[:1] == second[:1]) for first, second in both]),
        example=pairs[0].text if pairs else "",
    )


def overlap_at(first: Sequence[str], second: Sequence[str], k: int) -> float:
    """Return the share of the first *k* of the longer list that both have; two empty lists agree."""
    longer = max(len(first[:k]), len(second[:k]))
    return len(set(first[:k]) & set(second[:k])) / longer if longer else 1.0


def rank_biased_overlap(first: Sequence[str], second: Sequence[str], patience: float = PATIENCE) -> float:
    """Return rank-biased overlap (Webber et al. 2010) cut at the longer list; two empty lists agree."""
    depth = max(len(first), len(second))
    weights = [patience**place for place in range(depth)]
    agreed = sum(
        weight * len(set(first[:place]) & set(second[:place])) / place for place, weight in enumerate(weights, 1)
    )
    return agreed / sum(weights) if depth else 1.0
