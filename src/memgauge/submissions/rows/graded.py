"""Grades as a row: the share of answers that are right, of all that can be judged; no question is left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.measures import Rows
from memgauge.records import Denominator
from memgauge.scoring.board import Score
from memgauge.scoring.score import DatasetSampling, MeasureColumn, summarise
from memgauge.submissions.sheets.grades import NOTHING, judgeable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.scoring.gold import GoldTable
    from memgauge.submissions.rows.submitted import SubmittedRow

MEASURE: Final = "Judged"


@dataclass(frozen=True, eq=False)
class GradedRow:
    """A submission on one dataset, by the grades of its answers alone."""

    row: SubmittedRow
    asked: int
    """Questions that can be judged, over all runs."""
    failed: int
    """Without an answer; each counts 0."""
    unscored: int
    """Answers on which judges decided nothing; each counts 0."""


def graded_row(
    row: SubmittedRow, runs: Sequence[Mapping[str, str]], gold: GoldTable, first: int | None
) -> GradedRow:
    """Score the grades of all runs of a submission.

    *runs* are grades by question, a mapping for every run. The *first* conversations are asked about, or all.
    """
    inside, asked = _asked(gold, first)
    names = [question.id for question in gold.questions]
    given = np.array([[run.get(name, "failed") for name in names] for run in runs])
    worth = (given == "correct") & asked
    value = worth.mean(axis=0)
    left = int((inside & ~asked).sum())
    counted = Denominator(int(inside.sum()), int(asked.sum()), {NOTHING: left} if left else {})
    column = MeasureColumn(MEASURE, Rows(value, asked), counted)
    (score,) = summarise([column], DatasetSampling.of(gold), by_question=0)
    means = [float(each[asked].mean()) for each in worth] if asked.any() else []
    graded = replace(
        row,
        scores={MEASURE: score},
        values={MEASURE: np.where(asked, value, np.nan)},
        spread={MEASURE: (min(means), max(means))} if len(means) > 1 else {},
    )
    unscored = (given == "unscored") & asked
    failed = ~np.isin(given, ("correct", "incorrect", "unscored")) & asked
    return GradedRow(graded, int(asked.sum()) * len(runs), int(failed.sum()), int(unscored.sum()))


def ungraded_row(row: SubmittedRow, gold: GoldTable, first: int | None, why: str) -> GradedRow:
    """Return a row without a value."""
    inside, _ = _asked(gold, first)
    n = int(inside.sum())
    score = Score(MEASURE, None, None, None, None, None, Denominator(n, 0, {why: n}), why)
    nothing = np.full(len(gold.questions), np.nan)
    return GradedRow(replace(row, scores={MEASURE: score}, values={MEASURE: nothing}, spread={}), 0, 0, 0)


def _asked(gold: GoldTable, first: int | None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(Q,) mark the questions of the first conversations, and those of them whose answers can be judged."""
    homes = set(list(dict.fromkeys(question.conversation for question in gold.questions))[:first])
    inside = np.array([question.conversation in homes for question in gold.questions], dtype=np.bool_)
    return inside, inside & np.array([judgeable(each) for each in gold.golds], dtype=np.bool_)
