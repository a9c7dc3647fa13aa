"""The append-only record of a run while it happens.

One line an event, one write a conversation: what is in the file up to the last ``end`` line is whole, and a torn
tail is cut away on opening. One process writes, which a lock enforces.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

from memgauge.runs.appending import Appender

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FILE = "journal.jsonl"


def encode(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Serialise rows, one JSON line each; numbers that are no numbers are refused.

    Half a surrogate pair, which no UTF-8 can hold, becomes a question mark.
    """
    return b"".join(
        json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")
        + b"\n"
        for row in rows
    )


class Journal:
    """The journal of one run, open for appending."""

    def __init__(self, folder: Path) -> None:
        """Open and lock the journal of the run at *folder*.

        Raises:
            RunError: It cannot be opened.
            RunBusyError: Another process is writing it.
        """
        self.path = folder / FILE
        self._file = Appender(self.path)
        self.finished: dict[str, int] = {}
        """Attempts finished so far, by conversation."""
        self.failed: dict[str, int] = {}
        """Questions without a result in the last finished attempt, by conversation."""
        self._recover()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, conversation: str, lines: bytes, failed: int = 0) -> None:
        """Append all lines of one finished attempt and make sure that they are on disk.

        Raises:
            RunError: The disk is full or fails; the journal is cut back to what was whole.
        """
        kept = f"{len(self.finished)} finished conversations are kept; make room and run the same command again."
        self._file.append(lines, kept)
        self._note(conversation, failed)

    def _note(self, conversation: str, failed: int) -> None:
        self.finished[conversation] = self.finished.get(conversation, 0) + 1
        self.failed[conversation] = failed

    def _recover(self) -> None:
        whole = offset = 0
        with self.path.open("rb") as file:
            for line in file:
                offset += len(line)
                if not line.startswith(b'{"t":"end"') or not line.endswith(b"\n"):
                    continue
                row = json.loads(line)
                self._note(row["conversation"], row["failed"])
                whole = offset
        if whole < offset:
            self._file.cut(whole)
