"""The memories of a journal in the order of their table, without holding more than one conversation at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import BinaryIO

_CASE, _MEMORY = b'{"t":"case"', b'{"t":"memory"'
_ROW = re.compile(rb'"row":(\d+)')
_PIECE = 1 << 20


@dataclass(order=True)
class _AttemptMemories:
    """The memories of one attempt at one conversation, and where their lines lie."""

    number: int
    attempt: int
    start: int
    """Of the first line."""
    end: int = field(compare=False)
    """Behind the last one."""
    size: int = field(default=0, compare=False)
    """Bytes of all lines; fewer than there are from start to end where others lie between."""
    last: int = field(default=-1, compare=False)
    """The number of the last one."""
    ascending: bool = field(default=True, compare=False)

    def add(self, line: bytes, place: int) -> None:
        """Take one line that begins at *place*."""
        row = _row(line)
        if not self.size:
            self.start = place
        self.ascending = self.ascending and row >= self.last
        self.end, self.size, self.last = place + len(line), self.size + len(line), row


@dataclass(frozen=True)
class LongestLines:
    """The lengths of the longest lines of memories, and of all others."""

    memories: int
    others: int


def write_in_order(journal: Path, target: Path, others: Path) -> LongestLines:
    """Copy the memories of *journal* to *target*: by the dataset's order of conversations, then attempt and row.

    All other lines are copied to *others* as they come. Sorting memories as a table would hold every text at once,
    and conversations end in any order.

    Raises:
        OSError: There is no room.
    """
    with journal.open("rb") as source:
        with others.open("wb") as file:
            parts, longest = _parts(source, file.write)
        with target.open("wb") as file:
            for part in sorted(parts):
                source.seek(part.start)
                if part.ascending and part.size == part.end - part.start:
                    _copy(source, file, part.size)
                    continue
                lines = source.read(part.end - part.start).split(b"\n")
                memories = [line + b"\n" for line in lines if line.startswith(_MEMORY)]
                memories.sort(key=_row)
                file.writelines(memories)
    return longest


def _parts(source: BinaryIO, other: Callable[[bytes], object]) -> tuple[list[_AttemptMemories], LongestLines]:
    """Read a journal once: say where memories lie, and hand on what is none."""
    parts: list[_AttemptMemories] = []
    place = memories = others = 0
    for line in source:
        size = len(line)
        if line.startswith(_MEMORY):
            memories = max(memories, size)
            if parts:
                parts[-1].add(line, place)
        else:
            others = max(others, size)
            other(line)
            if line.startswith(_CASE):
                case = json_of(line)
                parts.append(_AttemptMemories(case["number"], case["attempt"], place, place))
        place += size
    return parts, LongestLines(memories, others)


def _copy(source: BinaryIO, target: BinaryIO, size: int) -> None:
    while size and (piece := source.read(min(size, _PIECE))):
        target.write(piece)
        size -= len(piece)


def _row(line: bytes) -> int:
    match = _ROW.search(line)
    return int(match[1]) if match else 0
