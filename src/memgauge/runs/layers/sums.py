"""Checksums of the rows of a layer that is not sealed yet: what changes between two sittings is found.

Beside the rows lies one number a row, the CRC of all bytes up to its end. It is on disk before its row is, so a
row without a number, or with another one, was not written by us. The seal makes the file superfluous, and removes
it. Layers that older versions left unfinished have none; their rows are taken as they are.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from memgauge.runs.record.appending import Appender
from memgauge.runs.record.files import opened, small

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "rows.sums"
_LARGEST: Final = 1 << 30
_WIDTH: Final = 9
"""Bytes of one number: eight digits and the end of a line."""


@dataclass(frozen=True)
class IntactRows:
    """What of the rows can be relied on."""

    rows: int
    size: int
    """Bytes of these rows."""
    crc: int
    damage: str = ""
    """Where the first change is; empty where there is none."""


def survey(rows: Path, sums: Path) -> IntactRows:
    """Compare rows with their numbers, up to a torn tail or to the first damage."""
    numbers = small(sums, _LARGEST).split(b"\n")[:-1] if sums.is_file() else None
    count = size = crc = 0
    with opened(rows) as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break
            crc = zlib.crc32(line, crc)
            if numbers is not None and numbers[number - 1 : number] != [_spelled(crc)]:
                return IntactRows(count, size, 0, f"row {number} is not as it was written")
            count, size = number, size + len(line)
    return IntactRows(count, size, crc)


class Sums:
    """The numbers of a layer that is being written."""

    def __init__(self, path: Path, rows: Path, whole: IntactRows) -> None:
        """Go on behind the rows that are whole.

        Raises:
            RunError: It cannot be written.
        """
        before = b"" if path.is_file() else _numbers(rows, whole.rows)
        self._count, self._crc, self._last = whole.rows, whole.crc, whole.crc
        self._file = Appender(path, elsewhere="stop the other one")
        self._file.append(before)
        self._file.cut(whole.rows * _WIDTH)

    def append(self, row: bytes) -> None:
        """Put the number of the next row on disk.

        Raises:
            RunError: The disk is full or fails.
        """
        crc = zlib.crc32(row, self._crc)
        self._file.append(_spelled(crc) + b"\n")
        self._count, self._crc, self._last = self._count + 1, crc, self._crc

    def take_back(self) -> None:
        """Forget the last number: its row could not be written."""
        self._count, self._crc = self._count - 1, self._last
        self._file.cut(self._count * _WIDTH)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _numbers(rows: Path, count: int) -> bytes:
    """Count up the rows that an older version left."""
    sums, crc = [], 0
    with opened(rows) as file:
        for line in islice(file, count):
            crc = zlib.crc32(line, crc)
            sums.append(_spelled(crc) + b"\n")
    return b"".join(sums)


def _spelled(crc: int) -> bytes:
    return b"%08x" % crc
