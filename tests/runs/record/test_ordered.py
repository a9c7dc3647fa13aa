"""Memories come in the order of their table, whatever the order in which conversations ended."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from memgauge.runs.record import ordered
from memgauge.runs.record.ordered import PartedLines, parted, write_parted
from memgauge.runs.record.spelling import encode

if TYPE_CHECKING:
    from pathlib import Path

TEXT = 'a "row":99 that is said,\u2028and {"t":"memory"'


def attempt(number: int, attempt: int, rows: tuple[int, ...]) -> bytes:
    """Write one attempt at one conversation."""
    name = {"conversation": f"c{number}", "attempt": attempt}
    memories = [{"t": "memory", **name, "row": row, "memory": f"m{row}", "text": TEXT} for row in rows]
    return encode([{"t": "case", **name, "number": number}, *memories, {"t": "end", **name, "failed": 0}])


def contents(parts: PartedLines) -> tuple[bytes, bytes, int, int]:
    """Read both files, and say how long the longest lines are."""
    longest = parts.longest_memory, parts.longest_other
    return parts.memories.read_bytes(), parts.others.read_bytes(), *longest


PARTS = (attempt(0, 1, (0, 1)), attempt(0, 2, (1, 0, 10)), attempt(1, 1, ()), attempt(2, 1, (2, 0)))


@pytest.mark.parametrize("order", list(permutations(range(len(PARTS)))))
def test_order_does_not_depend_on_who_ended_first(tmp_path: Path, order: tuple[int, ...]) -> None:
    """Conversations stand as in the dataset, attempts and rows by number, and texts are not looked into."""
    (tmp_path / "journal").write_bytes(b"".join(PARTS[place] for place in order))
    write_parted(tmp_path / "journal", PartedLines(tmp_path / "ordered", tmp_path / "others"))
    rows = [json.loads(line) for line in (tmp_path / "ordered").read_bytes().splitlines()]
    assert [(row["conversation"], row["attempt"], row["row"]) for row in rows] == [
        *[("c0", 1, 0), ("c0", 1, 1), ("c0", 2, 0), ("c0", 2, 1), ("c0", 2, 10)],
        *[("c2", 1, 0), ("c2", 1, 2)],
    ]
    assert {row["text"] for row in rows} == {TEXT}


def test_all_other_lines_are_kept_as_they_come(tmp_path: Path) -> None:
    """What is no memory is copied line by line, and the longest line of either kind is known."""
    lines = b"".join(reversed(PARTS)).splitlines(keepends=True)
    (tmp_path / "journal").write_bytes(b"".join(lines))
    parts = PartedLines(tmp_path / "ordered", tmp_path / "others")
    write_parted(tmp_path / "journal", parts)
    memories = [line for line in lines if line.startswith(b'{"t":"memory"')]
    others = [line for line in lines if line not in memories]
    assert (tmp_path / "others").read_bytes() == b"".join(others)
    assert (parts.longest_memory, parts.longest_other) == (max(map(len, memories)), max(map(len, others)))


def test_memories_between_other_lines_are_found(tmp_path: Path) -> None:
    """Rows of an attempt need not follow each other."""
    case, first, second, third, end = attempt(0, 1, (2, 0, 1)).splitlines(keepends=True)
    (tmp_path / "journal").write_bytes(case + first + end + second + end + third + end)
    write_parted(tmp_path / "journal", PartedLines(tmp_path / "ordered", tmp_path / "others"))
    assert (tmp_path / "ordered").read_bytes() == second + third + first


def test_without_conversations_there_are_no_memories(tmp_path: Path) -> None:
    """An empty journal makes an empty file."""
    (tmp_path / "journal").write_bytes(b"")
    write_parted(tmp_path / "journal", PartedLines(tmp_path / "ordered", tmp_path / "others"))
    assert (tmp_path / "ordered").read_bytes() == b""


@pytest.mark.parametrize("size", [1, 40, 97, 1000])
def test_where_a_file_is_cut_while_it_is_read_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Lines are whole in whatever pieces they are read."""
    lines = b"".join(PARTS) + attempt(3, 1, (0, 2, 1))
    (tmp_path / "journal").write_bytes(lines)
    with parted(tmp_path / "journal", tmp_path) as whole:
        expected = contents(whole)
    monkeypatch.setattr(ordered, "_PIECE", size)
    with parted(tmp_path / "journal", tmp_path) as cut:
        assert contents(cut) == expected


def test_nothing_is_left_of_the_files(tmp_path: Path) -> None:
    """They are there for as long as they are needed, also where something fails."""
    (tmp_path / "journal").write_bytes(b"".join(PARTS))
    with pytest.raises(ZeroDivisionError), parted(tmp_path / "journal", tmp_path):
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["journal"]
