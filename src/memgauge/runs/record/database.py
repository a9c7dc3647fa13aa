"""The database that reads runs: private, in memory, without a way out."""

from __future__ import annotations

import atexit
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def open_database(memory_limit: str = "") -> duckdb.DuckDBPyConnection:
    """Open a database in memory that never reaches out and always gives the same order.

    Args:
        memory_limit: What it may take, and nothing on the disk; without one, most of what the machine has.
    """
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
    }
    if memory_limit:
        config |= {"memory_limit": memory_limit, "temp_directory": ""}
    return duckdb.connect(":memory:", config=config)


def connect() -> duckdb.DuckDBPyConnection:
    """Connect to the database that all reading shares; temporary tables and views are each connection's own."""
    import duckdb

    try:
        return _database().cursor().execute("SELECT 1")
    except duckdb.Error:  # a spoilt file can leave a database unfit for any further use
        _database.cache_clear()
        return _database().cursor()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Open it once: opening costs more than reading a table."""
    database = open_database()
    atexit.register(database.close)  # what is still open when the interpreter ends complains of leaks
    return database
