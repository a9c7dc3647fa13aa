"""The figures of the study, computed again from its records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import plain
from memgauge.runs.record.files import small
from memgauge.studies.checkout import published_at
from memgauge.studies.weak import PLACE
from memgauge.studies.weak.published import publish, size_of
from memgauge.studies.weak.record import PRODUCT
from memgauge.studies.weak.study import FILE, WEAK
from memgauge.studies.weak.verdicts import ReplyVerdict, WriteFate
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def weak() -> Mapping[str, float]:
    """Compute every count of the page again."""
    return figures(published_at(PLACE, FILE, "The records of the study"))


def figures(folder: Path) -> Mapping[str, float]:
    """Count what the records at *folder* hold, and what of the page comes out again.

    Raises:
        MalformedDataError: A file is no record.
    """
    written = WEAK.read(json_of(small(folder / FILE)), str(folder / FILE))
    again = publish(folder)
    claimed = {row.key: plain(row) for row in written.rows}
    recomputed = sum(plain(row) == claimed.get(row.key) for row in again.rows)
    products = [row for row in again.rows if row.kind == PRODUCT]
    lost = [each for row in products for each in row.lost]
    unstored = sum(row.fates[str(fate)] for row in products if not row.problem for fate in WriteFate if fate.lost)
    spent = [row.spent for row in again.rows]
    return {
        "products": float(sum(not row.problem for row in products)),
        "not_played": float(sum(bool(row.problem) for row in products) + len(again.unplayed)),
        "users": float(len(again.rows) - len(products)),
        "rows": float(len(claimed)),
        "rows_recomputed": float(recomputed),
        "rows_not_recomputed": float(len(claimed) - recomputed),
        "lost_writes": float(unstored),
        "lost_writes_unnamed": float(unstored - sum(bool(each.turn and each.why) for each in lost)),
        "requests": float(sum(each.requests for each in spent)),
        "requests_without_verdict": float(sum(each.requests - sum(each.verdicts.values()) for each in spent)),
        "runaway": float(sum(each.verdicts[str(ReplyVerdict.CAPPED)] for each in spent)),
        "unfit": float(sum(each.verdicts[str(ReplyVerdict.UNFIT)] for each in spent)),
        "replies_not_read_again": float(sum(each.quoting for each in spent)),
        "refused": float(sum(each.verdicts[str(ReplyVerdict.REFUSED)] for each in spent)),
        "megabytes": size_of(folder) / 1e6,
    }
