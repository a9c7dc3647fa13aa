"""MemOS of MemTensor (the package ``MemoryOS``): turns as they are, or as its model reads them.

Its general textual memory is driven: an item names the messages that it comes from. Every scope has a store of its
own, since a search knows no owner. The package is not MemoryOS of BAI-LAB, which is
:mod:`memgauge.products.memoryos.adapter`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid5

from memgauge.errors import ConfigError
from memgauge.records import Change, Operation, Receipt, ScoreKind
from memgauge.systems.adapters.endpoints import UNUSED, endpoint
from memgauge.systems.adapters.folders import scratch
from memgauge.systems.adapters.product_store import OnDisk, hashed, product, spelled, spoken
from memgauge.systems.adapters.rows import RowStore, StoredTurn
from memgauge.systems.protocol import Capabilities, EventTime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope, Turn

LANES = ("raw", "extract")


class MemOS(OnDisk, RowStore):
    """Keeps turns in MemOS, as they are (lane ``raw``) or as its model reads them (``extract``)."""

    name = "memos"
    pin = "MemoryOS==2.0.33"
    interventions: tuple[str, ...] = ("a store for each scope", "local Qdrant in the place of a server")

    def __init__(
        self, *, lane: str = "raw", model: str = "gpt-4.1-mini", embedder: str = "hashed", path: str = ""
    ) -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Args:
            lane: ``raw`` or ``extract``; the latter asks *model* at ``OPENAI_BASE_URL``.
            model: What the extraction asks.
            embedder: As :func:`memgauge.systems.adapters.vectors.open_vectors` takes it.
            path: An empty folder, or one that holds a store.

        Raises:
            MissingExtraError: MemOS is not installed here.
            ConfigError: There is no such lane, or no address of a model.
        """
        if lane not in LANES:
            raise ConfigError(f"memos has no lane {lane!r}.", f"Take {' or '.join(LANES)}.")
        raw = lane == "raw"
        self._lane, self._named, self._model = lane, model, None if raw else model
        self.promises = Capabilities(
            event_time=EventTime.STORED if raw else EventTime.NONE,
            score_kind=ScoreKind.NONE,
            reports_changes=True,
            declares_sources=True,
        )
        self.interventions += () if raw else ("sources written by the adapter, one turn a call",)
        self._asked = None if raw else endpoint(self.name)
        self._memories: dict[str, Any] = {}
        super().__init__(embedder=embedder, path=path)

    def _open(self) -> None:
        """Let every scope open its store when it is first asked."""
        if "MEMOS_BASE_PATH" not in os.environ:
            os.environ["MEMOS_BASE_PATH"] = scratch("memos-logs")
        self._memories.clear()

    def _shut(self) -> None:
        for memory in self._memories.values():
            memory.vector_db.client.close()  # it is locked by whoever has it open
        self._memories.clear()

    def _memory(self, scope: Scope) -> Any:
        key = hashed(scope)
        if key not in self._memories:
            config = product("memos.configs.memory").GeneralTextMemoryConfig(**self._config(key))
            memory = product("memos.memories.textual.general").GeneralTextMemory(config)
            memory.embedder = self._vectors  # it is asked as ours are
            self._memories[key] = memory
        return self._memories[key]

    def _config(self, key: str) -> dict[str, Any]:
        url, secret = (self._asked.url, self._asked.key) if self._asked else ("http://127.0.0.1:9/v1", UNUSED)
        store = {
            "collection_name": "memories",
            "vector_dimension": self._vectors.dim,
            "distance_metric": "cosine",
            "path": str(self._home.root / key),
        }
        asked = {"model_name_or_path": self._named, "api_key": secret, "api_base": url, "temperature": 0}
        embedder = {"provider": "openai", "model_name_or_path": "memgauge", "api_key": secret, "base_url": url}
        return {
            "extractor_llm": {"backend": "openai", "config": asked},
            "vector_db": {"backend": "qdrant", "config": store},
            "embedder": {"backend": "universal_api", "config": embedder},
        }

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store every turn, or what the model reads in it."""
        if self._lane == "raw":
            return super().ingest(turns, scope)
        changes: list[Change] = []
        for turn in turns:
            items = self._memory(scope).extract([{"role": turn.role, "content": spoken(turn)}])
            rows = [StoredTurn(item.id, item.memory, turn.id) for item in items]
            if rows:
                self._put(rows, scope)
            changes += [Change(Operation.ADD, row.id) for row in rows]
        return Receipt(tuple(changes))

    def row_id(self, turn: str, scope: Scope) -> str:
        """Make the id of a turn, which has to be a UUID."""
        return str(uuid5(NAMESPACE_URL, f"{spelled(scope)} {turn}"))

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        self._memory(scope).add([_item(row) for row in rows])

    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        return [(_row(item), None) for item in self._memory(scope).search(query, k)]  # MemOS drops the scores

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        if ids is None:
            return [_row(item) for item in self._memory(scope).get_all()]
        known = [name for name in ids if _is_uuid(name)]
        return [_row(item) for item in self._memory(scope).get_by_ids(known)] if known else []

    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        self._memory(scope).delete(list(ids))

    def _erase(self, scope: Scope) -> None:
        """Delete everything of a scope."""
        self._memory(scope).delete_all()


def _item(row: StoredTurn) -> dict[str, Any]:
    source = {"type": "chat", "message_id": row.source, "chat_time": row.at or None, "said_by": row.role}
    return {"id": row.id, "memory": row.text, "metadata": {"source": "conversation", "sources": [source]}}


def _row(item: Any) -> StoredTurn:
    sources = getattr(item.metadata, "sources", None) or ()
    first = sources[0] if sources else None
    beside = (str(getattr(first, key, "") or "") for key in ("message_id", "chat_time", "said_by"))
    return StoredTurn(str(item.id), item.memory, *beside)


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
