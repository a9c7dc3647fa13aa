"""What a judged score is worth once the judge's own errors are taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.llm.judges.rubrics import DECLINING, FACT
from memgauge.scoring.undecided import holding_open
from memgauge.stats import Interval
from memgauge.stats.corrected import ppi, rogan_gladen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from memgauge.llm.judges.certify import Certificate
    from memgauge.runs.record.rows import Row
    from memgauge.scoring.board import Score
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import MeasureColumn

LABELS_LEAST = 20
"""Labelled answers of one system, below which a certificate is preferred."""
RIGHT_OR_WRONG = frozenset({FACT.name, DECLINING.name})
"""Rubrics whose grades a certificate tests."""
NO_CERTIFICATE = "the judge was never certified"


@dataclass(frozen=True)
class Correction:
    """A corrected score, how it was corrected, and over how many answers."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    """Empty where nothing was corrected."""
    reason: str = ""

    @classmethod
    def of(cls, interval: Interval, method: str) -> Correction:
        """Keep what of an interval can be a share, with its method."""
        value, low, high = (
            None if end is None else min(max(end, 0.0), 1.0)
            for end in (interval.mean, interval.low, interval.high)
        )
        return cls(value, low, high, interval.n, method, interval.reason)

    @classmethod
    def missing(cls, reason: str) -> Correction:
        """Say why nothing was corrected."""
        return cls(None, None, None, 0, "", reason)


def correct(
    score: Score,
    column: MeasureColumn,
    rows: Sequence[Row],
    gold: GoldTable,
    certificate: Certificate | None = None,
    labels: Mapping[str, bool] | None = None,
    left_open: float = 0.0,
) -> Correction:
    """Correct the share of right answers of one system.

    Labels of people correct best, where there are enough (PPI++); else the certificate does (Rogan-Gladen).

    Args:
        score: The share as judged.
        column: Its values, question by question.
        rows: The verdicts.
        gold: Where the questions come from.
        certificate: What is known of the judge.
        labels: Whether the answer is right, by question.
        left_open: The share of answers on which nothing was decided; the ends of *score* hold them already.
    """
    if score.value is None:
        return Correction.missing(score.reason)
    if {row["rubric"] for row in rows} - RIGHT_OR_WRONG or score.measure != "Judged":
        return Correction.missing("only right or wrong can be corrected, and these verdicts say other things")
    known = {gold.number[question]: right for question, right in (labels or {}).items() if question in gold.number}
    labelled = np.array([place for place in sorted(known) if column.rows.defined[place]], dtype=np.int64)
    if len(labelled) >= LABELS_LEAST:
        return holding_open(_by_labels(column, gold, labelled, known), left_open)
    if certificate is None:
        return Correction.missing(NO_CERTIFICATE)
    n = int(column.rows.defined.sum())
    ruled = _ruled(column, rows, gold)
    raw = Interval(score.value, score.low, score.high, n, score.reason)
    share = rogan_gladen(
        raw,
        certificate.right,
        certificate.wrong,
        ruled_right=sum(ruled) / n,
        ruled_wrong=(len(ruled) - sum(ruled)) / n,
    )
    return Correction.of(share, f"Rogan-Gladen, certificate {certificate.sentinels[:8]}")


def _by_labels(
    column: MeasureColumn, gold: GoldTable, labelled: npt.NDArray[np.int64], known: Mapping[int, bool]
) -> Correction:
    homes = np.array([question.conversation for question in gold.questions])
    rest = np.setdiff1d(np.flatnonzero(column.rows.defined), labelled)
    values = column.rows.values
    powered = ppi(
        [float(known[place]) for place in labelled.tolist()],
        values[labelled],
        homes[labelled],
        values[rest],
        homes[rest],
        shares=True,
    )
    return Correction.of(powered.interval, f"PPI++, {len(labelled)} labels")


def _ruled(column: MeasureColumn, rows: Sequence[Row], gold: GoldTable) -> list[bool]:
    """Return what was decided by rule, without any judge, among the answers that are scored."""
    judged = {gold.number[row["question"]] for row in rows if not row.get("rule")}
    places = [place for place in np.flatnonzero(column.rows.defined).tolist() if place not in judged]
    return [bool(column.rows.values[place]) for place in places]
