"""Tables of strangers: a few kilobytes of Parquet can mean more rows and longer texts than any memory holds.

What a footer says may be a lie, so what counts is what comes out of the pages, added up by a database whose own
memory is bounded.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from memgauge.text.databases import in_memory

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

RATIO: Final = 250
"""How many bytes may come of one."""
SMALL: Final = 256 << 20
"""Bytes that may come of any file."""
ROWS: Final = 2_000_000, 20
"""Rows that any file may have, and rows that there may be for each of its bytes."""
_MEMORY: Final = 2 << 30
_NUMBERS: Final = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "BOOLEAN", "DATE", "TIME", "UUID", "UINTEGER", "UBIGINT")
"""How the types of columns begin whose values are a few bytes each."""


class TooMuchError(ValueError):
    """A file that unpacks to more than it may."""


def bounded(path: Path) -> None:
    """Refuse a file of Parquet that unpacks to far more than its size.

    Raises:
        TooMuchError: It does.
        duckdb.Error: It is no Parquet.
    """
    state = path.stat()
    _check(path, state.st_size, state.st_mtime_ns)


@lru_cache(4096)
def _check(path: Path, size: int, _written: int) -> None:
    """Look at a file once, and again when it has changed."""
    import duckdb

    largest = max(SMALL, RATIO * size)
    try:
        with _database(max(_MEMORY, 2 * largest)).cursor() as db:
            total = _total(db, path, size)
    except duckdb.Error as error:
        _database.cache_clear()  # a spoilt file can leave a database unfit for any further use
        if isinstance(error, duckdb.OutOfMemoryException):
            raise TooMuchError(f"{size:,} bytes unpack to more than {largest >> 20:,} MiB") from None
        raise
    if total > largest:
        raise TooMuchError(f"{size:,} bytes unpack to {total >> 20:,} MiB")


@lru_cache(1)
def _database(memory: int) -> duckdb.DuckDBPyConnection:
    """Open a database of so much memory; opening one costs more than looking at a table."""
    return in_memory(
        {
            "threads": 1,
            "memory_limit": f"{memory >> 20}MiB",
            "temp_directory": "",
            "enable_external_file_cache": False,
        }
    )


def _total(db: duckdb.DuckDBPyConnection, path: Path, size: int) -> int:
    """Count the bytes of all texts and lists, of no more rows than there may be."""
    (rows,) = db.execute("SELECT num_rows FROM parquet_file_metadata(?)", [str(path)]).fetchall()[0]
    if rows > max(ROWS[0], ROWS[1] * size):
        raise TooMuchError(f"{size:,} bytes cannot be {rows:,} rows")
    columns = db.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    lengths = []
    for name, kind, *_ in columns:
        column = '"' + name.replace('"', '""') + '"'
        if kind == "VARCHAR":
            lengths.append(f"sum(strlen({column}))")
        elif not kind.startswith(_NUMBERS) or kind.endswith("]"):
            lengths.append(f"sum(strlen(CAST({column} AS VARCHAR)))")
    if not lengths:
        return 0
    statement = f"SELECT {', '.join(lengths)} FROM read_parquet(?)"  # noqa: S608 - names are quoted
    (sums,) = db.execute(statement, [str(path)]).fetchall()
    return sum(int(total or 0) for total in sums)
