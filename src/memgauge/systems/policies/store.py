"""What the built-in memories share: turns kept per scope, in order, with their history."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.records import Change, Form, Memory, Operation, Receipt
from memgauge.systems.policies.writing import TURNS, open_writer
from memgauge.systems.protocol import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Scope, Turn


@dataclass
class Shelf:
    """Everything under one scope, in the order in which it came."""

    memories: dict[str, Memory] = field(default_factory=dict)
    history: dict[str, list[AuditEntry]] = field(default_factory=dict)
    revision: int = 0
    """Grows with every change that is not an addition at the end."""

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


@dataclass(kw_only=True, eq=False)
class TurnStore:
    """Keep each turn as one memory under its own id; scopes never see each other.

    A turn that comes again under the same id replaces its text, in place.
    """

    speaker: bool = False
    """Whether each text begins with ``Name: ``."""
    store: str = TURNS
    """What is kept beside turns; see :mod:`memgauge.systems.policies.writing`."""
    capacity: int | None = None
    """Keep only the newest so many turns of a scope; ``None`` keeps all."""

    def __post_init__(self) -> None:
        """Create an empty store.

        Raises:
            ConfigError: A capacity below one.
        """
        if self.capacity is not None and self.capacity < 1:
            raise ConfigError(f"A capacity of {self.capacity} keeps nothing.", "Take at least 1, or leave it out.")
        self._writer = open_writer(self.store)
        self._shelves: dict[Scope, Shelf] = {}

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store *turns*, each as one memory, and what is written beside them."""
        own = [self._memory(turn) for turn in turns]
        return self._put([*own, *self._writer.after(turns, scope)], scope)

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Store *turn*; a search as of *expires_at* or later sees neither it nor what is written beside it."""
        memories = [self._memory(turn), *self._writer.after([turn], scope)]
        return self._put([replace(memory, valid_to=expires_at) for memory in memories], scope)

    def _put(self, memories: Sequence[Memory], scope: Scope) -> Receipt:
        shelf = self._shelves.setdefault(scope, Shelf())
        changes = [shelf.put(memory) for memory in memories]
        spare = 0 if self.capacity is None else max(0, len(shelf.memories) - self.capacity)
        for oldest in list(islice(shelf.memories, spare)):
            shelf.remove(oldest)
            changes.append(Change(Operation.DELETE, oldest))
        return Receipt(tuple(changes))

    def _memory(self, turn: Turn) -> Memory:
        text = f"{turn.speaker}: {turn.text}" if self.speaker else turn.text
        return Memory(turn.id, text, form=Form.RAW, sources=(turn.id,), event_at=turn.at)

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return at once: every write is searchable when it returns."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Return the files that decide what is kept: part of the identity of a run."""
        return self._writer.files

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List the memories of *scope* in the order in which they came."""
        yield from tuple(self._shelf(scope).memories.values())

    def reset(self) -> None:
        """Forget everything."""
        self._shelves.clear()
        self._writer.forget()

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory; an unknown id changes nothing."""
        shelf = self._shelf(scope)
        old = shelf.memories.get(memory)
        if old is None:
            return Receipt((Change(Operation.NOOP, memory),))
        return Receipt((shelf.put(replace(old, text=text, form=Form.UNKNOWN)),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id, and what descends from nothing else; return how many of the named were there."""
        shelf = self._shelf(scope)
        gone = set(memories)
        orphans = [
            m.id for m in shelf.memories.values() if m.id not in gone and m.sources and gone.issuperset(m.sources)
        ]
        removed = sum(shelf.remove(memory) for memory in memories)
        for orphan in orphans:
            shelf.remove(orphan)
        return removed

    def erase(self, scope: Scope) -> None:
        """Forget *scope*, its history included."""
        self._shelves.pop(scope, None)
        self._writer.forget(scope)

    def sweep(self, now: datetime) -> None:
        """Remove what has expired by *now*, in all scopes."""
        for shelf in self._shelves.values():
            for memory in [m for m in shelf.memories.values() if expired(m, now)]:
                shelf.remove(memory.id, at=now)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory, oldest first; a deletion wipes the texts."""
        return tuple(self._shelf(scope).history.get(memory, ()))

    def _shelf(self, scope: Scope) -> Shelf:
        return self._shelves.get(scope) or Shelf()


def expired(memory: Memory, as_of: datetime | None) -> bool:
    """Whether *memory* has ended by *as_of*; without a time nothing has."""
    return as_of is not None and memory.valid_to is not None and memory.valid_to <= as_of
