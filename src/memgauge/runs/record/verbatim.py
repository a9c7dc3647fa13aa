"""Rows that say of a turn what any memory says that keeps turns as they were heard: told by numbers of turns.

Whoever plays and whoever writes the journal have the same turns in the same order. So what is the same for each of
them travels in columns, as rows ``wrote`` and ``copied``, and lines are made of these where they are written down.
A row of which any field is another one travels as it is.
"""

from __future__ import annotations

import hashlib
import math
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard

from memgauge.records import Form, Lineage, Outcome
from memgauge.runs.record.row_log import HELD, RowLog
from memgauge.runs.record.spelling import quoted, quoted_bytes, utf8
from memgauge.streams import Write
from memgauge.text.heard import SPELLINGS, beginnings, spelled_as

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Turn
    from memgauge.runs.record.lineage import TracedVersion
    from memgauge.runs.record.row_log import JournalLines
    from memgauge.runs.record.rows import AttemptRows, Row
    from memgauge.streams import Event

_RUN: Final = 512
"""Rows that are told together at most."""
_WROTE, _COPIED = "wrote", "copied"
TOLD: Final = frozenset({_WROTE, _COPIED})
"""Tables of rows that stand for others."""
_WRITE_FIELDS: Final = 8


class _HeardTurn(NamedTuple):
    """The number of a turn, and what its memory may be told by."""

    number: int
    text: str
    speaker: str
    at: datetime | None


_UNKNOWN: Final = _HeardTurn(-1, "", "", None)


def turns_of(stream: Iterable[Event]) -> list[Turn]:
    """Return the turns that a stream writes; a turn's number is its place among them."""
    return list(chain.from_iterable(event.turns for event in stream if isinstance(event, Write)))


class VerbatimLog(RowLog):
    """Takes the rows of one attempt, and tells those by numbers that follow from turns."""

    def __init__(self, turns: Iterable[Turn], held: int = HELD) -> None:
        """Know the turns of what is played."""
        super().__init__(held)
        # What turns said before a memory was handed them: code of others could change them in place.
        self._turns = {
            turn.id: _HeardTurn(number, turn.text, turn.speaker, turn.at) for number, turn in enumerate(turns)
        }
        self._last = -1
        """The number of the last turn that was told to be written."""
        self._copied: set[int] = set()
        self._run: Row = {}
        self._column: list[Any] = []
        """What grows of the run."""
        self._next: tuple[object, ...] = ()
        """What the next row must be to belong to the run."""

    def append(self, row: Row) -> None:
        """Take one row."""
        if row["t"] == "write" and len(row) == _WRITE_FIELDS and self._writes(row):
            return
        self._end_run()
        super().append(row)

    def keep(self, versions: Iterable[TracedVersion], sheet: AttemptRows) -> None:
        """Take versions of memories."""
        for version in versions:
            if not self._copies(version):
                self.append(sheet.memory(version))

    def lines(self) -> JournalLines:
        """Return all lines; nothing is taken any more."""
        self._end_run()
        return super().lines()

    def _writes(self, row: Row) -> bool:
        """Whether a write is of one turn, is the next, and added a memory of the turn's own name, and no more."""
        _, _, _, names, outcome, reason, ms, changed = row.values()
        number = self._turns.get(names[0], _UNKNOWN).number
        if names != changed or len(names) != 1 or number <= self._last or outcome != Outcome.OK or reason:
            return False
        self._last = number
        if self._next != (_WROTE, number) or len(self._column) >= _RUN:
            column: list[Any] = []
            self._begin({"t": _WROTE, "first": number, "ms": column}, column)
        self._column.append(ms)
        self._next = _WROTE, number + 1
        return True

    def _copies(self, version: TracedVersion) -> bool:
        """Whether a memory is a turn to the letter, known from its receipt, and nothing else is said of it."""
        memory = version.memory
        turn = self._turns.get(memory.id, _UNKNOWN)
        number = turn.number
        if turn is _UNKNOWN or number in self._copied or version.sources != (memory.id,) or version.version != 1:
            return False
        if version.lineage is not Lineage.EXACT or version.form is not Form.RAW or memory.event_at is not turn.at:
            return False
        if memory.valid_from or memory.valid_to or memory.stored_at or memory.channel:
            return False
        spelling = spelled_as(memory.text, turn.text, turn.speaker, turn.at)
        if spelling is None:
            return False
        self._copied.add(number)
        if self._next != (_COPIED, version.row, spelling) or len(self._column) >= _RUN:
            column: list[Any] = []
            self._begin({"t": _COPIED, "row": version.row, "spelling": spelling, "turns": column}, column)
        self._column.append(number)
        self._next = _COPIED, version.row + 1, spelling
        return True

    def _begin(self, run: Row, column: list[Any]) -> None:
        self._end_run()
        self._run, self._column = run, column

    def _end_run(self) -> None:
        if self._run:
            run, self._run, self._next = self._run, {}, ()
            super().append(run)


