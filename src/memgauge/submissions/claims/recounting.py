"""A published number computed again from the rows below it, with its interval and both denominators."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from memgauge.stats.clusters import cluster_interval
from memgauge.stats.proportion import wilson
from memgauge.submissions.sheets.claim import rounding_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.stats.intervals import Interval
    from memgauge.submissions.sheets.claim import ClaimedNumber, ClaimRow


@dataclass(frozen=True)
class CountedRow:
    """A row as a count."""

    name: str
    questions: int
    right: float
    """Of them; a part of one where each answer was judged several times."""
    slack: float
    """By how many questions the printed share may be off."""


@dataclass(frozen=True)
class Recount:
    """What the rows of a number give, as a share."""

    value: Interval
    """Of the questions that were scored."""
    slack: float
    """By how much the rounding of the rows may have moved it."""
    by: Literal["questions", "conversations"]
    """What the interval takes for independent."""
    unscored: int
    with_failures: Interval
    """The same where questions without a verdict count as wrong."""
    rows: tuple[CountedRow, ...]


def recounted(number: ClaimedNumber) -> Recount | None:
    """Compute a number again; ``None`` where it has no rows.

    The interval is Wilson's, which is at most too wide for scores between 0 and 1 that are no yes or no; over
    conversations where the rows are at least two of them. It says what other questions of the kind would change.
    """
    if number.rows is None:
        return None
    rows = tuple(counted(row, number.scale, number.rows.repeats) for row in number.rows.each)
    asked = sum(row.questions for row in rows)
    share = sum(row.right for row in rows) / asked
    size = max(row.questions for row in rows) if number.rows.kind == "runs" else asked
    unscored = sum(row.unscored for row in number.rows.each)
    clustered = number.rows.kind == "conversations" and len(rows) > 1
    value = _over_conversations(rows) if clustered else _over_questions(share, size)
    return Recount(
        value=value,
        slack=sum(row.slack for row in rows) / asked,
        by="conversations" if clustered else "questions",
        unscored=unscored,
        with_failures=_over_questions(share * asked / (asked + unscored), size + unscored) if unscored else value,
        rows=rows,
    )


def counted(row: ClaimRow, scale: float, repeats: int) -> CountedRow:
    """Read a row as a count: a printed share that only one count gives is that count."""
    if row.right is not None or row.share is None:
        return CountedRow(row.name, row.questions, row.right or 0, 0.0)
    share, rounding = float(row.share) / scale, rounding_of(row.share) / scale
    verdicts = row.questions * repeats
    nearest = round(share * verdicts)
    near = abs(nearest / verdicts - share) <= rounding + 1e-12
    if near and 2 * rounding * verdicts < 1:
        return CountedRow(row.name, row.questions, nearest / repeats, 0.0)
    return CountedRow(row.name, row.questions, share * row.questions, rounding * row.questions)


def _over_questions(share: float, size: int) -> Interval:
    """Return a share with Wilson's interval of the nearest whole count."""
    inside = min(max(share, 0.0), 1.0)
    return replace(wilson(round(inside * size), size), mean=share)


def _over_conversations(rows: Sequence[CountedRow]) -> Interval:
    values = [row.right / row.questions for row in rows for _ in range(row.questions)]
    labels = [row.name for row in rows for _ in range(row.questions)]
    return cluster_interval(values, labels, shares=True)
