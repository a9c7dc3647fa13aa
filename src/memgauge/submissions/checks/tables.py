"""What lies in the tables of a bundle beside their rows, where nobody looks: the rows are in the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.runs.record.database import connect
from memgauge.submissions.checks.rulings import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.submissions.checks.rulings import CheckFinding

_ENDS: Final = 12
"""Bytes before the first column and behind the footer."""
_FOOTER: Final = 512
"""Bytes of a footer for itself, and for each column of each group of rows."""


def beside_rows(run: Path, name: str) -> Iterator[CheckFinding]:
    """Refuse tables with notes of a writer's own, or with bytes that are of no column."""
    for table in sorted(run.glob("*.parquet")):
        if _holds_more(table):
            yield refuse(
                name, f"{table.name} holds bytes beside its rows.", "Pack the run as it was sealed.", table.name
            )


def _holds_more(table: Path) -> bool:
    """Whether a table has notes, a gap, or a footer that says more than where its columns are."""
    with connect() as db:
        ((notes,),) = db.execute("SELECT count(*) FROM parquet_kv_metadata(?)", [str(table)]).fetchall()
        ((columns, held),) = db.execute(
            "SELECT count(*), sum(total_compressed_size + coalesce(bloom_filter_length, 0))"
            " FROM parquet_metadata(?)",
            [str(table)],
        ).fetchall()
    with table.open("rb") as file:
        file.seek(-8, 2)
        footer = int.from_bytes(file.read(4), "little")
    whole = int(held or 0) + footer + _ENDS
    return bool(notes) or table.stat().st_size != whole or footer > _FOOTER * (1 + columns)
