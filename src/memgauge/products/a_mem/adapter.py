"""A-MEM (agiresearch/A-mem), from a checkout: one note a turn, with a context and tags that later notes rewrite.

It keeps nothing beyond its process. A second system in one process empties the first, because both share one
collection that each clears when it is made; ``patched=true`` gives every scope a collection of its own instead.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from memgauge.records import Change, Form, Hit, Memory, Operation, Receipt, ScoreKind
from memgauge.systems.adapters.checkouts import checkout as require_checkout
from memgauge.systems.adapters.checkouts import revision, stand_in, stand_in_encoder
from memgauge.systems.adapters.endpoints import endpoint
from memgauge.systems.adapters.product_store import ProductStore, hashed, product, spoken
from memgauge.systems.adapters.vectors import open_vectors
from memgauge.systems.protocol import Capabilities, EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Scope, Turn

REPOSITORY = "github.com/agiresearch/A-mem"


class AMem(ProductStore):
    """Keeps every turn as a note of A-MEM."""

    name = "a-mem"
    promises = Capabilities(
        event_time=EventTime.STORED, score_kind=ScoreKind.DISTANCE, reports_changes=True, declares_sources=True
    )
    interventions: tuple[str, ...] = (
        "packages that it imports and does not use stand in (transformers)",
        "ids and times of notes are the turns'",
    )

    def __init__(
        self, *, checkout: str = "", model: str = "gpt-4.1-mini", embedder: str = "hashed", patched: bool = False
    ) -> None:
        """Open an empty store.

        Args:
            checkout: Folder of a clone of the repository.
            model: What is asked at ``OPENAI_BASE_URL``.
            embedder: As :func:`memgauge.systems.adapters.vectors.open_vectors` takes it.
            patched: Whether scopes get collections of their own.

        Raises:
            ConfigError: *checkout* is none, or no address of a model is named.
        """
        folder = require_checkout(self.name, checkout, "agentic_memory/memory_system.py", REPOSITORY)
        self.version = revision(folder)
        asked = endpoint(self.name)
        os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"] = asked.url, asked.key
        os.environ["ANONYMIZED_TELEMETRY"] = "False"
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        self._model, self._patched = model, patched
        self.interventions += ("a collection for each scope, never cleared by another",) if patched else ()
        self._vectors = open_vectors(embedder)
        stand_in_encoder(self._vectors)
        stand_in("transformers", "AutoModel", "AutoTokenizer")
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        self._product = product("agentic_memory.memory_system")
        self._systems: dict[Scope, Any] = {}

    def _system(self, scope: Scope) -> Any:
        if scope not in self._systems:
            plain = self._product.ChromaRetriever
            if self._patched:
                self._product.ChromaRetriever = _apart(product("agentic_memory.retrievers").ChromaRetriever, scope)
            try:
                self._systems[scope] = self._product.AgenticMemorySystem(llm_model=self._model)
            finally:
                self._product.ChromaRetriever = plain
        return self._systems[scope]

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add one note a turn."""
        system, changes = self._system(scope), []
        for turn in turns:
            system.add_note(spoken(turn), time=turn.at.strftime("%Y%m%d%H%M") if turn.at else None, id=turn.id)
            changes.append(Change(Operation.ADD, turn.id))
        return Receipt(tuple(changes))

    def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        system = self._system(scope)
        if not system.memories:
            return []
        # What lies in its index and not among its notes is another scope's: its own search reads past it as we do.
        answer = system.retriever.search(query, k)
        columns = (answer[name][0] for name in ("ids", "documents", "distances"))
        return [Hit(_memory(key, text), float(distance)) for key, text, distance in zip(*columns, strict=True)]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List notes."""
        return iter([_memory(key, note.content) for key, note in self._system(scope).memories.items()])

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one note."""
        self._system(scope).update(memory, content=text)
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove notes by id."""
        return sum(bool(self._system(scope).delete(memory)) for memory in dict.fromkeys(memories))

    def erase(self, scope: Scope) -> None:
        """Remove every note of a scope; there is no other way."""
        self.delete(list(self._system(scope).memories), scope)

    def reset(self) -> None:
        """Begin with nothing."""
        self._systems.clear()
        product("chromadb").Client(product("chromadb.config").Settings(allow_reset=True)).reset()

    def close(self) -> None:
        """Let go of everything."""
        self._systems.clear()


def _apart(retriever: Any, scope: Scope) -> Any:
    """Make a retriever whose collection is the scope's, and whose client cannot be cleared."""

    class UnclearedClient:
        """A client that is asked to clear everything and does not."""

        def reset(self) -> None:
            """Do nothing."""

    class Apart(retriever):  # type: ignore[misc] # the product's class
        """A retriever of one scope."""

        def __init__(self, collection_name: str = "", **options: Any) -> None:  # noqa: ARG002 - A-MEM's name for all
            super().__init__(collection_name=hashed(scope), **options)
            self.client = UnclearedClient()

    return Apart


def _memory(key: str, text: str) -> Memory:
    return Memory(key, text, Form.UNKNOWN, (key,))
