"""The memories of a journal in the order of their table, without holding more than one conversation at a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

_CASE, _MEMORY = b'{"t":"case"', b'{"t":"memory"'
_ROW = re.compile(rb'"row":(\d+)')


class _AttemptLines(NamedTuple):
    """One attempt at one conversation, and where its lines lie."""

    number: int
    attempt: int
    start: int
    end: int


def write_in_order(journal: Path, target: Path) -> None:
    """Copy the memories of *journal* to *target*: by the dataset's order of conversations, then attempt and row.

    Sorting them as a table would hold every text at once, and conversations end in any order.

    Raises:
        OSError: There is no room.
    """
    with journal.open("rb") as source:
        parts = sorted(_parts(source))
        with target.open("wb") as file:
            for part in parts:
                source.seek(part.start)
                lines = source.read(part.end - part.start).split(b"\n")
                memories = [line + b"\n" for line in lines if line.startswith(_MEMORY)]
                memories.sort(key=_row)
                file.writelines(memories)


def _parts(source: BinaryIO) -> Iterator[_AttemptLines]:
    case: dict[str, Any] | None = None
    start = place = 0
    for line in source:
        if line.startswith(_CASE):
            if case is not None:
                yield _AttemptLines(case["number"], case["attempt"], start, place)
            case, start = json_of(line), place
        place += len(line)
    if case is not None:
        yield _AttemptLines(case["number"], case["attempt"], start, place)


def _row(line: bytes) -> int:
    match = _ROW.search(line)
    return int(match[1]) if match else 0
