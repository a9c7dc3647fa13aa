"""The database that reads runs: private, in memory, without a way out."""

from __future__ import annotations

import atexit
import tempfile
import threading
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb


def open_database(memory_limit: int = 0, overflow: str = "") -> duckdb.DuckDBPyConnection:
    """Open a database in memory that never reaches out and always gives the same order.

    Args:
        memory_limit: Bytes that it may take; without one, most of what the machine has.
        overflow: The folder for what that does not hold; without one nothing goes to the disk.
    """
    import _duckdb as duckdb  # the same without the package around it, which takes as long to load as all of numpy

    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
        "enable_external_file_cache": False,  # local files are not kept in it, only that they were seen
    }
    if memory_limit:
        config |= {"memory_limit": f"{memory_limit >> 20}MiB", "temp_directory": overflow}
    return duckdb.connect(":memory:", config=config)


@contextmanager
def overflowing(memory_limit: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database of its own that puts into temporary files what so many bytes of memory do not hold."""
    with (
        tempfile.TemporaryDirectory(prefix="memgauge-") as overflow,
        open_database(memory_limit, overflow) as db,
    ):
        yield db


def connect() -> duckdb.DuckDBPyConnection:
    """Connect to the database that all reading shares; temporary tables and views are each connection's own."""
    import _duckdb as duckdb

    try:
        return _database().cursor().execute("SELECT 1")
    except duckdb.Error:  # a spoilt file can leave a database unfit for any further use
        _database.cache_clear()
        return _database().cursor()


def reader() -> duckdb.DuckDBPyConnection:
    """Return the connection of this thread, for a statement whose rows are all fetched before the next one."""
    import _duckdb as duckdb

    try:
        return _HERE.connection.execute("SELECT 1")
    except (
        AttributeError,
        duckdb.Error,
    ):  # there is none yet, or it is unfit for any further use
        _HERE.connection = connect()
        return _HERE.connection


class _Thread(threading.local):
    """What one thread reads with."""

    connection: duckdb.DuckDBPyConnection


_HERE = _Thread()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Open it once: opening costs more than reading a table."""
    database = open_database()
    atexit.register(database.close)  # what is still open when the interpreter ends complains of leaks
    return database
