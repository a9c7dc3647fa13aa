"""Databases in memory that say nothing on their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb


def in_memory(settings: Mapping[str, str | bool | int] | None = None) -> duckdb.DuckDBPyConnection:
    """Open a database that draws no bar of progress: it would stand in what a command prints, JSON too."""
    import duckdb

    database = duckdb.connect(":memory:", config=dict(settings or {}))
    return database.execute("SET enable_progress_bar = false")  # it holds for all cursors, and is no setting of it
