"""Qdrant in local mode, raw lane: a point a turn in one collection, scopes apart by a filter on the payload.

Local mode is the client's own store in Python over SQLite, with exact search; it is not Qdrant's server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

from memgauge.systems.adapters.product_store import OnDisk, product, spelled
from memgauge.systems.adapters.rows import RowStore, StoredTurn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope

COLLECTION = "memories"
PAGE = 10_000


class Qdrant(OnDisk, RowStore):
    """Keeps turns in Qdrant's local mode."""

    name = "qdrant"
    pin = "qdrant-client==1.20.0"
    interventions = (
        "local mode: the client's own store and exact search, not the server",
        "one collection, scopes by a filter on the payload; ids are made of scope and turn, since only UUIDs are",
    )
    _client: Any

    def _open(self) -> None:
        self._models = product("qdrant_client.models")
        made = product("qdrant_client").QdrantClient
        self._client = made(path=str(self._home.root), force_disable_check_same_thread=True)
        if not self._client.collection_exists(COLLECTION):
            cosine = self._models.Distance.COSINE
            size = self._models.VectorParams(size=self._vectors.dim, distance=cosine)
            self._client.create_collection(COLLECTION, vectors_config=size)

    def _shut(self) -> None:
        self._client.close()  # the folder is locked by whoever has it open

    def row_id(self, turn: str, scope: Scope) -> str:
        """Make the UUID of a turn."""
        return str(uuid5(NAMESPACE_URL, f"memgauge:{spelled(scope)}:{turn}"))

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        vectors = self._vectors.embed([row.text for row in rows])
        points = [
            self._models.PointStruct(
                id=row.id, vector=vector, payload={"scope": spelled(scope), "text": row.text, **row.metadata}
            )
            for row, vector in zip(rows, vectors, strict=True)
        ]
        self._client.upsert(COLLECTION, points)

    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        answer = self._client.query_points(
            COLLECTION, query=self._vectors.embed([query])[0], query_filter=self._own(scope), limit=k
        )
        return [(_row(point), float(point.score)) for point in answer.points]

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        rows: list[StoredTurn] = []
        place = None
        while ids != []:
            points, place = self._client.scroll(
                COLLECTION, scroll_filter=self._own(scope, ids), limit=PAGE, offset=place
            )
            rows += map(_row, points)
            if place is None:
                break
        return rows

    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        self._delete(self._own(scope, ids))

    def _erase(self, scope: Scope) -> None:
        """Delete the points of a scope."""
        self._delete(self._own(scope))

    def _delete(self, which: Any) -> None:
        self._client.delete(COLLECTION, points_selector=self._models.FilterSelector(filter=which))

    def _own(self, scope: Scope, ids: Sequence[str] | None = None) -> Any:
        models = self._models
        must = [models.FieldCondition(key="scope", match=models.MatchValue(value=spelled(scope)))]
        if ids is not None:
            must.append(models.HasIdCondition(has_id=[name for name in ids if _is_id(name)]))
        return models.Filter(must=must)


def _is_id(text: str) -> bool:
    """Whether Qdrant takes *text* for an id at all."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _row(point: Any) -> StoredTurn:
    return StoredTurn.beside(str(point.id), point.payload["text"], point.payload)
