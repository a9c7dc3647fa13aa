"""LangMem: a model that reads turns and keeps memories in LangGraph's store, adding, replacing and removing them.

Its manager says what it put and not what it removed, so that removals are found by comparing the ids that are
stored before and after. It takes no time of a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.products.langgraph.adapter import EVERYTHING, LangGraphSqlite, namespace
from memgauge.records import Change, Operation, Receipt, ScoreKind
from memgauge.systems.adapters.endpoints import endpoint
from memgauge.systems.adapters.rows import StoredTurn, product
from memgauge.systems.adapters.stand_ins import stand_ins
from memgauge.systems.protocol import Capabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope, Turn


class LangMem(LangGraphSqlite):
    """Keeps what LangMem's model makes of turns, in LangGraph's store on SQLite."""

    name = "langmem"
    distribution = "langmem"
    pin = "langmem==0.0.30"

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
        self._model_name = model
        super().__init__(embedder=embedder, path=path)

    def offers(self) -> tuple[str, ...]:
        """Name what it can do: its manager gives nothing an end."""
        return ("mutable", "erasable", "durable")

    def capabilities(self) -> Capabilities:
        """Declare what LangMem does, and what was changed to run it here."""
        return Capabilities(
            score_kind=ScoreKind.SIMILARITY,
            reports_changes=True,
            needs=("llm",),
            stand_ins=stand_ins(self._vectors.name, asks=True),
            interventions=(
                f"vectors by {self._vectors.name}",
                *self.interventions,
                "removals allowed (enable_deletes), and found by comparing ids before and after",
                f"model {self._model_name}",
            ),
        )

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Let the manager read every turn, and say what became of the store."""
        changes: list[Change] = []
        for turn in turns:
            before = {row.id for row in self.rows(scope)}
            content = turn.text if turn.speaker.casefold() == turn.role else f"{turn.speaker}: {turn.text}"
            role = turn.role if turn.role in {"user", "assistant"} else "user"
            put = self._manager(scope).invoke({"messages": [{"role": role, "content": content}]})
            after = {row.id for row in self.rows(scope)}
            changes += [
                Change(Operation.UPDATE if one["key"] in before else Operation.ADD, one["key"]) for one in put
            ]
            changes += [Change(Operation.DELETE, gone) for gone in sorted(before - after)]
        return Receipt(tuple(changes))

    def _manager(self, scope: Scope) -> Any:
        asked = product("langchain_openai").ChatOpenAI(
            model=self._model_name, base_url=self._asked.url, api_key=self._asked.key, temperature=0, max_retries=1
        )
        make = product("langmem").create_memory_store_manager
        return make(asked, namespace=namespace(scope), store=self._store, enable_deletes=True)

    def put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        """Put memories in the shape that the manager gives them."""
        for row in rows:
            self._store.put(namespace(scope), row.id, {"kind": "Memory", "content": {"content": row.text}})

    def nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        """Search a namespace; without a query the store lists its newest items, unscored."""
        return [(_row(item), item.score) for item in self._store.search(namespace(scope), query=query, limit=k)]

    def rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        """List the memories of a namespace."""
        if ids is None:
            return [_row(item) for item in self._store.search(namespace(scope), limit=EVERYTHING)]
        found = (self._store.get(namespace(scope), one) for one in ids)
        return [_row(item) for item in found if item is not None]

    def _index(self) -> dict[str, Any]:
        return {**super()._index(), "fields": ["content.content"]}


def _row(item: Any) -> StoredTurn:
    content = item.value.get("content") or {}
    return StoredTurn(item.key, str(content.get("content", content)))
