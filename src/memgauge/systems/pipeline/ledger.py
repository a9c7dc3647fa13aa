"""Everything on disk: every write is one transaction, and what was acknowledged survives the process.

Beside items stand the statements that facts are made of, and an audit of what happened to every item. What is
deleted leaves no text behind, only entries in the audit that say that it was.
"""

from __future__ import annotations

import sqlite3
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.records import Operation
from memgauge.systems.pipeline.tables import (
    COLUMNS,
    FORMAT,
    NAME,
    SAID,
    SCHEMA,
    item_of,
    key_of,
    row_of,
    said_of,
    said_row,
    scope_of,
    spell,
    text_of,
    time_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Scope
    from memgauge.systems.pipeline.items import PipelineItem
    from memgauge.systems.pipeline.timeline import TimedStatement

_ITEM = ", ".join(COLUMNS)
_SAID = ", ".join(SAID)
_DELETE = str(Operation.DELETE)


class FactLedger:
    """One SQLite file, or memory; scopes never meet in a query."""

    def __init__(self, path: Path | None) -> None:
        """Open or make the file.

        Raises:
            ConfigError: It cannot be used as one.
        """
        self.path = path
        try:
            self._db = sqlite3.connect(str(path or ":memory:"), isolation_level=None, check_same_thread=False)
            weakref.finalize(self, self._db.close)
            self._prepare()
        except (sqlite3.Error, ConfigError) as error:
            if hasattr(self, "_db"):
                self._db.close()
            if isinstance(error, ConfigError):
                raise
            raise ConfigError(f"{path} cannot be used as a memory: {error}.", "Choose another path.") from error

    def _prepare(self) -> None:
        ((name,), (written_as,), (tables,)) = (
            self._db.execute(query).fetchone()
            for query in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
        )
        if tables and name != NAME:
            raise ConfigError(f"{self.path} is a database, but no memory.", "Choose another path.")
        if tables and written_as != FORMAT:
            raise ConfigError(f"{self.path} has format {written_as}, and this version reads {FORMAT}.")
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "temp_store=MEMORY"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.executescript(
            f"BEGIN; PRAGMA application_id={NAME}; PRAGMA user_version={FORMAT}; {SCHEMA} COMMIT;"
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make everything inside one transaction: all of it is on disk afterwards, or nothing."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield

    def put(self, scope: Scope, item: PipelineItem, op: Operation) -> None:
        """Store *item* in place of one with its id."""
        changes = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[1:])
        self._run(
            f"INSERT INTO items (scope, {_ITEM}) VALUES (?{', ?' * len(COLUMNS)}) "  # noqa: S608 - names of columns, no values
            f"ON CONFLICT (scope, id) DO UPDATE SET {changes}",
            key_of(scope),
            *row_of(item),
        )
        self.log(scope, item.id, str(op), item.at, item.text)

    def remove(self, scope: Scope, ids: Iterable[str], at: datetime | None = None) -> list[str]:
        """Delete items and wipe their texts from the audit; return those that were there."""
        gone = []
        for name in dict.fromkeys(ids):
            if self._run("DELETE FROM items WHERE scope = ? AND id = ?", key_of(scope), name).rowcount:
                self._run("UPDATE audit SET text = NULL WHERE scope = ? AND id = ?", key_of(scope), name)
                self.log(scope, name, _DELETE, at, None)
                gone.append(name)
        return gone

    def say(self, scope: Scope, owner: str, timed: TimedStatement) -> None:
        """Note a statement; its ``row`` is given here."""
        columns = ", ".join(("scope", "owner", *SAID[1:]))
        query = f"INSERT INTO said ({columns}) VALUES (?, ?{', ?' * len(SAID[1:])})"  # noqa: S608 - names of columns
        self._run(query, key_of(scope), owner, *said_row(timed)[1:])

    def said(self, scope: Scope, owner: str, slot: str) -> list[TimedStatement]:
        """Return what was said of one slot, in the order in which it came."""
        query = f"SELECT {_SAID} FROM said WHERE scope = ? AND owner = ? AND slot = ? ORDER BY row"  # noqa: S608 - names of columns
        return [said_of(row) for row in self._run(query, key_of(scope), owner, slot)]

    def said_by(self, scope: Scope, turn: str) -> list[tuple[str, TimedStatement]]:
        """Return (owner, statement) of everything that one turn states."""
        query = f"SELECT owner, {_SAID} FROM said WHERE scope = ? AND turn = ? ORDER BY row"  # noqa: S608 - names of columns
        return [(text_of(row[0]), said_of(row[1:])) for row in self._run(query, key_of(scope), turn)]

    def unsay(self, rows: Iterable[int]) -> None:
        """Forget statements without a trace."""
        for row in rows:
            self._run("DELETE FROM said WHERE row = ?", row)

    def hush(self, row: int, mark: str) -> None:
        """Forget what a statement says, but not that there was something; *mark* is the id of what it ended."""
        query = "UPDATE said SET forgotten = 1, value = '', text = ?, expires = NULL WHERE row = ?"
        self._run(query, mark, row)

    def resay(self, rows: Iterable[int], value: str, text: str) -> None:
        """Give statements another value."""
        for row in rows:
            self._run("UPDATE said SET value = ?, text = ? WHERE row = ?", value, text, row)

    def erase(self, scope: Scope) -> None:
        """Delete a whole scope; the audit keeps that it was so, with ids alone, so that no turn is taken again."""
        key = key_of(scope)
        held = self._run("SELECT id FROM items WHERE scope = ?", key).fetchall()
        gone = "SELECT DISTINCT id FROM audit WHERE scope = ? AND op = ?"
        names = dict.fromkeys([*held, *self._run(gone, key, _DELETE).fetchall()])
        for table in ("items", "said", "audit"):
            self._run(f"DELETE FROM {table} WHERE scope = ?", key)  # noqa: S608 - one of three names
        for (name,) in names:
            self.log(scope, text_of(name), _DELETE, None, None)

    def wipe(self, scope: Scope) -> None:
        """Take out of the audit every text that no item has any longer."""
        self._run(
            "UPDATE audit SET text = NULL WHERE scope = ? AND text IS NOT NULL AND NOT EXISTS "
            "(SELECT 1 FROM items i WHERE i.scope = audit.scope AND i.id = audit.id AND i.text = audit.text)",
            key_of(scope),
        )

    def compact(self) -> None:
        """Bring what was deleted out of the log beside the file too; there is no reader that could hinder it."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def items(self, scope: Scope) -> list[PipelineItem]:
        """Return everything under *scope*, in the order in which it came."""
        query = f"SELECT {_ITEM} FROM items WHERE scope = ? ORDER BY row"  # noqa: S608 - names of columns
        return [item_of(row) for row in self._run(query, key_of(scope))]

    def facts(self, scope: Scope, owner: str, slot: str) -> list[PipelineItem]:
        """Return every version of one slot, in the order in which they came."""
        query = f"SELECT {_ITEM} FROM items WHERE scope = ? AND owner = ? AND slot = ? ORDER BY row"  # noqa: S608 - names of columns
        return [item_of(row) for row in self._run(query, key_of(scope), owner, slot)]

    def get(self, scope: Scope, name: str) -> PipelineItem | None:
        """Return one item."""
        row = self._run(f"SELECT {_ITEM} FROM items WHERE scope = ? AND id = ?", key_of(scope), name).fetchone()  # noqa: S608 - names of columns
        return item_of(row) if row else None

    def latest(self, scope: Scope) -> datetime | None:
        """Return the latest time of anything under *scope*."""
        (latest,) = self._run("SELECT max(at) FROM items WHERE scope = ?", key_of(scope)).fetchone()
        return time_of(latest)

    def expired(self, now: datetime) -> Iterator[tuple[Scope, str]]:
        """Yield (scope, id) of what nobody may be told from *now* on."""
        query = "SELECT scope, id FROM items WHERE expires <= ? ORDER BY row"
        return iter([(scope_of(key), text_of(name)) for key, name in self._run(query, now)])

    def history(self, scope: Scope, name: str) -> list[tuple[str, datetime | None, str | None]]:
        """Return (operation, time, text) of what happened to one item, oldest first."""
        query = "SELECT op, at, text FROM audit WHERE scope = ? AND id = ? ORDER BY row"
        return [(op, time_of(at), text_of(text)) for op, at, text in self._run(query, key_of(scope), name)]

    def clear(self) -> None:
        """Delete everything."""
        for table in ("items", "said", "audit"):
            self._run(f"DELETE FROM {table}")  # noqa: S608 - one of three names

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def log(self, scope: Scope, name: str, op: str, at: datetime | None, text: str | None) -> None:
        """Add to the audit."""
        self._run(
            "INSERT INTO audit (scope, id, op, at, text) VALUES (?, ?, ?, ?, ?)", key_of(scope), name, op, at, text
        )

    def _run(self, query: str, *values: Any) -> sqlite3.Cursor:
        return self._db.execute(query, tuple(map(spell, values)))
