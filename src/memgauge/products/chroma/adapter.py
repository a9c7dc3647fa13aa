"""Chroma, raw lane: one document a turn, a collection a scope, in Chroma's own folder."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.records import Scope, ScoreKind
from memgauge.systems.adapters.product_store import OnDisk, hashed, product
from memgauge.systems.adapters.rows import RowStore, StoredTurn

if TYPE_CHECKING:
    from collections.abc import Sequence


class Chroma(OnDisk, RowStore):
    """Keeps turns in Chroma, searched by its approximate index; scores are cosine distances, less is better."""

    name = "chroma"
    pin = "chromadb==1.5.9"
    promises = replace(RowStore.promises, score_kind=ScoreKind.DISTANCE)
    interventions = ("a collection a scope, named by a hash", "telemetry off")
    _client: Any

    def _open(self) -> None:
        os.environ["ANONYMIZED_TELEMETRY"] = "False"  # read when chromadb is imported
        chroma = product("chromadb")
        settings = product("chromadb.config").Settings(anonymized_telemetry=False)
        self._client = chroma.PersistentClient(path=str(self._home.root), settings=settings)
        self._collections: dict[Scope, Any] = {}

    def _shut(self) -> None:
        self._collections.clear()
        self._client.close()  # Chroma shares one system a folder in a process

    def _collection(self, scope: Scope) -> Any | None:
        """Return the collection of a scope, and none where nothing was written: reading makes no collection."""
        if scope not in self._collections:
            if hashed(scope) not in {listed.name for listed in self._client.list_collections()}:
                return None
            self._collections[scope] = self._client.get_collection(hashed(scope), embedding_function=None)
        return self._collections[scope]

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        collection = self._collection(scope)
        if collection is None:
            collection = self._collections[scope] = self._client.create_collection(
                hashed(scope), configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
            )
        collection.upsert(
            ids=[row.id for row in rows],
            documents=[row.text for row in rows],
            embeddings=self._vectors.embed([row.text for row in rows]),
            metadatas=[row.metadata for row in rows],
        )

    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        collection = self._collection(scope)
        if collection is None:
            return []
        answer = collection.query(
            query_embeddings=self._vectors.embed([query]),
            n_results=k,
            include=["documents", "metadatas", "distances"],
        )
        columns = (answer[name][0] for name in ("ids", "documents", "metadatas", "distances"))
        return [(_row(*values), score) for *values, score in zip(*columns, strict=True)]

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        collection = self._collection(scope)
        if collection is None or ids == []:
            return []
        answer = collection.get(ids=ids, include=["documents", "metadatas"])
        columns = (answer[name] for name in ("ids", "documents", "metadatas"))
        return [_row(*values) for values in zip(*columns, strict=True)]

    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        collection = self._collection(scope)
        if collection is not None:
            collection.delete(ids=list(ids))

    def _erase(self, scope: Scope) -> None:
        """Delete the collection."""
        if self._collection(scope) is not None:
            self._client.delete_collection(hashed(scope))
            del self._collections[scope]


def _row(name: str, text: str | None, metadata: dict[str, Any] | None) -> StoredTurn:
    return StoredTurn.beside(name, text or "", metadata)
