"""A memory that is looked at while it is called: which method it is at, and whether it returns what it should.

Whoever calls a memory beside a run, a check or the driver of a study, calls it through this. A run, which lists in
portions and tries again, takes the same functions of :mod:`memgauge.systems.plain` for itself.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.errors import ContractBreach
from memgauge.show.safety import name_line
from memgauge.systems.plain import (
    PlainCopies,
    plain_capabilities,
    plain_count,
    plain_history,
    plain_listing,
    plain_paths,
    plain_receipt,
    plain_text,
    wrong_score,
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
    """The same memory; what it returns is copied, or refused with method, value and contract.

    Every method raises a :class:`memgauge.errors.ContractBreach` where what came is not what should have come.
    """

    def __init__(self, system: MemorySystem) -> None:
        self.itself = system
        self._system: Any = system
        self.name, self.version = name_line(system.name), system.version and name_line(system.version)
        self.at = ""
        """The method that is being called; empty between calls."""
        self.since = 0.0
        """When it was called, on the clock that never goes back."""
        self.came: object = None
        """What the last call returned, as it came; a listing as the list that was read of it."""
        self._offers = supported(system)
        self._copies = PlainCopies()

    def offers(self) -> Sequence[str]:
        """Name what the memory implements: here stands every method."""
        return self._offers

    def capabilities(self) -> Capabilities:
        """Declare what it promises."""
        with self._called("capabilities"):
            return _fit(plain_capabilities(self._system.capabilities()))

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store turns."""
        with self._called("ingest"):
            self.came = self._system.ingest(turns, scope)
            return self._received("ingest")

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Wait until writes are searchable."""
        with self._called("flush"):
            self.came = self._system.flush(scope, timeout_s)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search."""
        with self._called("search"):
            self.came = came = self._system.search(query, scope, k, as_of)
            ranking = _fit(self._copies.ranking(came))
            self._scored(came)
            return ranking

    def dump(self, scope: Scope) -> list[Memory]:
        """List what is stored."""
        with self._called("dump"):
            self.came = listed = list(_fit(plain_listing(self._system.dump(scope))))
            return _fit(self._copies.memories(listed))

    def reset(self) -> None:
        """Forget everything."""
        with self._called("reset"):
            self.came = self._system.reset()

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory."""
        with self._called("update"):
            self.came = self._system.update(memory, text, scope)
            return self._received("update")

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories."""
        with self._called("delete"):
            self.came = self._system.delete(memories, scope)
            return _fit(plain_count(self.came, "delete"))

    def erase(self, scope: Scope) -> None:
        """Erase a scope."""
        with self._called("erase"):
            self.came = self._system.erase(scope)

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Store a turn that ends."""
        with self._called("ingest_expiring"):
            self.came = self._system.ingest_expiring(turn, scope, expires_at)
            return self._received("ingest_expiring")

    def sweep(self, now: datetime) -> None:
        """Do the maintenance of expiry."""
        with self._called("sweep"):
            self.came = self._system.sweep(now)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory."""
        with self._called("history"):
            self.came = self._system.history(memory, scope)
            return _fit(plain_history(self.came))

    def reopen(self) -> None:
        """Load everything again from storage."""
        with self._called("reopen"):
            self.came = self._system.reopen()

    def storage_paths(self) -> Sequence[Path]:
        """Name the files that hold the store."""
        with self._called("storage_paths"):
            self.came = paths = _fit(plain_paths(self._system.storage_paths()))
            return paths

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Return the text that a model is shown."""
        with self._called("context"):
            self.came = self._system.context(query, scope, budget)
            return _fit(plain_text(self.came, "context"))

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer from memory."""
        with self._called("ask"):
            self.came = self._system.ask(question, scope, as_of)
            return _fit(plain_text(self.came, "ask"))

    def reward(self, value: float) -> None:
        """Learn how good the last answer was."""
        with self._called("reward"):
            self.came = self._system.reward(value)

    def _scored(self, came: Ranking) -> None:
        """Refuse scores that are no numbers: nothing can be compared with them."""
        if wrong := wrong_score(came):
            raise ContractBreach(wrong)

    def _received(self, what: str) -> Receipt:
        """Refuse what stands in the place of a receipt."""
        receipt, wrong = plain_receipt(self.came, what)
        if wrong:
            raise ContractBreach(wrong)
        return receipt

    @contextmanager
    def _called(self, method: str) -> Iterator[None]:
        self.at, self.since = method, time.monotonic()
        try:
            yield
        finally:
            self.at = ""


def _fit(value: T | ContractBreach) -> T:
    if isinstance(value, ContractBreach):
        raise value
    return value
