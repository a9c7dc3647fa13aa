"""A journal that is large is sealed with little memory, to the same bytes."""

from __future__ import annotations

import json
from itertools import zip_longest
from shutil import copytree
from typing import TYPE_CHECKING

import duckdb
import pytest

from memgauge.errors import RunError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record import seal, tables
from memgauge.runs.record.journal import FILE

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.ordered import PartedLines


def test_a_large_journal_is_sealed_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, content and seal are the same, and nothing else is left in the folder."""
    (run,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path / "runs", executor=Inline(), check=False)
    again = copytree(run, tmp_path / "again")
    (again / seal.FILE).unlink()
    monkeypatch.setattr(seal, "_LARGE", 0)
    assert seal.seal(again) == seal.Seal.read(run)
    assert sorted(path.name for path in again.iterdir()) == sorted(path.name for path in run.iterdir())


def test_what_does_not_fit_gets_more_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that has too little memory is left for one with more; where all have, the run says so."""
    (run,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path / "runs", executor=Inline(), check=False)
    made = seal.Seal.read(run)
    (run / seal.FILE).unlink()
    make, rooms = tables.make_in_little_room, []

    def crowded(db: duckdb.DuckDBPyConnection, lines: PartedLines, folder: Path) -> None:
        rooms.append(db.execute("SELECT current_setting('memory_limit')").fetchone())
        if len(rooms) < least:
            raise duckdb.OutOfMemoryException("no room")
        make(db, lines, folder)

    monkeypatch.setattr(seal, "_LARGE", 0)
    monkeypatch.setattr(tables, "make_in_little_room", crowded)
    least = 4
    with pytest.raises(RunError, match="makes no tables: no room"):
        seal.seal(run)
    assert len({*rooms}) == 3
    rooms.clear()
    least = 2
    assert seal.seal(run) == made


def test_lines_of_attempts_that_lie_mixed_are_numbered_by_attempt(tmp_path: Path) -> None:
    """Whoever wrote them so, writes have the numbers that they have where every attempt lies together."""
    (run,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path / "runs", executor=Inline(), check=False)
    before = writes(run)
    lines = [line for line in (run / FILE).read_bytes().splitlines(keepends=True) if b'{"t":"sum"' not in line]
    attempts = [[line for line in lines if f'"conversation":"{name}"'.encode() in line] for name in names(lines)]
    assert len(attempts) > 1
    mixed = [line for together in zip_longest(*attempts) for line in together if line]
    (run / FILE).write_bytes(b"".join(mixed))
    (run / seal.FILE).unlink()
    seal.seal(run)
    assert writes(run) == before


def names(lines: list[bytes]) -> list[str]:
    """Name the conversations of lines."""
    return list(dict.fromkeys(json.loads(line)["conversation"] for line in lines))


def writes(run: Path) -> list[tuple[object, ...]]:
    """Read what was written, in its order, without clocks."""
    with duckdb.connect() as db:
        return db.execute("SELECT * EXCLUDE (ms) FROM read_parquet(?)", [str(run / "writes.parquet")]).fetchall()
