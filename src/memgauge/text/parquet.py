"""Tables of strangers: a few kilobytes of Parquet can mean more rows and longer texts than any memory holds.

What a footer says may be a lie, so what counts is what comes out of the pages, added up by a database whose own
memory is bounded.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

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
    import _duckdb as duckdb

    largest = max(SMALL, RATIO * size)
    with _connect(max(_MEMORY, 2 * largest)) as db:
        (rows,) = db.execute("SELECT num_rows FROM parquet_file_metadata(?)", [str(path)]).fetchall()[0]
        if rows > max(ROWS[0], ROWS[1] * size):
            raise TooMuchError(f"{size:,} bytes cannot be {rows:,} rows")
        try:
            total = _total(db, path)
        except duckdb.OutOfMemoryException:
            raise TooMuchError(f"{size:,} bytes unpack to more than {largest >> 20:,} MiB") from None
    if total > largest:
        raise TooMuchError(f"{size:,} bytes unpack to {total >> 20:,} MiB")


def _connect(memory: int) -> duckdb.DuckDBPyConnection:
    import _duckdb as duckdb

    try:
        return _database(memory).cursor().execute("SELECT 1")
    except duckdb.Error:  # a spoilt file can leave a database unfit for any further use
        _database.cache_clear()
        return _database(memory).cursor()


@lru_cache(1)
def _database(memory: int) -> duckdb.DuckDBPyConnection:
    """Open a database of so much memory; opening one costs more than looking at a table."""
    import _duckdb as duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "memory_limit": f"{memory >> 20}MiB",
        "temp_directory": "",
        "enable_external_file_cache": False,
    }
    return duckdb.connect(":memory:", config=config)


def _total(db: duckdb.DuckDBPyConnection, path: Path) -> int:
    """Count the bytes of all texts and lists."""
    described = db.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    lengths = []
    for name, kind, *_ in described:
        column = '"' + name.replace('"', '""') + '"'
        if kind == "VARCHAR":
            lengths.append(f"sum(strlen({column}))")
        elif not kind.startswith(_NUMBERS) or kind.endswith("]"):
            lengths.append(f"sum(strlen(CAST({column} AS VARCHAR)))")
    if not lengths:
        return 0
    statement = f"SELECT {', '.join(lengths)} FROM read_parquet(?)"  # noqa: S608 - names are quoted
    (sums,) = db.execute(statement, [str(path)]).fetchall()
    return sum(int(each or 0) for each in sums)
