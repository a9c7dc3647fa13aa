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
    published = WEAK.read(json_of(small(folder / FILE)), str(folder / FILE))
    recomputed_study = publish(folder)
    published_rows = {row.key: plain(row) for row in published.rows}
    recomputed = sum(plain(row) == published_rows.get(row.key) for row in recomputed_study.rows)
    products = [row for row in recomputed_study.rows if row.kind == PRODUCT]
    lost_writes = [part for row in products for part in row.lost]
    unstored = sum(row.fates[str(fate)] for row in products if not row.problem for fate in WriteFate if fate.lost)
    spendings = [row.spent for row in recomputed_study.rows]
    return {
        "products": float(sum(not row.problem for row in products)),
        "not_played": float(sum(bool(row.problem) for row in products) + len(recomputed_study.unplayed)),
        "users": float(len(recomputed_study.rows) - len(products)),
        "rows": float(len(published_rows)),
        "rows_recomputed": float(recomputed),
        "rows_not_recomputed": float(len(published_rows) - recomputed),
        "lost_writes": float(unstored),
        "lost_writes_unnamed": float(unstored - sum(bool(part.turn and part.why) for part in lost_writes)),
        "requests": float(sum(part.requests for part in spendings)),
        "requests_without_verdict": float(sum(part.requests - sum(part.verdicts.values()) for part in spendings)),
        "runaway": float(sum(part.verdicts[str(ReplyVerdict.CAPPED)] for part in spendings)),
        "unfit": float(sum(part.verdicts[str(ReplyVerdict.UNFIT)] for part in spendings)),
        "replies_not_read_again": float(sum(part.quoting for part in spendings)),
        "refused": float(sum(part.verdicts[str(ReplyVerdict.REFUSED)] for part in spendings)),
        "megabytes": size_of(folder) / 1e6,
    }
