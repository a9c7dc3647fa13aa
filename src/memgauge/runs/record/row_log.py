"""The rows of one attempt as lines of a journal, in memory or, where they are many, in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.long_values import LongBytes
from memgauge.runs.record.rows import failures
from memgauge.runs.record.spelling import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.runs.record.lineage import TracedVersion
    from memgauge.runs.record.rows import AttemptRows, Row

AT_ONCE: Final = 4 << 20
"""Bytes of lines that are written, sent and checked at a time."""
_TOGETHER: Final = 128
"""Rows that are spelt at a time."""
HELD: Final = 32 << 20
"""Bytes of lines up to which they stay in memory."""


class RowLog:
    """Takes rows one by one and keeps their lines; the last row is held back, so that others can go before it."""

    def __init__(self, held: int = HELD) -> None:
        """Hold so many bytes in memory."""
        self.failed = 0
        """Questions without a result, so far."""
        self._lines = JournalLines(held)
        self._rows: list[Row] = []
        """What is to be spelt together, the last row behind it."""
        self._waiting: list[bytes] = []
        self._size = 0

    def append(self, row: Row) -> None:
        """Take one row."""
        if len(self._rows) > _TOGETHER:
            self._spell(self._rows[:-1])
            del self._rows[:-1]
        self._rows.append(row)
        self.failed += failures([row])

    def extend(self, rows: Iterable[Row]) -> None:
        """Take rows."""
        for row in rows:
            self.append(row)

    def keep(self, versions: Iterable[TracedVersion], sheet: AttemptRows) -> None:
        """Take versions of memories, as *sheet* writes them."""
        self.extend(map(sheet.memory, versions))

    def before_end(self, rows: Iterable[Row]) -> None:
        """Put *rows* before the last one."""
        last = self._rows.pop()
        self.extend(rows)
        self._rows.append(last)

    def lines(self) -> JournalLines:
        """Return all lines; nothing is taken any more."""
        self._spell(self._rows)
        self._rows = []
        self._pass_on()
        return self._lines

    def _spell(self, rows: list[Row]) -> None:
        lines = encode(rows)
        self._waiting.append(lines)
        self._size += len(lines)
        if self._size >= AT_ONCE:
            self._pass_on()

    def _pass_on(self) -> None:
        if self._waiting:
            self._lines.append(b"".join(self._waiting))
        self._waiting, self._size = [], 0


class HeldRows(list["Row"]):
    """The same for rows that stay rows."""

    @property
    def failed(self) -> int:
        """Count the questions without a result, so far."""
        return failures(self)

    def keep(self, versions: Iterable[TracedVersion], sheet: AttemptRows) -> None:
        """Take versions of memories, as *sheet* writes them."""
        self.extend(map(sheet.memory, versions))

    def before_end(self, rows: Iterable[Row]) -> None:
        """Put *rows* before the last one."""
        self[-1:-1] = rows


class JournalLines:
    """Lines of a journal, by portions of whole lines."""

    def __init__(self, held: int = HELD) -> None:
        """Hold so many bytes in memory."""
        self.size = 0
        """Bytes of all lines."""
        self._held = held
        self._portions: list[bytes] | LongBytes = []

    @classmethod
    def of(cls, lines: bytes) -> JournalLines:
        """Take lines that are at hand."""
        made = cls(max(HELD, len(lines)))
        made.append(lines)
        return made

    def append(self, portion: bytes) -> None:
        """Take a portion of whole lines.

        Raises:
            OSError: There is no room.
        """
        self.size += len(portion)
        if isinstance(self._portions, list) and self.size > self._held:
            held, self._portions = self._portions, LongBytes()
            for each in held:
                self._portions.append(each)
        self._portions.append(portion)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._portions)

    def __len__(self) -> int:
        return len(self._portions)

    def __bytes__(self) -> bytes:
        return b"".join(self)

    def before_last(self, line: bytes) -> JournalLines:
        """Return the same with a line before the last one."""
        made, before = JournalLines(self._held), b""
        for number, portion in enumerate(self, 1):
            before = portion
            if number < len(self):
                made.append(portion)
        last = before.rfind(b"\n", 0, -1) + 1
        made.append(before[:last] + line + before[last:])
        return made
