"""The base of the built-in policies: turns kept per scope, with their history, and a way to rank them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, ClassVar

from memgauge import ranges
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.locking import locked
from memgauge.systems.policies.store import Shelf, expired
from memgauge.systems.policies.writing import TURNS, open_writer, version_of, written
from memgauge.systems.protocol import Capabilities, EventTime, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Scope, Turn
    from memgauge.systems.protocol import AuditEntry


@dataclass(kw_only=True, eq=False)
class Policy(ABC):
    """A memory that keeps every turn and differs from others only in how it ranks them.

    Each turn is one memory under its own id; one that comes again replaces its text, in place. Scopes never see
    each other.
    """

    name: str = field(init=False)
    version = "1"
    role: ClassVar[Role] = Role.SYSTEM
    score_kind: ClassVar[ScoreKind] = ScoreKind.NONE
    needs: ClassVar[tuple[str, ...]] = ()
    stand_ins: tuple[str, ...] = field(default=(), init=False)
    models: tuple[str, ...] = field(default=(), init=False)
    """Which models it asks."""
    as_heard: bool = True
    """Whether each text begins with who spoke and when, ``Name (8 May 2023): ``; else it is the words alone."""
    speaker: bool = False
    """Whether each text begins with ``Name: ``, as papers have it, whatever :attr:`as_heard` says."""
    store: str = TURNS
    """What is kept beside turns; see :mod:`memgauge.systems.policies.writing`."""
    capacity: ranges.Count | None = None
    """Keep only the newest so many turns of a scope; ``None`` keeps all."""
    _lock: RLock = field(default_factory=RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        """Create an empty store.

        Raises:
            ConfigError: A number outside of its range.
        """
        ranges.require(self, self.name)
        self.version = version_of(heard=self.as_heard, speaker=self.speaker)
        self._writer = open_writer(self.store)
        self._shelves: dict[Scope, Shelf] = {}

    def capabilities(self) -> Capabilities:
        """Declare what all policies share, and the role and scores of this one."""
        return Capabilities(
            event_time=EventTime.STORED,
            score_kind=self.score_kind,
            reports_changes=True,
            declares_sources=True,
            needs=self.needs,
            role=self.role,
            stand_ins=self.stand_ins,
            models=self.models,
        )

    @locked
    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return the best *k* memories of *scope* that have not expired by *as_of*."""
        shelf = self._shelves.get(scope)
        if shelf is None or k < 1:
            return Ranking((), self.score_kind)
        ended = {m.id for m in shelf.memories.values() if expired(m, as_of)} if shelf.ending else frozenset[str]()
        ranked = self._rank(query, scope, shelf, k + len(ended))
        hits = (Hit(memory, score) for memory, score in ranked if memory.id not in ended)
        return Ranking(tuple(islice(hits, k)), self.score_kind)

    @abstractmethod
    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Iterable[tuple[Memory, float | None]]:
        """Order the memories of *shelf*, best first; at least the first *k* that are worth returning."""

    @locked
    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store *turns*, each as one memory, and what is written beside them."""
        own = [self._memory(turn) for turn in turns]
        return self._put([*own, *self._writer.after(turns, scope)], scope)

    @locked
    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Store *turn*; a search as of *expires_at* or later sees neither it nor what is written beside it."""
        memories = [self._memory(turn), *self._writer.after([turn], scope)]
        return self._put([replace(memory, valid_to=expires_at) for memory in memories], scope)

    def _put(self, memories: Sequence[Memory], scope: Scope) -> Receipt:
        shelf = self._shelves.get(scope)
        if shelf is None:
            shelf = self._shelves[scope] = Shelf()
        changes = [shelf.put(memory) for memory in memories]
        spare = 0 if self.capacity is None else max(0, len(shelf.memories) - self.capacity)
        for oldest in list(islice(shelf.memories, spare)):
            shelf.remove(oldest)
            changes.append(Change(Operation.DELETE, oldest))
        return Receipt(tuple(changes))

    def _memory(self, turn: Turn) -> Memory:
        text = written(turn, heard=self.as_heard, speaker=self.speaker)
        return Memory(turn.id, text, form=Form.RAW, sources=(turn.id,), event_at=turn.at)

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: B027 - most have nothing to wait for
        """Return at once: every write is searchable when it returns."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Return the files that decide what is kept: part of the identity of a run."""
        return self._writer.files

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List the memories of *scope* in the order in which they came."""
        with self._lock:
            memories = tuple(self._shelf(scope).memories.values())
        yield from memories

    def reset(self) -> None:
        """Forget everything."""
        self._shelves.clear()
        self._writer.forget()

    @locked
    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory; an unknown id changes nothing."""
        shelf = self._shelf(scope)
        old = shelf.memories.get(memory)
        if old is None:
            return Receipt((Change(Operation.NOOP, memory),))
        return Receipt((shelf.put(replace(old, text=text, form=Form.UNKNOWN)),))

    @locked
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

    @locked
    def erase(self, scope: Scope) -> None:
        """Forget *scope*, its history included."""
        self._shelves.pop(scope, None)
        self._writer.forget(scope)

    @locked
    def sweep(self, now: datetime) -> None:
        """Remove what has expired by *now*, in all scopes."""
        for shelf in self._shelves.values():
            for memory in [m for m in shelf.memories.values() if expired(m, now)]:
                shelf.remove(memory.id, at=now)

    @locked
    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory, oldest first; a deletion wipes the texts."""
        return tuple(self._shelf(scope).history.get(memory, ()))

    def _shelf(self, scope: Scope) -> Shelf:
        return self._shelves.get(scope) or Shelf()
