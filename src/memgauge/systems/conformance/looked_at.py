"""A memory that is looked at while it is called: which method it is at, and whether it returns what it should."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.errors import ContractBreach
from memgauge.systems.plain import (
    plain_capabilities,
    plain_count,
    plain_history,
    plain_listing,
    plain_memories,
    plain_paths,
    plain_ranking,
    plain_receipt,
    plain_text,
)
from memgauge.systems.protocol import MemorySystem, supported

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Memory, Ranking, Receipt, Scope, Turn
    from memgauge.systems.protocol import AuditEntry, Capabilities

T = TypeVar("T")


class MemoryLookedAt:
    """The same memory; what it returns is copied, or refused with method, value and contract."""

    def __init__(self, system: MemorySystem) -> None:
        self.itself = system
        self._system: Any = system
        self.name, self.version = system.name, system.version
        self.at = ""
        """The method that is being called; empty between calls."""
        self.since = 0.0
        """When it was called, on the clock that never goes back."""
        self.unreceived = ""
        """What a write returned in the place of a receipt; empty where each returned one, or none."""

    def offers(self) -> Sequence[str]:
        """Name what the memory implements: here stands every method."""
        return supported(self.itself)

    def capabilities(self) -> Capabilities:
        """Declare what it promises."""
        with self._called("capabilities"):
            return _kept(plain_capabilities(self._system.capabilities()))

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store turns."""
        with self._called("ingest"):
            return self._received(self._system.ingest(turns, scope), "ingest")

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Wait until writes are searchable."""
        with self._called("flush"):
            self._system.flush(scope, timeout_s)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search."""
        with self._called("search"):
            return _kept(plain_ranking(self._system.search(query, scope, k, as_of)))

    def search_itself(self, query: str, scope: Scope, k: int) -> Ranking:
        """Search, and return what came as it came."""
        with self._called("search"):
            returned: Ranking = self._system.search(query, scope, k, None)
        return returned

    def dump(self, scope: Scope) -> list[Memory]:
        """List what is stored."""
        with self._called("dump"):
            return _kept(plain_memories(_kept(plain_listing(self._system.dump(scope)))))

    def reset(self) -> None:
        """Forget everything."""
        with self._called("reset"):
            self._system.reset()

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory."""
        with self._called("update"):
            return self._received(self._system.update(memory, text, scope), "update")

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories."""
        with self._called("delete"):
            return _kept(plain_count(self._system.delete(memories, scope), "delete"))

    def erase(self, scope: Scope) -> None:
        """Erase a scope."""
        with self._called("erase"):
            self._system.erase(scope)

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Store a turn that ends."""
        with self._called("ingest_expiring"):
            return self._received(self._system.ingest_expiring(turn, scope, expires_at), "ingest_expiring")

    def sweep(self, now: datetime) -> None:
        """Do the maintenance of expiry."""
        with self._called("sweep"):
            self._system.sweep(now)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory."""
        with self._called("history"):
            return _kept(plain_history(self._system.history(memory, scope)))

    def reopen(self) -> None:
        """Load everything again from storage."""
        with self._called("reopen"):
            self._system.reopen()

    def storage_paths(self) -> Sequence[Path]:
        """Name the files that hold the store."""
        with self._called("storage_paths"):
            return _kept(plain_paths(self._system.storage_paths()))

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Return the text that a model is shown."""
        with self._called("context"):
            return _kept(plain_text(self._system.context(query, scope, budget), "context"))

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer from memory."""
        with self._called("ask"):
            return _kept(plain_text(self._system.ask(question, scope, as_of), "ask"))

    def reward(self, value: float) -> None:
        """Learn how good the last answer was."""
        with self._called("reward"):
            self._system.reward(value)

    def _received(self, value: object, what: str) -> Receipt:
        receipt, self_said = plain_receipt(value, what)
        self.unreceived = self.unreceived or self_said
        return receipt

    @contextmanager
    def _called(self, method: str) -> Iterator[None]:
        self.at, self.since = method, time.monotonic()
        try:
            yield
        finally:
            self.at = ""


def _kept(value: T | ContractBreach) -> T:
    if isinstance(value, ContractBreach):
        raise value
    return value
