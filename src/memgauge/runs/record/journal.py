"""The append-only record of a run while it happens.

One line an event, one write a conversation: what is in the file up to the last ``end`` line is whole, and a torn
tail is cut away on opening. A ``sum`` line behind every attempt says what its bytes were, so that what changes
between two sittings is found before it is sealed. One process writes, which a lock enforces.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from memgauge.errors import RunError
from memgauge.runs.record.appending import Appender
from memgauge.runs.record.files import opened
from memgauge.runs.record.spelling import encode
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    import hashlib
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FILE = "journal.jsonl"
_END, _SUM = b'{"t":"end"', b'{"t":"sum"'


@dataclass
class JournalState:
    """What a journal holds."""

    finished: dict[str, int] = field(default_factory=dict)
    """Attempts finished so far, by conversation."""
    failed: dict[str, int] = field(default_factory=dict)
    """Questions without a result in the last finished attempt, by conversation."""
    whole: int = 0
    """The bytes up to the last end."""
    damage: str = ""
    """Where the first change is and what it spoils; empty where there is none."""
    sums: int = 0
    """Attempts that are followed by their checksum."""

    def note(self, conversation: str, failed: int) -> None:
        """Count one finished attempt."""
        self.finished[conversation] = self.finished.get(conversation, 0) + 1
        self.failed[conversation] = failed


def survey(path: Path) -> JournalState:
    """Read how far a journal is, up to a torn tail or to the first damage."""
    state, offset, began, crc = JournalState(), 0, 0, 0
    ended = ""
    """The conversation of the end that was the line before."""
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            offset += len(line)
            if line.startswith(_SUM) and line.endswith(b"\n"):
                if line != sum_line(ended, state.finished.get(ended, 0), offset - len(line) - began, crc):
                    state.damage = f"line {number}: what was written up to here has changed"
                    break
                state.whole, state.sums, began, crc, ended = offset, state.sums + 1, offset, 0, ""
                continue
            if ended:  # an attempt begins behind one that has no sum
                began, crc, ended = offset - len(line), 0, ""
            crc = zlib.crc32(line, crc)
            if line.startswith(_END) and line.endswith(b"\n"):
                try:
                    row = json_of(line)
                    state.note(row["conversation"], int(row["failed"]))
                except (ValueError, KeyError, TypeError) as error:
                    state.damage = f"line {number}: this is no end of an attempt: {error!r}"
                    break
                state.whole, ended = offset, row["conversation"]
    return state


def sum_line(conversation: str, attempt: int, size: int, crc: int) -> bytes:
    """Spell the line that says what the bytes of an attempt were."""
    row = {"t": "sum", "conversation": conversation, "attempt": attempt, "bytes": size, "crc32": crc}
    return encode([row])


class Journal:
    """The journal of one run, open for appending."""

    def __init__(self, folder: Path) -> None:
        """Open and lock the journal of the run at *folder*.

        Raises:
            RunError: It cannot be opened, or it changed since it was written.
            RunBusyError: Another process is writing it.
        """
        self.path = folder / FILE
        self._file = Appender(self.path)
        self._kept = survey(self.path)
        if self._kept.damage:
            self._file.close()
            raise RunError(
                f"{self.path}: {self._kept.damage}.",
                "Restore it from a copy, or move its folder away and run again.",
            )
        self._file.cut(self._kept.whole)

    @property
    def finished(self) -> dict[str, int]:
        """Attempts finished so far, by conversation."""
        return self._kept.finished

    @property
    def failed(self) -> dict[str, int]:
        """Questions without a result in the last finished attempt, by conversation."""
        return self._kept.failed

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(
        self,
        conversation: str,
        lines: bytes | Iterable[bytes],
        failed: int = 0,
        *,
        later: bool = False,
        hashed: hashlib._Hash | None = None,
    ) -> None:
        """Append all lines of one finished attempt, at once or by portions, and make sure that they are on disk.

        What is written is added to *hashed*.

        What is written *later* than all else, whole or not at all, waits for the disk once: in :meth:`settle`.

        Raises:
            RunError: The disk is full or fails; the journal is cut back to what was whole.
        """
        standing = f"{len(self.finished)} finished conversations are kept"
        attempt = self.finished.get(conversation, 0) + 1
        self._file.append_all(self._summed(conversation, attempt, lines, hashed), standing, later=later)
        self._kept.note(conversation, failed)

    @staticmethod
    def _summed(
        conversation: str, attempt: int, lines: bytes | Iterable[bytes], hashed: hashlib._Hash | None
    ) -> Iterator[bytes]:
        """Yield the portions of an attempt, and last the line that says what they were."""
        size = crc = 0
        for portion in (lines,) if isinstance(lines, bytes) else lines:
            size, crc = size + len(portion), zlib.crc32(portion, crc)
            if hashed is not None:
                hashed.update(portion)
            yield portion
        summed = sum_line(conversation, attempt, size, crc)
        if hashed is not None:
            hashed.update(summed)
        yield summed

    def settle(self) -> None:
        """Make sure that everything is on disk.

        Raises:
            RunError: The disk is full or fails.
        """
        self._file.settle()
