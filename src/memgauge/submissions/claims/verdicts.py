"""What can be said of a published number: four verdicts, each with its reason, and nothing beyond."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import TYPE_CHECKING, Final

from memgauge.submissions.claims.recounting import counted, recounted
from memgauge.submissions.sheets.claim import NOT_STATED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.stats.intervals import Interval
    from memgauge.submissions.claims.recounting import CountedRow, Recount
    from memgauge.submissions.sheets.claim import ClaimedNumber

ROWS: Final = "published rows"
"""On what a verdict from a number's own rows rests."""
_DUST: Final = 1e-9
"""What binary fractions may be off."""
_FEW: Final = 4
"""Categories whose sizes are tried in other orders; among the orders of more, one may fit by chance."""


class ClaimVerdict(StrEnum):
    """How a published number stands beside what can be recomputed."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_COMPARABLE = "not comparable"
    NOT_RECOMPUTABLE = "not recomputable"


@dataclass(frozen=True)
class ClaimFinding:
    """A verdict, on what it rests, and why."""

    verdict: ClaimVerdict
    basis: str
    """``published rows`` or a run of ours."""
    reason: str
    beside: Interval | None = None
    """What was computed, as a share."""
    recount: Recount | None = None


def from_rows(number: ClaimedNumber, questions: int | str = NOT_STATED) -> ClaimFinding:
    """Compare a number with what its own rows give: they agree where printing explains the difference.

    It differs only where everything that is added up is stated: rows of other questions, or sizes that the source
    does not give, may explain what is left. *questions* are those in its denominator, as far as stated.
    """
    recount = recounted(number)
    if recount is None or number.rows is None:
        return ClaimFinding(ClaimVerdict.NOT_RECOMPUTABLE, "", "no rows are published beside it")
    hindrance = _hindered(number, recount, questions)
    if not hindrance:
        what = f"total from {len(recount.rows)} {number.rows.kind}" if len(recount.rows) > 1 else "count"
        sizes = "" if number.rows.sizes == "stated" else ", with the dataset's sizes"
        over = ", interval over conversations" if recount.by == "conversations" else ""
        how = f"{what}, {recount.value.n:,} questions{sizes}{over}"
        if printed_alike(number, recount.value.mean or 0.0, recount.slack):
            return ClaimFinding(ClaimVerdict.AGREES, ROWS, how, recount.value, recount)
    reasons = (
        hindrance or how,
        f"the rows give {100 * (recount.value.mean or 0.0):.2f} %",
        _beside_the_interval(number, recount),
        *_explained(number, recount),
    )
    verdict = ClaimVerdict.NOT_COMPARABLE if hindrance else ClaimVerdict.DIFFERS
    return ClaimFinding(verdict, ROWS, "; ".join(reasons), recount.value, recount)


def _hindered(number: ClaimedNumber, recount: Recount, questions: int | str) -> str:
    """Say why rows that do not give a number settle nothing; empty where they do."""
    scored = recount.value.n
    if questions not in {NOT_STATED, scored, scored + recount.unscored}:
        return f"because its rows hold {scored:,} questions of the {questions:,} that it counts"
    stated = number.rows is None or number.rows.sizes == "stated"
    if stated or printed_alike(number, recount.value.mean or 0.0, recount.slack):
        return ""
    return (
        f"because the source does not say how many of {scored:,} questions each category holds; with the sizes "
        "that the dataset has by these names"
    )


def printed_alike(number: ClaimedNumber, share: float, slack: float = 0.0) -> bool:
    """Whether *share*, known to within *slack*, may have been printed as the number."""
    return abs(number.published - share) <= number.rounding + slack + _DUST


def _beside_the_interval(number: ClaimedNumber, recount: Recount) -> str:
    low, high = recount.value.low, recount.value.high
    if low is None or high is None:
        return "no interval is known"
    inside = low - number.rounding <= number.published <= high + number.rounding
    return f"what is printed lies {'inside' if inside else 'outside'} the interval"


def _explained(number: ClaimedNumber, recount: Recount) -> Iterator[str]:
    """Yield the other ways of adding up that give what is printed."""
    rows, kind = recount.rows, number.rows.kind if number.rows else ""
    if recount.unscored and printed_alike(number, recount.with_failures.mean or 0.0, recount.slack):
        yield f"it agrees where {recount.unscored:,} questions without a verdict count as wrong"
    if len(rows) < 2 or kind == "runs":
        return
    alike = sum(row.right / row.questions for row in rows) / len(rows)
    if printed_alike(number, alike, sum(row.slack / row.questions for row in rows) / len(rows)):
        yield f"it is the mean of the {len(rows)} {kind}, each counted alike"
    sizes = _exchanged(number, rows) if kind == "categories" else None
    if sizes:
        beside = ", ".join(f"{row.name} {size:,}" for row, size in zip(rows, sizes, strict=True))
        yield f"it agrees where the same sizes stand beside other names: {beside}"


def _exchanged(number: ClaimedNumber, rows: tuple[CountedRow, ...]) -> tuple[int, ...] | None:
    """Return the one order of the sizes that gives whole counts and what is printed, if exactly one does."""
    if number.rows is None or len(rows) > _FEW or any(row.share is None for row in number.rows.each):
        return None
    asked = sum(row.questions for row in rows)
    fitting = set()
    for sizes in permutations([row.questions for row in rows]):
        pairs = zip(number.rows.each, sizes, strict=True)
        again = [
            counted(row.model_copy(update={"questions": size}), number.scale, number.rows.repeats)
            for row, size in pairs
        ]
        if all(row.slack == 0 for row in again) and printed_alike(number, sum(row.right for row in again) / asked):
            fitting.add(sizes)
    return fitting.pop() if len(fitting) == 1 else None
