"""MemPalace, raw lane: a drawer a turn, in one palace, a wing a scope, searched by its vectors and its words.

Nothing is mined: a miner cuts files into drawers, and here a turn is a drawer already. Its closets,
pointers that a miner makes of the files it reads, are therefore empty and raise nothing. Its search folds drawers
with the same 100 letters or more into one, so that of turns with one long text the best alone returns.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memgauge.records import ScoreKind
from memgauge.systems.adapters.product_store import OnDisk, hashed, product
from memgauge.systems.adapters.rows import RowStore, StoredTurn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope
    from memgauge.systems.adapters.vectors import TextVectors

ROOM = "turns"


class MemPalace(OnDisk, RowStore):
    """Keeps turns as drawers of a palace, which orders them by vectors and words together."""

    name = "mempalace"
    pin = "mempalace==3.11.0"
    promises = replace(RowStore.promises, score_kind=ScoreKind.NONE)
    interventions = (
        "its embedding function is replaced; the palace's files call it minilm all the same",
        "one palace, a wing a scope; a turn is a drawer, nothing is mined and no closet made",
        "ids of drawers are made from the turns",
    )

    def _open(self) -> None:
        """Open the palace, and let what it asks for vectors be the embedder that is named here."""
        embedding = product("mempalace.embedding")
        embedding.get_embedding_function = lambda *_, **__: PalaceVectors(self._vectors)
        self._palace = str(self._home.root)
        self._drawers: Any = product("mempalace.palace").get_collection(self._palace)

    def _shut(self) -> None:
        backends = product("mempalace.backends")
        backends.get_backend("chroma").close_palace(backends.PalaceRef(id=self._palace, local_path=self._palace))

    def row_id(self, turn: str, scope: Scope) -> str:
        """Make the id of a drawer, which all wings share, of the scope and the turn."""
        return f"drawer_{hashed(scope)}_{sha256(turn.encode('utf-8', 'replace')).hexdigest()[:24]}"

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        self._drawers.upsert(
            ids=[row.id for row in rows],
            documents=[row.text for row in rows],
            metadatas=[_filed(row, scope) for row in rows],
        )

    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        answer = product("mempalace.searcher").search_memories(
            query, self._palace, wing=hashed(scope), n_results=k
        )
        known = {row.id: row for row in self._rows(scope, [hit["drawer_id"] for hit in answer["results"]])}
        return [(replace(known[hit["drawer_id"]], text=hit["text"]), None) for hit in answer["results"]]

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        if ids is not None and not ids:
            return []
        chosen = {} if ids is None else {"ids": list(ids)}
        listed = self._drawers.get(**chosen, where={"wing": hashed(scope)}, include=["documents", "metadatas"])
        columns = (listed.ids, listed.documents, listed.metadatas)
        return [StoredTurn.beside(*values) for values in zip(*columns, strict=True)]

    def _drop(self, ids: Sequence[str], scope: Scope) -> None:  # noqa: ARG002 - ids are made of scopes
        self._drawers.delete(ids=list(ids))

    def _erase(self, scope: Scope) -> None:
        """Delete the drawers of a wing."""
        self._drawers.delete(where={"wing": hashed(scope)})


class PalaceVectors:
    """What Chroma and MemPalace ask for vectors, over the embedder that is named here."""

    def __init__(self, vectors: TextVectors) -> None:
        self._embed = vectors.embed

    @staticmethod
    def name() -> str:
        """Return the name that every embedding function of MemPalace has."""
        return "default"

    def is_legacy(self) -> bool:
        """Say that nothing of it is written beside a collection."""
        return True

    def default_space(self) -> str:
        """Return the distance of its vectors."""
        return "cosine"

    def supported_spaces(self) -> list[str]:
        """Return the distances that fit."""
        return ["cosine"]

    def get_config(self) -> dict[str, Any]:
        """Return what it would be made from again."""
        return {}

    def __call__(self, input: Sequence[str]) -> list[list[float]]:  # noqa: A002 - Chroma's name
        """Embed texts."""
        return self._embed(list(input))

    embed_query = embed_documents = __call__


def _filed(row: StoredTurn, scope: Scope) -> dict[str, Any]:
    """Return what MemPalace keeps beside a drawer, and what tells its turn."""
    filed = {"wing": hashed(scope), "room": ROOM, "source_file": row.id, "chunk_index": 0, "added_by": "memgauge"}
    return filed | {"filed_at": row.at, "authored_at": row.at} | row.metadata
