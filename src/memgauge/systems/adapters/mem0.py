"""Mem0 (mem0ai 2.x), raw lane: every turn is stored as it was said, without a language model, key or network.

Install it beside memgauge in an environment of its own: ``pip install "mem0ai==2.2.1"``. Interventions, all
declared: vectors come from the embedder that is named here and not from a service, telemetry is off, and the store
lies in a folder of its own.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from memgauge.errors import MissingExtraError
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.policies.dense import open_embedder
from memgauge.systems.protocol import AuditEntry, Capabilities, EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn
    from memgauge.retrieval.embedders import Embedder

SOURCE, SAID_AT = "memgauge_turn", "memgauge_at"
EVERYTHING = 1_000_000
_OPERATIONS = {"ADD": Operation.ADD, "UPDATE": Operation.UPDATE, "DELETE": Operation.DELETE}


class _Vectors:
    """An embedder in the shape that Mem0 asks for."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002 - Mem0's signature
        """Embed one text."""
        return [float(value) for value in self._embedder.embed([text])[0]]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:  # noqa: ARG002 - Mem0's signature
        """Embed several texts."""
        return [[float(value) for value in row] for row in self._embedder.embed(texts)]


class Mem0:
    """Stores turns in Mem0 as they are (``infer=False``), under Mem0's own user, agent and run ids."""

    name = "mem0"

    def __init__(self, *, embedder: str = "hashed") -> None:
        """Open an empty store in a folder of its own.

        Raises:
            MissingExtraError: Mem0 is not installed here.
        """
        os.environ["MEM0_TELEMETRY"] = "False"  # read when mem0 is imported
        os.environ.setdefault("OPENAI_API_KEY", "unused")
        try:
            self._product: Any = import_module("mem0")
        except ImportError as error:
            raise MissingExtraError(
                "Mem0 is not installed here.",
                'Install it in an environment of its own: pip install "mem0ai==2.2.1".',
            ) from error
        self.version = str(self._product.__version__)
        self._folder = TemporaryDirectory(prefix="memgauge-mem0-")
        os.environ.setdefault("MEM0_DIR", self._folder.name)
        self._embedder = open_embedder(embedder)
        self._generation = 0
        self._memory: Any = self._open()

    @property
    def _root(self) -> Path:
        return Path(self._folder.name) / str(self._generation)

    def _open(self) -> Any:
        root = self._root
        config = {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(root / "qdrant"),
                    "collection_name": "memories",
                    "embedding_model_dims": self._embedder.dim,
                    "on_disk": True,
                },
            },
            "history_db_path": str(root / "history.db"),
        }
        root.mkdir(exist_ok=True)
        memory = self._product.Memory.from_config(config)
        memory.embedding_model = _Vectors(self._embedder)
        return memory

    def _close(self) -> None:
        self._memory.vector_store.client.close()  # the local store is locked by whoever has it open
        self._memory.close()

    def capabilities(self) -> Capabilities:
        """Declare what Mem0 does, and what was changed to run it here."""
        return Capabilities(
            event_time=EventTime.STORED,
            score_kind=ScoreKind.SIMILARITY,
            reports_changes=True,
            declares_sources=True,
            interventions=(f"vectors by {self._embedder.name}", "infer=False", "telemetry off"),
        )

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add every turn, naming it in the metadata."""
        changes = []
        for turn in turns:
            said = {SOURCE: turn.id, SAID_AT: turn.at.isoformat() if turn.at else ""}
            role = turn.role if turn.role in {"user", "assistant"} else "user"
            added = self._memory.add(
                [{"role": role, "content": turn.text}], infer=False, metadata=said, **_owner(scope)
            )
            changes += [Change(_OPERATIONS[one["event"]], one["id"]) for one in added["results"]]
        return Receipt(tuple(changes))

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return at once: Mem0 writes before it returns."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - Mem0 has no as-of
        """Search by Mem0's own ranking, without its threshold."""
        if k < 1:
            return Ranking((), ScoreKind.SIMILARITY)
        found = self._memory.search(query, filters=_owner(scope), top_k=k, threshold=0.0)
        hits = tuple(Hit(_memory(one), float(one["score"])) for one in found["results"])
        return Ranking(hits, ScoreKind.SIMILARITY)

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List everything of an owner."""
        listed = self._memory.get_all(filters=_owner(scope), top_k=EVERYTHING)
        return (_memory(one) for one in listed["results"])

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:  # noqa: ARG002 - ids are global in Mem0
        """Replace the text of one memory."""
        self._memory.update(memory, text)
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Delete memories of *scope* by id."""
        own = {memory.id for memory in self.dump(scope)}
        gone = [memory for memory in memories if memory in own]
        for memory in gone:
            self._memory.delete(memory)
        return len(gone)

    def erase(self, scope: Scope) -> None:
        """Delete everything of an owner."""
        self._memory.delete_all(**_owner(scope))

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:  # noqa: ARG002 - ids are global in Mem0
        """Return Mem0's own history of one memory."""
        rows = self._memory.history(memory)
        return tuple(
            AuditEntry(_OPERATIONS[row["event"]], None, row["new_memory"] or row["old_memory"]) for row in rows
        )

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder of the store."""
        return (self._root,)

    def reopen(self) -> None:
        """Close the store and open it again."""
        self._close()
        self._memory = self._open()

    def reset(self) -> None:
        """Begin with an empty store in another folder."""
        self._close()
        self._generation += 1
        self._memory = self._open()


def _owner(scope: Scope) -> dict[str, str]:
    """Spell a scope as Mem0 does; Mem0 knows no tenants, so a tenant is written before the user."""
    user = scope.user if scope.tenant == "default" else f"{scope.tenant}/{scope.user}"
    owner = {"user_id": user}
    if scope.agent:
        owner["agent_id"] = scope.agent
    if scope.session:
        owner["run_id"] = scope.session
    return owner


def _memory(one: dict[str, Any]) -> Memory:
    said = one.get("metadata") or {}
    sources = (str(said[SOURCE]),) if SOURCE in said else ()
    return Memory(str(one["id"]), str(one["memory"]), Form.UNKNOWN, sources)
