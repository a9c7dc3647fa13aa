"""Pages are read as SQLite itself says that they are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.studies.erasure.sqlite_pages import free_pages, page_size, rows, with_log

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


@settings(max_examples=25)
@given(written=st.integers(1, 60), deleted=st.integers(0, 60), size=st.sampled_from([512, 1024, 4096]))
def test_free_pages_are_as_many_as_sqlite_counts(
    written: int, deleted: int, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever is deleted, with pages of any size."""
    file = tmp_path_factory.mktemp("pages") / "some.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute(f"PRAGMA page_size = {size}")
        database.execute("CREATE TABLE facts (id, text)")
        database.executemany("INSERT INTO facts VALUES (?, ?)", [(n, "." * 900) for n in range(written)])
        database.execute("DELETE FROM facts WHERE id < ?", (deleted,))
        (count,) = database.execute("PRAGMA freelist_count").fetchone()
    data = file.read_bytes()
    assert page_size(data) == size
    assert len(free_pages(data)) == count


@given(changes=st.lists(st.integers(0, 9), max_size=20), checkpoint=st.booleans())
def test_rows_are_those_that_a_reader_sees(
    changes: list[int], checkpoint: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With what stands in the write-ahead log alone, and without opening or changing any file."""
    file = tmp_path_factory.mktemp("rows") / "some.db"
    log = file.with_name("some.db-wal")
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("CREATE TABLE facts (id PRIMARY KEY, text)")
        for place, number in enumerate(changes):
            database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (number, f"said {place}"))
            if checkpoint and place == len(changes) // 2:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        expected = {f"{number}\nsaid {place}".encode() for number, place in dict(_last(changes)).items()}
        before = (file.read_bytes(), log.read_bytes())
        seen = {row for table, row in rows(with_log(*before)) if table == "facts"}
        assert (file.read_bytes(), log.read_bytes()) == before
    assert seen == expected


def _last(changes: list[int]) -> list[tuple[int, int]]:
    return [(number, place) for place, number in enumerate(changes)]


def test_what_is_no_database_has_no_pages(tmp_path: Path) -> None:
    """Nor rows."""
    file = tmp_path / "some.txt"
    file.write_text("SQLite format 3, they say", "utf-8")
    data = file.read_bytes()
    assert (page_size(data), free_pages(data), list(rows(data))) == (0, frozenset(), [])
