"""LangMem: a model that reads turns and keeps memories in LangGraph's store, adding, replacing and removing them.

Its manager says what it put and not what it removed, so that removals are found by comparing the ids that are
stored before and after. It takes no time of a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.products.langgraph.adapter import LangGraphSqlite, namespace
from memgauge.records import Change, Operation, Receipt, ScoreKind
from memgauge.systems.adapters.endpoints import endpoint
from memgauge.systems.adapters.product_store import product, spoken
from memgauge.systems.adapters.rows import StoredTurn
from memgauge.systems.protocol import Capabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope, Turn


class LangMem(LangGraphSqlite):
    """Keeps what LangMem's model makes of turns, in LangGraph's store on SQLite."""

    name = "langmem"
    pin = "langmem==0.0.30"
    promises = Capabilities(score_kind=ScoreKind.SIMILARITY, reports_changes=True)

    def __init__(self, *, model: str = "gpt-4.1-mini", embedder: str = "hashed", path: str = "") -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Args:
            model: What is asked at ``OPENAI_BASE_URL``.
            embedder: As :func:`memgauge.systems.adapters.vectors.open_vectors` takes it.
            path: An empty folder, or one that holds a store.

        Raises:
            MissingExtraError: LangMem is not installed here.
            ConfigError: No address of a model is named.
        """
        self._asked = endpoint(self.name)
        self._model = model
        super().__init__(embedder=embedder, path=path)

    def offers(self) -> tuple[str, ...]:
        """Name what it can do: its manager gives nothing an end."""
        return ("mutable", "erasable", "durable")

    def _open(self) -> None:
        super()._open()
        found_by = "removals allowed (enable_deletes), and found by comparing ids before and after"
        self.interventions = (*self.interventions, found_by)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Let the manager read every turn, and say what became of the store."""
        changes: list[Change] = []
        for turn in turns:
            before = {row.id for row in self._rows(scope)}
            role = turn.role if turn.role in {"user", "assistant"} else "user"
            put = self._manager(scope).invoke({"messages": [{"role": role, "content": spoken(turn)}]})
            after = {row.id for row in self._rows(scope)}
            keys = [item["key"] for item in put]
            changes += [Change(Operation.UPDATE if key in before else Operation.ADD, key) for key in keys]
            changes += [Change(Operation.DELETE, gone) for gone in sorted(before - after)]
        return Receipt(tuple(changes))

    def _manager(self, scope: Scope) -> Any:
        chat = product("langchain_openai").ChatOpenAI(
            model=self._model, base_url=self._asked.url, api_key=self._asked.key, temperature=0, max_retries=1
        )
        make = product("langmem").create_memory_store_manager
        return make(chat, namespace=namespace(scope), store=self._store, enable_deletes=True)

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        for row in rows:
            self._store.put(namespace(scope), row.id, {"kind": "Memory", "content": {"content": row.text}})

    def _shown(self, item: Any) -> StoredTurn:
        content = item.value.get("content") or {}
        return StoredTurn(item.key, str(content.get("content", content)))

    def _index(self) -> dict[str, Any]:
        return {**super()._index(), "fields": ["content.content"]}
