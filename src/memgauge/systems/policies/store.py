"""What is kept under one scope, with its history."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memgauge.records import Change, Memory, Operation
from memgauge.systems.protocol import AuditEntry

if TYPE_CHECKING:
    from datetime import datetime


@dataclass
class Shelf:
    """Everything under one scope, in the order in which it came."""

    memories: dict[str, Memory] = field(default_factory=dict)
    history: dict[str, list[AuditEntry]] = field(default_factory=dict)
    revision: int = 0
    """Grows with every change that is not an addition at the end."""
    ending: bool = False
    """Whether any memory was ever given an end."""

    def put(self, memory: Memory) -> Change:
        """Store *memory*; one that is already there keeps its place and gets a new version if its text changed."""
        old = self.memories.get(memory.id)
        if old is None:
            return self._store(Operation.ADD, memory)
        if (old.text, old.valid_to) == (memory.text, memory.valid_to):
            return Change(Operation.NOOP, memory.id)
        self.revision += 1
        return self._store(Operation.UPDATE, replace(memory, version=old.version + 1))

    def _store(self, op: Operation, memory: Memory) -> Change:
        self.memories[memory.id] = memory
        self.ending = self.ending or memory.valid_to is not None
        self.history.setdefault(memory.id, []).append(AuditEntry(op, memory.event_at, memory.text))
        return Change(op, memory.id)

    def remove(self, memory: str, at: datetime | None = None) -> bool:
        """Forget one memory; say whether it was there. Its history stays, without texts."""
        if self.memories.pop(memory, None) is None:
            return False
        self.revision += 1
        wiped = [replace(entry, text=None) for entry in self.history[memory]]
        self.history[memory] = [*wiped, AuditEntry(Operation.DELETE, at, None)]
        return True


def expired(memory: Memory, as_of: datetime | None) -> bool:
    """Whether *memory* has ended by *as_of*; without a time nothing has."""
    return as_of is not None and memory.valid_to is not None and memory.valid_to <= as_of
