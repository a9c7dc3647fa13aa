"""Turns and facts on disk: every write is one transaction, and what was acknowledged survives the process.

An item is a turn as it was said or a fact that turns state. A fact that is no longer true keeps its place with the
end of its validity; what is erased leaves no text behind, only an entry in the audit that says that it was.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.records import Form, Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.records import Scope

MEMORY = ":memory:"
_FORMAT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS items (
    row INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
    text TEXT NOT NULL, sources TEXT NOT NULL, at TEXT, valid_from TEXT, valid_to TEXT, covered INTEGER NOT NULL,
    subject TEXT, slot TEXT, value TEXT, functional INTEGER, UNIQUE (scope, id)
);
CREATE INDEX IF NOT EXISTS by_slot ON items (scope, subject, slot) WHERE slot IS NOT NULL;
CREATE TABLE IF NOT EXISTS audit (
    row INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, id TEXT NOT NULL, op TEXT NOT NULL, at TEXT,
    text TEXT
);
CREATE INDEX IF NOT EXISTS by_item ON audit (scope, id);
"""
_COLUMNS = (
    "id", "version", "text", "sources", "at", "valid_from", "valid_to", "covered", "subject", "slot", "value",
    "functional",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One row: a turn, or a fact where it has a slot."""

    id: str
    text: str
    sources: tuple[str, ...]
    at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    version: int = 1
    covered: bool = False
    """Whether facts say everything that it says, so that they are returned in its place."""
    subject: str | None = None
    slot: str | None = None
    value: str | None = None
    functional: bool = True

    def holds(self, at: datetime | None) -> bool:
        """Whether it is valid at a time; without one, whether nothing has ended it."""
        if at is None:
            return self.valid_to is None
        begun = self.valid_from is None or self.valid_from <= at
        return begun and (self.valid_to is None or at < self.valid_to)

    @property
    def memory(self) -> Memory:
        """Return it as it is dumped and returned."""
        form = Form.RAW if self.slot is None else Form.CANONICAL
        return Memory(
            self.id,
            self.text,
            form,
            self.sources,
            self.version,
            self.at,
            self.valid_from,
            self.valid_to,
        )


class Ledger:
    """One SQLite file, or memory; scopes never meet in a query."""

    def __init__(self, path: Path | None) -> None:
        """Open or make the file.

        Raises:
            ConfigError: It cannot be used as one.
        """
        self.path = path
        try:
            self._db = sqlite3.connect(str(path or MEMORY), isolation_level=None, check_same_thread=False)
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON"):
                self._db.execute(f"PRAGMA {pragma}")
            self._db.executescript(_SCHEMA)
            (found,) = self._db.execute("PRAGMA user_version").fetchone()
            self._db.execute(f"PRAGMA user_version={_FORMAT}")
        except sqlite3.Error as error:
            raise ConfigError(f"{path} cannot be used as a memory: {error}.", "Choose another path.") from error
        if found not in {0, _FORMAT}:
            raise ConfigError(f"{path} has format {found}, and this version reads {_FORMAT}.")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make everything inside one transaction: all of it is on disk afterwards, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def put(self, scope: Scope, item: Item, op: str) -> None:
        """Store *item* in place of one with its id."""
        values = (
            item.id,
            item.version,
            item.text,
            json.dumps(item.sources),
            _spell(item.at),
            _spell(item.valid_from),
            _spell(item.valid_to),
            item.covered,
            item.subject,
            item.slot,
            item.value,
            item.functional,
        )
        changes = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
        self._db.execute(
            f"INSERT INTO items (scope, {', '.join(_COLUMNS)}) VALUES (?{', ?' * len(_COLUMNS)}) "  # noqa: S608 - names of columns, no values
            f"ON CONFLICT (scope, id) DO UPDATE SET {changes}",
            (_key(scope), *values),
        )
        self._log(scope, item.id, op, item.at, item.text)

    def remove(self, scope: Scope, ids: Sequence[str], op: str, at: datetime | None = None) -> int:
        """Delete items and wipe their texts from the audit; return how many were there."""
        gone = 0
        for name in ids:
            found = self._db.execute("DELETE FROM items WHERE scope = ? AND id = ?", (_key(scope), name)).rowcount
            if found:
                gone += found
                self._db.execute("UPDATE audit SET text = NULL WHERE scope = ? AND id = ?", (_key(scope), name))
                self._log(scope, name, op, at, None)
        return gone

    def erase(self, scope: Scope) -> None:
        """Delete a whole scope, its audit included, but for one entry that says so."""
        with self.writing():
            for table in ("items", "audit"):
                self._db.execute(f"DELETE FROM {table} WHERE scope = ?", (_key(scope),))  # noqa: S608 - one of two names
            self._log(scope, "*", "erase", None, None)
        self.compact()

    def compact(self) -> None:
        """Bring what was deleted out of the log beside the file too."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def items(self, scope: Scope) -> list[Item]:
        """Return everything under *scope*, in the order in which it came."""
        query = f"SELECT {', '.join(_COLUMNS)} FROM items WHERE scope = ? ORDER BY row"  # noqa: S608 - names of columns
        return [_item(row) for row in self._db.execute(query, (_key(scope),))]

    def facts(self, scope: Scope, subject: str, slot: str) -> list[Item]:
        """Return every version of one slot, in the order in which they came."""
        query = (
            f"SELECT {', '.join(_COLUMNS)} FROM items "  # noqa: S608 - names of columns
            "WHERE scope = ? AND subject = ? AND slot = ? ORDER BY row"
        )
        return [_item(row) for row in self._db.execute(query, (_key(scope), subject, slot))]

    def get(self, scope: Scope, name: str) -> Item | None:
        """Return one item."""
        query = f"SELECT {', '.join(_COLUMNS)} FROM items WHERE scope = ? AND id = ?"  # noqa: S608 - names of columns
        row = self._db.execute(query, (_key(scope), name)).fetchone()
        return _item(row) if row else None

    def expired(self, now: datetime) -> list[tuple[str, str]]:
        """Return (scope key, id) of turns that ended before *now*; facts stay, as history."""
        query = "SELECT scope, id FROM items WHERE slot IS NULL AND valid_to IS NOT NULL AND valid_to <= ?"
        return list(self._db.execute(query, (_spell(now),)))

    def history(self, scope: Scope, name: str) -> list[tuple[str, datetime | None, str | None]]:
        """Return (operation, time, text) of what happened to one item, oldest first."""
        query = "SELECT op, at, text FROM audit WHERE scope = ? AND id = ? ORDER BY row"
        return [(op, _read(at), text) for op, at, text in self._db.execute(query, (_key(scope), name))]

    def clear(self) -> None:
        """Delete everything."""
        with self.writing():
            self._db.execute("DELETE FROM items")
            self._db.execute("DELETE FROM audit")
        self.compact()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _log(self, scope: Scope, name: str, op: str, at: datetime | None, text: str | None) -> None:
        self._db.execute(
            "INSERT INTO audit (scope, id, op, at, text) VALUES (?, ?, ?, ?, ?)",
            (_key(scope), name, op, _spell(at), text),
        )


def scope_of(key: str, kind: type[Scope]) -> Scope:
    """Return the scope that a key was made of."""
    return kind(*json.loads(key))


def _key(scope: Scope) -> str:
    # A list in JSON: no user can be spelled so as to become another user of another tenant.
    return json.dumps([scope.user, scope.tenant, scope.agent, scope.session])


def _item(row: Sequence[Any]) -> Item:
    found = dict(zip(_COLUMNS, row, strict=True))
    times = {name: _read(found[name]) for name in ("at", "valid_from", "valid_to")}
    flags = {name: bool(found[name]) for name in ("covered", "functional")}
    return Item(**{**found, **times, **flags, "sources": tuple(json.loads(found["sources"]))})


def _spell(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _read(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
