"""claude-mem's worker, raw lane: a turn is a memory that is saved as it was said, in a project a scope.

Its observations, which a model makes of what an agent does, are not driven. Its search takes the whole query for
one phrase, and so finds nothing for a question: as an agent does, it is asked for one word after the other.
"""

from __future__ import annotations

import atexit
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memgauge.products.claude_mem.worker import BunWorker
from memgauge.records import Hit, ScoreKind
from memgauge.systems.adapters.product_store import OnDisk, hashed
from memgauge.systems.adapters.rows import RowStore, StoredTurn, memory_of
from memgauge.systems.adapters.words import BY_WORDS, ranked_by_words
from memgauge.systems.mcp.hosting import npm_version
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope
    from memgauge.systems.protocol import Capabilities

MOST = 1_000_000
"""More than a project holds: the search takes any limit."""


class ClaudeMem(OnDisk, RowStore):
    """Keeps turns as memories that are saved by hand."""

    name = "claude-mem"
    pin = "claude-mem@13.25.3"
    promises = replace(RowStore.promises, score_kind=ScoreKind.NONE)
    interventions = (
        "a worker a store, at a port of this machine; a project a scope",
        BY_WORDS,
        "a memory's title is a hash of its turn: without one, a second turn of the same words is the first",
        "a changed memory is deleted and saved anew; erasing deletes every memory of a project",
        "Chroma, transcripts, cloud and telemetry off: found by its index of words",
    )

    def __init__(self, *, path: str = "") -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Raises:
            MissingExtraError: claude-mem or its Bun is not installed here.
            CallFailed: Its worker does not start.
        """
        super().__init__(path=path)

    def capabilities(self) -> Capabilities:
        """Declare what it does: neither vectors nor a model stand behind it."""
        return replace(self.promises, interventions=self.interventions)

    def _installed(self) -> str:
        return npm_version("claude-mem", "bun", "claude-mem")

    def _another(self, embedder: str) -> ClaudeMem:  # noqa: ARG002 - it has none
        return ClaudeMem()

    def _open(self) -> None:
        """Start a worker on the folder."""
        self._worker = BunWorker(self._home.root)
        atexit.register(self._worker.stop)

    def _shut(self) -> None:
        self._worker.stop()
        atexit.unregister(self._worker.stop)

    def row_id(self, turn: str, scope: Scope) -> str:  # noqa: ARG002 - a scope has a project of its own
        """Name a memory by one word of the index: ids hold what are several."""
        return "t" + sha256(turn.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        self._drop([row.id for row in rows], scope)
        for row in rows:
            saved = {"title": row.id, "text": row.text, "project": hashed(scope), "metadata": row.metadata}
            self._worker.ask("POST", "api/memory/save", saved)

    def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        """Rank by how many words are found; a query of blanks finds nothing."""
        return ranked_by_words(
            query, lambda word: [Hit(memory_of(_row(each))) for each in self._asked(scope, word)]
        )[:k]

    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        known = {row.id: row for row in self._rows(scope)}
        return [(known[hit.memory.id], None) for hit in self._hits(query, scope, k)]

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        return list(map(_row, self._stored(scope, ids)))

    def _stored(self, scope: Scope, ids: Sequence[str] | None) -> list[dict[str, Any]]:
        """Return what the worker tells of memories, oldest first; one is found by its title."""
        if ids is None:
            return self._asked(scope, "")
        return [
            each for name in ids if name.isalnum() for each in self._asked(scope, name) if each["title"] == name
        ]

    def _asked(self, scope: Scope, query: str) -> list[dict[str, Any]]:
        asked: dict[str, Any] = {"project": hashed(scope), "type": "observations", "format": "json", "limit": MOST}
        asked |= {"query": query, "orderBy": "relevance"} if query else {"orderBy": "date_asc"}
        answer = self._worker.ask("GET", "api/search", None, **asked)
        listed: list[dict[str, Any]] = answer["observations"]
        return listed

    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        self._forget(self._stored(scope, ids))

    def _erase(self, scope: Scope) -> None:
        """Delete every memory of a project: no call removes a project."""
        self._forget(self._stored(scope, None))

    def _forget(self, stored: Sequence[dict[str, Any]]) -> None:
        for each in stored:
            self._worker.ask("DELETE", f"api/observation/{each['id']}")


def _row(row: dict[str, Any]) -> StoredTurn:
    return StoredTurn.beside(row["title"], row["narrative"], object_of(row["metadata"] or ""))
