"""Whether answers follow recovery: exact match and token F1 over the same questions (ShiftBench, appendix D)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures.answers import exact_match, token_f1
from memgauge.results import result
from memgauge.runs.record.store import load
from memgauge.stats import Agreement, Clusters, Interval, estimates, spearman

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from memgauge.llm.answerers import Answerer
    from memgauge.records import Gold, Question
    from memgauge.studies.shift.play.outcomes import Outcomes

    Floats = npt.NDArray[np.float64]


@result
@dataclass(frozen=True)
class AnswerRow:
    """One policy under one burst length."""

    policy: str
    burst: int
    exact: Interval
    f1: Interval
    recovery: float | None
    """The share of hits over the same questions."""


@result
@dataclass(frozen=True)
class AnswerCheck:
    """What an answerer made of what was found."""

    answerer: str
    version: str
    questions: int
    """After a shift, with an accepted answer."""
    unanswerable: int
    """After a shift, without one: they are left out."""
    rows: tuple[AnswerRow, ...]
    agreement: Mapping[int, Agreement]
    """Spearman of F1 and hits over the policies, by burst length."""


def check(
    folders: Mapping[tuple[str, int], Path],
    outcomes: Outcomes,
    questions: Sequence[Question],
    golds: Sequence[Gold],
    answerer: Answerer,
) -> AnswerCheck:
    """Answer every question after a shift from what each run found for it.

    *folders* are sealed runs by policy and burst length; *golds* stand in the order of *questions*.
    """
    text = {question.id: question.text for question in questions}
    accepted = {gold.question: gold.answers for gold in golds if gold.answers and not gold.abstain}
    post_shift = list(np.flatnonzero(outcomes.post_shift).tolist())
    answerable = [n for n in post_shift if outcomes.questions[n] in accepted]
    question_ids = [outcomes.questions[n] for n in answerable]
    scores: dict[tuple[str, tuple[str, ...]], tuple[float, float]] = {}
    rows, conversations = [], Clusters.of(outcomes.conversation[answerable])
    for (policy, burst), folder in folders.items():
        values = np.zeros((len(answerable), 2))
        for place, (question, hits) in enumerate(load(folder).hits_of(question_ids, outcomes.spec.k).items()):
            key = question, tuple(hit["text"] or "" for hit in hits)
            if key not in scores:
                answer = answerer.answer(text[question], key[1])
                scores[key] = exact_match(answer, accepted[question]), token_f1(answer, accepted[question])
            values[place] = scores[key]
        rows.append(_row(policy, burst, values, outcomes, answerable, conversations))
    bursts = dict.fromkeys(row.burst for row in rows)
    return AnswerCheck(
        answerer=answerer.name,
        version=answerer.version,
        questions=len(answerable),
        unanswerable=len(post_shift) - len(answerable),
        rows=tuple(rows),
        agreement={m: _agreement([row for row in rows if row.burst == m]) for m in bursts},
    )


def _row(
    policy: str, burst: int, values: Floats, outcomes: Outcomes, answerable: Sequence[int], conversations: Clusters
) -> AnswerRow:
    hits = outcomes.hits[outcomes.policies.index(policy), outcomes.spec.bursts.index(burst)][list(answerable)]
    if not len(answerable):
        undefined = Interval(None, None, None, 0, "no question after a shift has an accepted answer")
        return AnswerRow(policy, burst, undefined, undefined, None)
    exact, f1 = (mean.interval for mean in estimates(values, conversations, shares=True))
    return AnswerRow(policy, burst, exact, f1, float(hits.mean()))


def _agreement(rows: Sequence[AnswerRow]) -> Agreement:
    f1 = [row.f1.mean for row in rows]
    if any(value is None for value in f1):
        return Agreement(None, len(rows), "no question after a shift has an accepted answer")
    return spearman([value or 0.0 for value in f1], [row.recovery or 0.0 for row in rows])
