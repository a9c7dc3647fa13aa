"""The database that reads runs: private, in memory, without a way out."""

from __future__ import annotations

import atexit
import tempfile
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from memgauge.text.databases import in_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb


def open_database(memory_limit: int = 0, overflow: str = "") -> duckdb.DuckDBPyConnection:
    """Open a database in memory that never reaches out and always gives the same order.

    Without a *memory_limit* in bytes it may take most of what the machine has. What that does not hold goes to the
    folder *overflow*; without one nothing goes to the disk.
    """
    settings: dict[str, str | bool | int] = {
        "threads": 1,
        "async_threads": 0,  # what one thread reads it need not wait for another to read
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
        "enable_external_file_cache": False,  # local files are not kept in it, only that they were seen
    }
    if memory_limit:
        settings |= {"memory_limit": f"{memory_limit >> 20}MiB", "temp_directory": overflow}
    return in_memory(settings)


@contextmanager
def overflowing(memory_limit: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database of its own that puts into temporary files what so many bytes of memory do not hold."""
    with (
        tempfile.TemporaryDirectory(prefix="memgauge-") as overflow,
        open_database(memory_limit, overflow) as db,
    ):
        yield db


@contextmanager
def connect() -> Iterator[duckdb.DuckDBPyConnection]:
    """Connect to the database that all reading shares; temporary tables and views are each connection's own.

    A spoilt file can leave a database unfit for any further use: what ends in an error is the last to use it.
    """
    database, ended = _database(), False
    try:
        with database.cursor() as connection:
            yield connection
        ended = True
    finally:
        if not ended:
            atexit.unregister(database.close)
            _database.cache_clear()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Open it once: opening costs more than reading a table."""
    database = open_database()
    atexit.register(database.close)  # what is still open when the interpreter ends complains of leaks
    return database
