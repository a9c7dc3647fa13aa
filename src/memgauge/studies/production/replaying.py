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
_EMPTY: Final = "neither wording of any question found anything"
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
    k: int
    questions: int
    seed: int


@dataclass(frozen=True)
class WordingPair:
    """A question and what it is called in other words."""

    original: str
    other: str
    rule: str
    conversation: str
    text: str


def replay(
    dataset: Dataset, order: ReplayOrder, paraphrases: Mapping[str, tuple[str, ...]], scratch: Path
) -> ParaphraseSensitivity:
    """Ask everything twice and more, and compare.

    *paraphrases* are rewordings by question; rules where there are none.

    Raises:
        ConfigError: No question has a text, or none of them a rewording.
        UserError: The system cannot be opened.
    """
    questions = [question for case in dataset.cases() for question in case.questions]
    texts = [question for question in questions if question.text.strip()]
    drawn_questions = _drawn(
        [question for question in texts if any(rewordings(question.text, paraphrases))], order
    )
    if not drawn_questions:
        reason = "no question has a text" if not texts else "no question is in the file of paraphrases"
        raise ConfigError(
            f"There is nothing to ask in other words: {reason}.",
            "Import with texts, or take the queries as they stand.",
        )
    pairs = list(_pairs(drawn_questions, paraphrases))
    _write(dataset, drawn_questions, pairs, scratch / "data")
    run_plan = plan([f"own:{scratch / 'data'}"], [order.system], limits=Limits(k=order.k), probes=0)
    (folder,) = execute(run_plan, scratch / "runs")
    sensitivity = _compared(load(folder), pairs, order)
    return replace(
        sensitivity,
        source=dataset.identity.name,
        questions=len(drawn_questions),
        without_text=len(questions) - len(texts),
    )


def _drawn(questions: Sequence[Question], order: ReplayOrder) -> dict[str, Question]:
    """Draw questions by chance, the same for the same seed."""
    rng = np.random.default_rng(order.seed)
    places = rng.permutation(len(questions))[: order.questions]
    return {questions[place].id: questions[place] for place in np.sort(places).tolist()}


def _pairs(questions: Mapping[str, Question], paraphrases: Mapping[str, tuple[str, ...]]) -> Iterator[WordingPair]:
    for question in questions.values():
        for number, (rule, text) in enumerate(rewordings(question.text, paraphrases)):
            yield WordingPair(question.id, f"{question.id}~{number}", rule, question.conversation, text)


def _write(
    dataset: Dataset, drawn_questions: Mapping[str, Question], pairs: Sequence[WordingPair], folder: Path
) -> None:
    """Write those conversations that something is asked of, with every wording of it as a question."""
    rewordings_of: dict[str, list[Question]] = {}
    for pair in pairs:
        rewordings_of.setdefault(pair.original, []).append(
            replace(drawn_questions[pair.original], id=pair.other, text=pair.text)
        )

    def lines(case: Case) -> Lines:
        case_questions = [original for original in case.questions if original.id in drawn_questions]
        wordings = [wording for original in case_questions for wording in (original, *rewordings_of[original.id])]
        return Lines(
            [_encode(row) for row in turn_rows(case.conversation)],
            [_encode(fields_of(wording, ASKED)) for wording in wordings],
            [],
        )

    def manifest(written: Any) -> dict[str, Any]:
        return {"format": FORMAT, "name": "reworded", "licence": "", "sha256": written.sha256()}

    names = {question.conversation for question in drawn_questions.values()}
    write_folder(folder, (lines(case) for case in dataset.cases() if case.conversation.id in names), manifest)


def _compared(run: Run, pairs: Sequence[WordingPair], order: ReplayOrder) -> ParaphraseSensitivity:
    columns = (run.questions[name].tolist() for name in ("question", "outcome"))
    valid_ids = {question for question, outcome in zip(*columns, strict=True) if Outcome(outcome).valid}
    lists = {
        name: [hit["memory"] for hit in hits] for name, hits in run.hits_of(sorted(valid_ids), order.k).items()
    }
    answered_pairs = [pair for pair in pairs if pair.original in lists and pair.other in lists]
    rules = tuple(
        _sensitivity(rule, [pair for pair in answered_pairs if pair.rule == rule], lists, order.k)
        for rule in dict.fromkeys(pair.rule for pair in pairs)
    )
    scopes = len({pair.conversation for pair in pairs})
    failures = len(pairs) - len(answered_pairs)
    return ParaphraseSensitivity(run.label, "", order.k, 0, 0, scopes, failures, rules)


def _sensitivity(
    rule: str, pairs: Sequence[WordingPair], lists: Mapping[str, Sequence[str]], k: int
) -> RuleSensitivity:
    found_pairs = [pair for pair in pairs if lists[pair.original] or lists[pair.other]]
    list_pairs = [(lists[pair.original], lists[pair.other]) for pair in found_pairs]
    scopes = [pair.conversation for pair in found_pairs]

    def mean(values: list[float]) -> Interval:
        if not values:
            return Interval(None, None, None, 0, _EMPTY if pairs else _NONE)
        return cluster_interval(values, scopes, shares=True)

    return RuleSensitivity(
        rule,
        overlap=mean([overlap_at(*list_pair, k) for list_pair in list_pairs]),
        ordered=mean([rank_biased_overlap(*list_pair) for list_pair in list_pairs]),
        first=mean([float(first[:1] == second[:1]) for first, second in list_pairs]),
        example=pairs[0].text if pairs else "",
    )


def overlap_at(memories: Sequence[str], other_memories: Sequence[str], k: int) -> float:
    """Return the share of the first *k* of the longer list that both have; two empty lists agree."""
    longer = max(len(memories[:k]), len(other_memories[:k]))
    return len(set(memories[:k]) & set(other_memories[:k])) / longer if longer else 1.0


def rank_biased_overlap(
    memories: Sequence[str], other_memories: Sequence[str], patience: float = PATIENCE
) -> float:
    """Return rank-biased overlap (Webber et al. 2010) cut at the longer list; two empty lists agree."""
    depth = max(len(memories), len(other_memories))
    weights = [patience**place for place in range(depth)]
    agreed = sum(
        weight * len(set(memories[:place]) & set(other_memories[:place])) / place
        for place, weight in enumerate(weights, 1)
    )
    return agreed / sum(weights) if depth else 1.0
