"""Memories of one scope in a file, as :class:`memgauge.systems.policies.store.Shelf` holds them in memory.

The file lives as long as the instance that made it, so nothing is written twice to be safe from a crash.
"""

from __future__ import annotations

import json
import sqlite3
import weakref
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memgauge.errors import DataError
from memgauge.records import Change, Form, Memory, Operation
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_SETTINGS: Final = (
    "PRAGMA journal_mode=OFF",
    "PRAGMA synchronous=OFF",
    "PRAGMA cache_size=-16384",  # KiB
    """CREATE TABLE memories (
        place INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, text BLOB NOT NULL, form TEXT NOT NULL,
        sources TEXT NOT NULL, version INTEGER NOT NULL, event_at TEXT, valid_to TEXT
    )""",
    "CREATE INDEX ends ON memories (valid_to) WHERE valid_to IS NOT NULL",
    "BEGIN",  # and no end: pages go to the file when there is no room for them
)
_ADD: Final = "INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_CHANGE: Final = (
    "UPDATE memories SET text = ?, form = ?, sources = ?, version = ?, event_at = ?, valid_to = ? WHERE id = ?"
)
_DROP: Final = "DELETE FROM memories WHERE id = ?"
_BY_ID: Final = "SELECT id, text, form, sources, version, event_at, valid_to FROM memories WHERE id = ?"
_BY_PLACE: Final = "SELECT id, text, form, sources, version, event_at, valid_to FROM memories WHERE place = ?"
_FROM: Final = (
    "SELECT id, text, form, sources, version, event_at, valid_to, place FROM memories "
    "WHERE place > ? ORDER BY place LIMIT 512"
)
_ENDED: Final = "SELECT id FROM memories WHERE valid_to IS NOT NULL AND valid_to <= ?"
_HOLES: Final = "SELECT place FROM memories ORDER BY place"
_MOVE: Final = "UPDATE memories SET place = ? WHERE place = ?"


class Archive:
    """Memories in the order in which they came, each under its own id."""

    def __init__(self, path: Path) -> None:
        """Begin an empty one.

        Raises:
            DataError: It cannot be written.
        """
        self._path = path
        self.revision = 0
        """Grows with every change that is not an addition at the end."""
        self._next = self._count = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            # Systems are called on a thread of the harness, and closed on another.
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            weakref.finalize(self, self._db.close)
            for setting in _SETTINGS:
                self._db.execute(setting)
        except (OSError, sqlite3.Error) as error:
            raise DataError(f"Cannot keep memories in {path}: {error}.", "Choose another folder.") from error

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def put(self, memory: Memory) -> Change:
        """Store *memory*; one that is already there keeps its place and gets a new version if its text changed.

        Raises:
            DataError: There is no room.
        """
        old = self.get(memory.id)
        if old is None:
            self._run(_ADD, (self._next, *_row(memory)))
            self._next += 1
            self._count += 1
            return Change(Operation.ADD, memory.id)
        if (old.text, old.valid_to) == (memory.text, memory.valid_to):
            return Change(Operation.NOOP, memory.id)
        self.revision += 1
        name, text, form, sources, _, event_at, valid_to = _row(memory)
        self._run(_CHANGE, (text, form, sources, old.version + 1, event_at, valid_to, name))
        return Change(Operation.UPDATE, memory.id)

    def get(self, memory: str) -> Memory | None:
        """Return one memory."""
        row = self._run(_BY_ID, (_spelled(memory),)).fetchone()
        return _memory(row) if row else None

    def remove(self, memory: str) -> bool:
        """Forget one memory; say whether it was there."""
        gone = self._run(_DROP, (_spelled(memory),)).rowcount
        self.revision += gone
        self._count -= gone
        return gone > 0

    def at(self, place: int) -> Memory:
        """Return the memory at a place, as places were when :meth:`close_ranks` was last called."""
        return _memory(self._run(_BY_PLACE, (place,)).fetchone())

    def after(self, count: int) -> Iterator[Memory]:
        """Yield the memories from a place on, in their order; those that come meanwhile too."""
        last = count - 1
        while rows := self._run(_FROM, (last,)).fetchall():
            last = rows[-1][-1]
            yield from (_memory(row[:-1]) for row in rows)

    def ended(self, as_of: datetime | None) -> Sequence[str]:
        """Name the memories that have ended by *as_of*; without a time none have."""
        if as_of is None:
            return ()
        return [_read(row[0]) for row in self._run(_ENDED, (_moment(as_of),)).fetchall()]

    def close_ranks(self) -> None:
        """Number the memories from 0 on without gaps."""
        if self._count == self._next:
            return
        reading = self._db.cursor().execute(_HOLES)
        for place, (old,) in enumerate(reading):
            if place != old:
                self._run(_MOVE, (place, old))
        self._next = self._count

    def _run(self, statement: str, values: Sequence[object]) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, tuple(values))
        except sqlite3.Error as error:
            full = getattr(error, "sqlite_errorname", "").startswith(("SQLITE_FULL", "SQLITE_IOERR"))
            remedy = "Make room, or see whether the disk is sound." if full else "Name another folder."
            raise DataError(f"Cannot keep memories in {self._path}: {error}.", remedy) from error


def _row(memory: Memory) -> tuple[object, ...]:
    """Write a memory; half a surrogate pair, which no text of SQLite can hold, is kept."""
    return (
        _spelled(memory.id),
        _spelled(memory.text),
        memory.form.value,
        json.dumps(memory.sources),
        memory.version,
        _moment(memory.event_at),
        _moment(memory.valid_to),
    )


def _memory(row: Sequence[str | bytes | int | None]) -> Memory:
    name, text, form, sources, version, event_at, valid_to = row
    return Memory(
        _read(name),
        _read(text),
        Form(str(form)),
        tuple(json_of(str(sources))),
        int(version or 1),
        event_at=_time(event_at),
        valid_to=_time(valid_to),
    )


def _spelled(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _read(raw: object) -> str:
    assert isinstance(raw, bytes)  # noqa: S101 - every text is written as bytes
    return raw.decode("utf-8", "surrogatepass")


def _moment(at: datetime | None) -> str | None:
    """Write a time so that texts are ordered as times are."""
    return None if at is None else at.isoformat(timespec="microseconds")


def _time(written: object) -> datetime | None:
    return None if written is None else datetime.fromisoformat(str(written))
