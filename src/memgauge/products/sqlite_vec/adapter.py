"""sqlite-vec, raw lane: rows in a table of SQLite, their vectors in a virtual one beside it.

sqlite-vec stores vectors and searches them; texts, ids and times lie in an ordinary table of the same file, as its
documentation has it. A scope is a partition, so that a search reads its own vectors alone.
"""

from __future__ import annotations

import sqlite3
from array import array
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memgauge.systems.adapters.product_store import OnDisk, product, spelled
from memgauge.systems.adapters.rows import RowStore, StoredTurn
from memgauge.systems.locking import locked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Scope

_FIELDS = "id, text, source, at, role"
_TURNS = f"CREATE TABLE IF NOT EXISTS turns (row INTEGER PRIMARY KEY, scope, {_FIELDS}, UNIQUE (scope, id))"
_MOST = 4096
"""What sqlite-vec returns at most."""


class SqliteVec(OnDisk, RowStore):
    """Keeps turns in SQLite and their vectors in sqlite-vec; scores are cosine similarities.

    One connection serves every thread, so every call has it alone.
    """

    name = "sqlite-vec"
    pin = "sqlite-vec==0.1.9"
    interventions = ("texts, ids and times lie in a table of the adapter, in the same file",)
    _db: Any

    @locked
    def _open(self) -> None:
        sqlite = sqlite3 if hasattr(sqlite3.Connection, "enable_load_extension") else product("pysqlite3")
        self._db = sqlite.connect(
            str(self._home.root / "memory.db"), check_same_thread=False, isolation_level=None
        )
        self._db.enable_load_extension(1)
        product("sqlite_vec").load(self._db)
        self._db.enable_load_extension(0)
        self._db.execute("PRAGMA secure_delete = ON")  # else what was deleted stays in free pages
        self._db.execute(_TURNS)
        column = f"v float[{self._vectors.dim}] distance_metric=cosine"
        self._db.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS vectors USING vec0"
            f"(row INTEGER PRIMARY KEY, scope TEXT PARTITION KEY, {column})"
        )

    @locked
    def _shut(self) -> None:
        self._db.close()

    @locked
    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        vectors = self._vectors.embed([row.text for row in rows])
        own = spelled(scope)
        with self._whole():
            self._remove([row.id for row in rows], own)
            for row, vector in zip(rows, vectors, strict=True):
                values = (own, row.id, row.text, row.source, row.at, row.role)
                number = self._db.execute(
                    f"INSERT INTO turns (scope, {_FIELDS}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608 - our own names
                    values,
                ).lastrowid
                self._db.execute("INSERT INTO vectors VALUES (?, ?, ?)", (number, own, _packed(vector)))

    @locked
    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        near = self._db.execute(
            "SELECT row, distance FROM vectors WHERE v MATCH ? AND k = ? AND scope = ? ORDER BY distance",
            (_packed(self._vectors.embed([query])[0]), min(k, _MOST), spelled(scope)),
        ).fetchall()
        return [(self._row_at(row), None if distance is None else 1 - distance) for row, distance in near]

    def _row_at(self, row: int) -> StoredTurn:
        query = f"SELECT {_FIELDS} FROM turns WHERE row = ?"  # noqa: S608 - our own names
        return StoredTurn(*self._db.execute(query, (row,)).fetchone())

    @locked
    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        if ids is None:
            query = f"SELECT {_FIELDS} FROM turns WHERE scope = ? ORDER BY row"  # noqa: S608 - our own names
            return [StoredTurn(*row) for row in self._db.execute(query, (spelled(scope),))]
        query = f"SELECT {_FIELDS} FROM turns WHERE scope = ? AND id = ?"  # noqa: S608 - our own names
        rows = (self._db.execute(query, (spelled(scope), name)).fetchone() for name in ids)
        return [StoredTurn(*row) for row in rows if row is not None]

    @locked
    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        with self._whole():
            self._remove(ids, spelled(scope))

    @locked
    def _erase(self, scope: Scope) -> None:
        """Delete the rows and the vectors of a scope."""
        with self._whole():
            for table in ("vectors", "turns"):
                self._db.execute(f"DELETE FROM {table} WHERE scope = ?", (spelled(scope),))  # noqa: S608 - our own names

    def _remove(self, ids: Sequence[str], own: str) -> None:
        for name in ids:
            known = self._db.execute("SELECT row FROM turns WHERE scope = ? AND id = ?", (own, name)).fetchone()
            if known is not None:
                for table in ("vectors", "turns"):
                    self._db.execute(f"DELETE FROM {table} WHERE row = ?", known)  # noqa: S608 - our own names

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Let what happens inside happen as one, or not at all."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield


def _packed(vector: Sequence[float]) -> bytes:
    return array("f", vector).tobytes()