class VerbatimLines:
    """Makes the lines that are told by numbers: each turn written once at most, in order, and copied once."""

    def __init__(self, turns: Sequence[Turn], conversation: str, attempt: int) -> None:
        """Know the turns of what is played."""
        self._turns = turns
        self._about = f'"conversation":{quoted(conversation)},"attempt":{attempt}'
        self._last = -1
        self._copied: set[int] = set()

    def of(self, row: Row) -> bytes:
        """Return the lines that *row* stands for.

        Raises:
            ValueError: It stands for none.
        """
        if row["t"] == _WROTE:
            first, clocks = row.get("first"), row.get("ms")
            if type(first) is int and type(clocks) is list and all(map(_is_clock, clocks)):
                return self._writes(first, clocks)
        else:
            start, spelling, numbers = row.get("row"), row.get("spelling"), row.get("turns")
            if _is_place(start) and _is_place(spelling) and type(numbers) is list and all(map(_is_place, numbers)):
                return self._copies(start, spelling, numbers)
        raise ValueError("a row that stands for none")

    def _writes(self, first: int, clocks: list[float]) -> bytes:
        turns = self._turns[first : first + len(clocks)]
        if first <= self._last or len(turns) < len(clocks):
            raise ValueError("writes that nobody made")
        self._last = first + len(clocks) - 1
        begin, lines = f'{{"t":"write",{self._about},"turns":[', list[str]()
        for turn, ms in zip(turns, clocks, strict=True):
            name = quoted(turn.id)
            lines.append(f'{begin}{name}],"outcome":"ok","reason":"","ms":{ms!r},"changed":[{name}]}}\n')
        return utf8("".join(lines))

    def _copies(self, start: int, spelling: int, numbers: list[int]) -> bytes:
        distinct = set(numbers)
        if len(distinct) < len(numbers) or not self._copied.isdisjoint(distinct) or spelling >= SPELLINGS:
            raise ValueError("copies that nobody made")
        if max(distinct, default=0) >= len(self._turns):
            raise ValueError("copies that nobody made")
        self._copied |= distinct
        begin, pieces = f'{{"t":"memory",{self._about},"row":', list[bytes]()
        for place, number in enumerate(numbers, start):
            turn = self._turns[number]
            text = utf8(beginnings(turn.speaker, turn.at)[spelling] + turn.text)
            name, at = quoted(turn.id), f'"{turn.at.isoformat()}"' if turn.at else "null"
            pieces += (
                utf8(f'{begin}{place},"memory":{name},"version":1,"text":'),
                quoted_bytes(text),
                utf8(
                    f',"sha256":"{hashlib.sha256(text).hexdigest()}","form":"raw","sources":[{name}],'
                    f'"lineage":"exact","event_at":{at},"valid_from":null,"valid_to":null,"stored_at":null,'
                    '"channel":""}\n'
                ),
            )
        return b"".join(pieces)


def _is_place(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0


def _is_clock(value: object) -> bool:
    return type(value) is float and math.isfinite(value)
