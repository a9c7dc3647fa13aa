"""Memori (3.x) over SQLite, raw lane: every turn is a fact of its scope's entity, as it was said.

What Memori makes of a conversation is made by its makers' service, behind a key; here turns take the place of what
that would return. Facts have no metadata: which turn one is of is told by receipts alone. It tells facts apart by
their ASCII letters and digits, whatever their case, and keeps the first of those that are alike: two sentences
without any, such as two in Japanese, are one fact. Only the newest thousand of an entity are looked through, and
no call changes or removes one.
"""

from __future__ import annotations

import sqlite3
import weakref
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar

from memgauge.records import Change, Form, Hit, Memory, Operation, Receipt, ScoreKind
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.product_store import OnDisk, hashed, installed, product
from memgauge.systems.adapters.vectors import open_vectors
from memgauge.systems.locking import locked
from memgauge.systems.protocol import EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Ranking, Scope, Turn

_ENTITY = "SELECT id FROM memori_entity WHERE external_id = ?"
_FACT = "SELECT id FROM memori_entity_fact WHERE entity_id = ? AND uniq = ?"
_FACTS = "SELECT id, content FROM memori_entity_fact WHERE entity_id = ? ORDER BY id"


class Memori(OnDisk):
    """Keeps turns as Memori's facts, an entity a scope, recalled by its own blend of vectors and words."""

    name = "memori"
    pin: ClassVar[str] = "memori==3.3.6"
    promises = replace(
        OnDisk.promises, score_kind=ScoreKind.FUSED, event_time=EventTime.NONE, declares_sources=False
    )
    interventions = (
        "its native embedder is replaced, at the search and at the write",
        "turns are written as facts: what makes facts of them is a service behind a key",
        "the library's Python search, without its native engine",
    )

    def __init__(self, *, embedder: str = "hashed", path: str = "") -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Raises:
            MissingExtraError: Memori is not installed here.
        """
        self._lock = RLock()
        self.version = installed(self.name, self.pin)
        self._vectors = open_vectors(embedder)
        self._home = StoreFolders(self.name, path)
        self._open()

    def _open(self) -> None:
        """Open its database, and let what it asks for vectors be the embedder that is named here."""
        recall = product("memori.memory.recall")
        recall.embed_texts = lambda texts, **_: self._vectors.embed([texts] if isinstance(texts, str) else texts)
        self._connection = sqlite3.connect(self._home.root / "memori.db", check_same_thread=False)
        weakref.finalize(self, self._connection.close)
        self._memori = product("memori").Memori(conn=lambda: self._connection, use_rust_core=False)
        self._memori.config.storage.build()
        self._recall = recall.Recall(self._memori.config)

    def _shut(self) -> None:
        self._memori.close()
        self._connection.close()

    @property
    def _driver(self) -> Any:
        return self._memori.config.storage.driver

    def _selected(self, statement: str, *values: object) -> list[Any]:
        return list(self._memori.config.storage.adapter.execute(statement, values).mappings().fetchall())

    def _entity(self, scope: Scope) -> int | None:
        """Return the entity of a scope, and none where nothing was written: reading makes none."""
        rows = self._selected(_ENTITY, hashed(scope))
        return int(rows[0]["id"]) if rows else None

    def _facts(self, scope: Scope) -> list[Memory]:
        entity = self._entity(scope)
        rows = [] if entity is None else self._selected(_FACTS, entity)
        return [Memory(str(row["id"]), str(row["content"]), Form.UNKNOWN) for row in rows]

    @locked
    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Write every turn as a fact, and say which one it is."""
        entity = self._driver.entity.create(hashed(scope))
        changes = []
        for turn in turns:
            uniq = product("memori._utils").generate_uniq([turn.text])
            known = self._selected(_FACT, entity, uniq)
            self._driver.entity_fact.create(entity, [turn.text], self._vectors.embed([turn.text]))
            (row,) = known or self._selected(_FACT, entity, uniq)
            changes.append(Change(Operation.NOOP if known else Operation.ADD, str(row["id"])))
        return Receipt(tuple(changes))

    @locked
    def search(self, query: str, scope: Scope, k: int, as_of: Any = None) -> Ranking:
        """Recall, one caller at a time: all share one connection."""
        return super().search(query, scope, k, as_of)

    def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        entity = self._entity(scope)
        if entity is None:
            return []
        facts = self._recall.search_facts(query, limit=k, entity_id=entity)
        return [Hit(Memory(str(fact.id), fact.content, Form.UNKNOWN), float(fact.rank_score)) for fact in facts]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List every fact of the scope's entity, read from its table: the library lists none."""
        with self._lock:
            facts = self._facts(scope)
        yield from facts

    @locked
    def erase(self, scope: Scope) -> None:
        """Delete what is known of an entity, as Memori does it."""
        if self._entity(scope) is not None:
            self._recall.delete_entity_memories(hashed(scope))
