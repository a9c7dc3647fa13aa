"""Rows of a Parquet file, read one at a time.

The engine unpacks whole row groups, so that memory grows with them; lines of JSON need that of one chat only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COUNT = "SELECT count(*) FROM read_parquet(?)"
_ROW = """
SELECT conversation_id, chat, probing_questions
FROM read_parquet(?, file_row_number = true) WHERE file_row_number = ?
"""


def parquet_rows(path: Path) -> Iterator[object]:
    """Yield the columns that are read of every row, as objects of JSON.

    Raises:
        MalformedDataError: It is no Parquet file, or a column is missing.
    """
    import duckdb

    try:
        with duckdb.connect() as db:
            (rows,) = db.execute(_COUNT, [str(path)]).fetchall()[0]
            for row in range(rows):
                # Asked for one by one, for the engine holds the whole of what it has found.
                found = db.execute(_ROW, [str(path), row])
                yield dict(
                    zip([column[0] for column in found.description or ()], found.fetchall()[0], strict=True)
                )
    except (duckdb.Error, UnicodeDecodeError) as error:  # the engine quotes spoilt names, and cannot spell them
        why = str(error).partition("\n")[0]
        raise MalformedDataError(f"{path} cannot be read as rows of Parquet: {why}.", "Fetch it again.") from error
