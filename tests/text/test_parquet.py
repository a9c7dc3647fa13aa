"""Tables of strangers, and what they may mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from memgauge.text.parquet import TooMuchError, bounded

if TYPE_CHECKING:
    from pathlib import Path


def written(path: Path, rows: str) -> Path:
    """Write a table."""
    with duckdb.connect() as db:
        db.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    return path


@pytest.mark.parametrize(
    "rows",
    [
        "SELECT n, 'text ' || n AS text, [n::VARCHAR] AS list, {'a': n} AS part FROM range(20000) t(n)",
        'SELECT NULL::VARCHAR AS text, 1 AS "a ""name"""',
        "SELECT 1 AS n",
    ],
)
def test_an_ordinary_table_passes(tmp_path: Path, rows: str) -> None:
    """Numbers, texts, lists, structures, odd names, nothing at all."""
    path = written(tmp_path / "its.parquet", rows)
    bounded(path)
    with duckdb.connect() as engine:
        assert engine.execute(f"SELECT count(*) FROM '{path}'").fetchone() != (0,)  # noqa: S608 - a path of this test


@pytest.mark.parametrize(
    "rows",
    [
        "SELECT repeat('x', 20000) AS text FROM range(14000)",
        "SELECT [repeat('x', 20000)] AS list FROM range(14000)",
        "SELECT 1 AS n FROM range(2000001)",
    ],
)
def test_a_table_that_unpacks_to_far_more_is_refused(tmp_path: Path, rows: str) -> None:
    """One text that is named many times, wherever it lies; rows that cost nothing."""
    path = written(tmp_path / "a.parquet", rows)
    with pytest.raises(TooMuchError, match=r"bytes (unpack to|cannot be)"):
        bounded(path)


def test_what_is_no_table_is_for_the_reader_to_say(tmp_path: Path) -> None:
    """The database's own error comes through."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(duckdb.Error):
        bounded(tmp_path / "a.parquet")
