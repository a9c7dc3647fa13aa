"""The store of LangGraph, raw lane: one item a turn under a namespace a scope, found by its vector index.

``InMemoryStore`` keeps nothing beyond its process. ``SqliteStore`` has a time to live: an item that has ended is
returned until somebody sweeps. Items carry the text, the turn and its time as their value, so that the source of
each is the product's own record.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memgauge.errors import ConfigError
from memgauge.records import Change, Operation, Receipt, Scope, Turn
from memgauge.systems.adapters.product_store import EVERYTHING, OnDisk, product
from memgauge.systems.adapters.rows import RowStore, StoredTurn
from memgauge.systems.locking import locked

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = "memgauge"
INDEXED = ["text"]
END = "end"
"""Where an item says when it ends."""
_ESCAPED = "scopes are namespaces of four percent-encoded labels, since a label holds no dot and is not empty"


def langgraph(*, store: str = "sqlite", embedder: str = "hashed", path: str = "") -> LangGraphStore:
    """Open LangGraph's store: ``store=sqlite`` (a file, expiry) or ``store=memory``.

    Raises:
        ConfigError: No such store, or a path for one that keeps nothing.
        MissingExtraError: LangGraph is not installed here.
    """
    if store == "sqlite":
        return LangGraphSqlite(embedder=embedder, path=path)
    if store != "memory":
        raise ConfigError(f"LangGraph has no store {store!r} here.", "Take sqlite or memory.")
    if path:
        raise ConfigError("LangGraph's InMemoryStore keeps nothing at a path.", "Take store=sqlite, or no path.")
    return LangGraphMemory(embedder=embedder)


class LangGraphStore(RowStore):
    """What both stores of LangGraph have: items under namespaces."""

    name = "langgraph"
    pin = "langgraph==1.2.22"
    interventions: tuple[str, ...] = (_ESCAPED,)
    _store: Any

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        self._store.batch([self._item(row, scope) for row in rows])

    def _item(self, row: StoredTurn, scope: Scope) -> Any:
        """Say how a row is put."""
        put = product("langgraph.store.base").PutOp
        return put(namespace(scope), row.id, {"text": row.text, **row.metadata}, index=INDEXED)

    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        # Without a query the store lists its newest items, unscored.
        items = self._store.search(namespace(scope), query=query, limit=k)
        return [(self._shown(item), item.score) for item in items]

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        if ids is None:
            return list(map(self._shown, self._store.search(namespace(scope), limit=EVERYTHING)))
        items = (self._store.get(namespace(scope), name) for name in ids)
        return [self._shown(item) for item in items if item is not None]

    def _shown(self, item: Any) -> StoredTurn:
        return StoredTurn.beside(item.key, item.value["text"], item.value)

    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        for name in ids:
            self._store.delete(namespace(scope), name)

    def _erase(self, scope: Scope) -> None:
        """Delete every item of a namespace: the store cannot drop one at once."""
        self._drop([row.id for row in self._rows(scope)], scope)

    def _index(self) -> dict[str, Any]:
        os.environ.setdefault("LANGSMITH_TRACING", "false")
        return {"dims": self._vectors.dim, "embed": self._vectors.embed, "fields": INDEXED}


class LangGraphMemory(LangGraphStore):
    """Keeps turns in LangGraph's InMemoryStore."""

    def _open(self) -> None:
        self._store = product("langgraph.store.memory").InMemoryStore(index=self._index())


class LangGraphSqlite(OnDisk, LangGraphStore):
    """Keeps turns in LangGraph's SqliteStore, whose time to live is the end that a turn is given."""

    _connection: Any
    _now: datetime | None = None

    def _open(self) -> None:
        sqlite, self.interventions = _sqlite()
        self._connection = sqlite.connect(
            str(self._home.root / "store.db"), check_same_thread=False, isolation_level=None
        )
        self._connection.execute(f"PRAGMA secure_delete = {_overwriting()}")
        self._connection.create_function("current_timestamp", 0, self._clock)
        store = product("langgraph.store.sqlite").SqliteStore
        self._store = store(self._connection, index=self._index(), ttl={"refresh_on_read": False})
        self._store.setup()

    def _shut(self) -> None:
        self._connection.close()

    def _clock(self) -> str:
        return f"{self._now or datetime.now(UTC):%Y-%m-%d %H:%M:%S}"

    @locked
    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Put one item with a time to live that ends at *expires_at*, which may lie behind us."""
        row = self._row(turn, scope)
        op = Operation.UPDATE if self._rows(scope, [row.id]) else Operation.ADD
        self._store.batch([_ending(self._item(row, scope), expires_at)])
        return Receipt((Change(op, row.id),))

    def _item(self, row: StoredTurn, scope: Scope) -> Any:
        """Say how a row is put: with the end that it has, which an item that is put without one would lose."""
        item = super()._item(row, scope)
        known = self._store.get(namespace(scope), row.id)
        end = known.value.get(END) if known is not None else None
        return item if end is None else _ending(item, datetime.fromisoformat(end))

    @locked
    def sweep(self, now: datetime) -> None:
        """Let the store sweep as if it were *now*."""
        self._now = now
        try:
            self._store.sweep_ttl()
        finally:
            self._now = None


def _ending(item: Any, expires_at: datetime) -> Any:
    """Give an item a time to live, and keep the end in it: the store tells nobody."""
    left = expires_at.replace(tzinfo=UTC) - datetime.now(UTC)
    return item._replace(value={**item.value, END: expires_at.isoformat()}, ttl=left.total_seconds() / 60)


def _overwriting() -> int:
    """Say whether this Python's SQLite overwrites what is deleted, as one in its place has to then."""
    with closing(sqlite3.connect(":memory:")) as own:
        return int(own.execute("PRAGMA secure_delete").fetchone()[0])


def _sqlite() -> tuple[Any, tuple[str, ...]]:
    """Return an SQLite that loads extensions, and what the adapter changes."""
    fields = "names the field to embed at each put: the store ignores `fields` and embeds the whole value as JSON"
    clock = "sweeps by the harness's clock (SQL's current_timestamp); a read does not prolong a life"
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3, (_ESCAPED, fields, clock)
    loaded = "SQLite of pysqlite3, since this Python's loads no extensions; it deletes as this Python's does"
    return product("pysqlite3"), (_ESCAPED, fields, clock, loaded)


def namespace(scope: Scope) -> tuple[str, ...]:
    """Spell a scope as a namespace; all are equally deep, since a search reads everything below its own."""
    labels = (scope.tenant, scope.user, scope.agent, scope.session)
    return (ROOT, *("none" if label is None else "=" + _label(label) for label in labels))


def _label(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass").replace(".", "%2E")
