"""The lines of a journal parted for its tables: memories in their order, and all others as they come.

No more than one attempt, or some MB, is held at a time.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

_CASE: Final = b'{"t":"case"'
_MEMORY: Final = b'{"t":"memory"'
_ROW: Final = re.compile(rb'"row":(\d+)')
_PIECE: Final = 4 << 20


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

    def add(self, place: int, size: int, rows: list[int]) -> None:
        """Take lines that follow each other from *place* on."""
        if not self.size:
            self.start = place
        self.ascending = self.ascending and rows == sorted(rows) and rows[0] >= self.last
        self.end, self.size, self.last = place + size, self.size + size, rows[-1]


@dataclass
class PartedLines:
    """Two files of lines, and the lengths of the longest lines in them."""

    memories: Path
    """By the dataset's order of conversations, then attempt and row."""
    others: Path
    """As they come."""
    longest_memory: int = 0
    longest_other: int = 0


@contextmanager
def parted(journal: Path, folder: Path) -> Iterator[PartedLines]:
    """Part the lines of *journal* into two files in *folder*, for as long as they are needed.

    Sorting memories as a table would hold every text at once, and conversations end in any order.

    Raises:
        OSError: There is no room.
    """
    lines = PartedLines(folder / "memories.jsonl", folder / "others.jsonl")
    try:
        write_parted(journal, lines)
        yield lines
    finally:
        lines.memories.unlink(missing_ok=True)
        lines.others.unlink(missing_ok=True)


def write_parted(journal: Path, lines: PartedLines) -> None:
    """Copy every line of *journal* to the file that it belongs to, and note how long the longest ones are.

    Raises:
        OSError: There is no room.
    """
    with journal.open("rb") as source:
        with lines.others.open("wb") as file:
            parts = _parts(source, file.write, lines)
        with lines.memories.open("wb") as file:
            for part in sorted(parts):
                source.seek(part.start)
                if part.ascending and part.size == part.end - part.start:
                    _copy(source, file, part.size)
                    continue
                own = source.read(part.end - part.start).split(b"\n")
                memories = [line + b"\n" for line in own if line.startswith(_MEMORY)]
                memories.sort(key=_row)
                file.writelines(memories)


def _parts(source: BinaryIO, other: Callable[[bytes], object], lines: PartedLines) -> list[_AttemptMemories]:
    """Read a journal once: say where memories lie, and hand on what is none."""
    parts: list[_AttemptMemories] = []
    place = 0
    for piece in _whole_lines(source):
        starts, kinds = _lines(piece)
        lengths = np.diff(starts)
        lines.longest_memory = max(lines.longest_memory, int(lengths[kinds == _IS_MEMORY].max(initial=0)))
        lines.longest_other = max(lines.longest_other, int(lengths[kinds != _IS_MEMORY].max(initial=0)))
        # A run of lines ends where their kind changes; every beginning of an attempt is one of its own.
        changes = np.flatnonzero((np.diff(kinds) != 0) | (kinds[1:] == _IS_CASE)) + 1
        begins = [0, *changes.tolist()]
        for begin, end in zip(begins, [*begins[1:], len(kinds)], strict=True):
            first, behind = int(starts[begin]), int(starts[end])
            if kinds[begin] == _IS_MEMORY:
                if parts:
                    bounds = starts[begin : end + 1].tolist()
                    rows = [_row(piece, *pair) for pair in pairwise(bounds)]
                    parts[-1].add(place + first, behind - first, rows)
                continue
            other(piece[first:behind])
            if kinds[begin] == _IS_CASE:
                case = json_of(piece[first : int(starts[begin + 1])])
                parts.append(_AttemptMemories(case["number"], case["attempt"], place + first, place + first))
        place += len(piece)
    return parts


_IS_OTHER, _IS_MEMORY, _IS_CASE = range(3)


def _lines(piece: bytes) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Say where the lines of *piece* begin, its end included, and of which kind each of them is."""
    letters = np.frombuffer(piece, np.uint8)
    behind = np.flatnonzero(letters == ord("\n")) + 1
    inner = behind[behind < len(piece)]
    starts = np.concatenate(([0], inner, [len(piece)]))
    kinds = np.full(len(starts) - 1, _IS_OTHER, np.int8)
    for kind, beginning in ((_IS_MEMORY, _MEMORY), (_IS_CASE, _CASE)):
        places = np.flatnonzero(np.diff(starts) > len(beginning))
        for offset, letter in reversed(list(enumerate(beginning))):  # the last letters tell most apart
            places = places[letters[starts[places] + offset] == letter]
        kinds[places] = kind
    return starts, kinds


def _whole_lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield a file in pieces that end with a line, but for the last."""
    while piece := source.read(_PIECE):
        yield piece if piece.endswith(b"\n") else piece + source.readline()


def _copy(source: BinaryIO, target: BinaryIO, size: int) -> None:
    while size and (piece := source.read(min(size, _PIECE))):
        target.write(piece)
        size -= len(piece)


def _row(line: bytes, start: int = 0, end: int | None = None) -> int:
    match = _ROW.search(line, start, len(line) if end is None else end)
    return int(match[1]) if match else 0
