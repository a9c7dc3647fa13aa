"""Databases in memory that say nothing on their own."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memgauge.refusals import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import duckdb


def in_memory(settings: Mapping[str, str | bool | int] | None = None) -> duckdb.DuckDBPyConnection:
    """Open a database that draws no bar of progress: it would stand in what a command prints, JSON too."""
    import duckdb

    database = duckdb.connect(":memory:", config=dict(settings or {}))
    return database.execute("SET enable_progress_bar = false")  # it holds for all cursors, and is no setting of it


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Let a database that may not write *path* say so as everybody does.

    Raises:
        OSError: It may not.
    """
    import duckdb

    try:
        yield
    except duckdb.IOException as error:
        number = number_of(error) or errno.EIO
        raise OSError(number, os.strerror(number), str(path)) from error
