"""The full pipeline as a memory system: facts with their time, found by words and meaning, kept on disk."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from memgauge.records import Change, Hit, Operation, Ranking, Receipt, ScoreKind
from memgauge.registry import unknown_name
from memgauge.retrieval.embedders import identities_of
from memgauge.systems.locking import locked
from memgauge.systems.pipeline.asking import read_question
from memgauge.systems.pipeline.finding import Finder, open_vectors
from memgauge.systems.pipeline.ledger import FactLedger
from memgauge.systems.pipeline.rules import RuleExtractor
from memgauge.systems.pipeline.writing import Writing, turn_of
from memgauge.systems.policies.embedding import stand_ins_of
from memgauge.systems.protocol import AuditEntry, Capabilities, EventTime, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Memory, Scope, Turn
    from memgauge.systems.pipeline.statements import Extractor

_OPERATIONS = {operation.value: operation for operation in Operation}


class Pipeline:
    """Extracts facts, lets new ones supersede old ones, lets what ends expire, and answers as of any day.

    Facts are returned in place of what states them. Tie rule: score, then the later memory. Time is the time at
    which something was said, whenever it arrives. A turn that was deleted or erased is not taken again.
    """

    name = "pipeline"
    version = "6"

    def __init__(
        self,
        *,
        path: str = "",
        embedder: str = "semantic",
        extract: str | Extractor = "rules",
        history: bool = False,
    ) -> None:
        """Open the memory.

        Args:
            path: Of its SQLite file; empty keeps everything in this process.
            embedder: ``semantic`` takes MiniLM where its weights are at hand and words alone elsewhere; ``none``,
                or any embedder that the dense policies take.
            extract: ``rules``, or a model as ``provider:name`` (see :mod:`memgauge.systems.pipeline.model`), or
                what reads turns itself.
            history: Return what no longer holds too, marked by the end of its validity.
        """
        self._path = Path(path) if path else None
        self._embedder = open_vectors(embedder, lasting=bool(path))
        self._extractor = open_extractor(extract) if isinstance(extract, str) else extract
        self._history = history
        self._lock = RLock()  # one connection and one index serve every thread
        self._ledger = FactLedger(self._path)
        self._finders: dict[Scope, Finder] = {}

    def capabilities(self) -> Capabilities:
        """Declare what it keeps and does."""
        asked = (self._extractor.name,) if ":" in self._extractor.name else ()
        return Capabilities(
            unit=Unit.TURN,
            event_time=EventTime.USED,
            score_kind=ScoreKind.FUSED,
            reports_changes=True,
            declares_sources=True,
            needs=("llm",) if asked else (),
            stand_ins=stand_ins_of(self._embedder) if self._embedder is not None else (),
            models=(*identities_of(self._embedder), *asked),
        )

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store *turns* and what they state; when this returns, all of it is on disk."""
        return self._write(turns, scope, None)

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Store *turn*; neither it nor what it alone states is returned from *expires_at* on."""
        return self._write([turn], scope, expires_at)

    def _write(self, turns: Sequence[Turn], scope: Scope, expires_at: datetime | None) -> Receipt:
        read = [(turn, self._extractor.read(turn)) for turn in turns]  # may ask a model: nobody waits for that
        with self._lock:
            writing = Writing(self._ledger, scope)
            with self._ledger.writing():
                for turn, reading in read:
                    writing.turn(turn, reading, expires_at)
            return self._done(writing)

    def _done(self, writing: Writing) -> Receipt:
        """Bring index and file in line with what was written."""
        if any(change.op is Operation.DELETE for change in writing.changes):
            self._ledger.compact()
        if writing.rewritten:
            self._finders.pop(writing.scope, None)
        elif writing.scope in self._finders:
            self._finders[writing.scope].take(writing.stored)
        return Receipt(tuple(writing.changes))

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return at once: every write is searchable when it returns."""

    @locked
    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return at most *k* memories that hold at *as_of*, or, of what *query* asks about, on the day it names.

        Without *as_of* it is the end of time: what has an end is over.
        """
        asked = read_question(query)
        history = asked.history or self._history
        ranked = self._finder(scope).find(query, asked, as_of, k, history=history)
        return Ranking(tuple(Hit(item.memory, score) for item, score in ranked), ScoreKind.FUSED)

    def _finder(self, scope: Scope) -> Finder:
        if scope not in self._finders:
            finder = Finder(self._embedder)
            finder.take(self._ledger.items(scope))
            self._finders[scope] = finder
        return self._finders[scope]

    @locked
    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List everything under *scope*, superseded facts with the end of their validity."""
        return iter([item.memory for item in self._ledger.items(scope)])

    @locked
    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory.

        A turn is read again, as what its speaker said. A fact stays one where its new text states the same slot,
        and is else a note that nothing supersedes; the turn that stated it stays as it was said.
        """
        old = self._ledger.get(scope, memory)
        if old is None:
            return Receipt((Change(Operation.NOOP, memory),))
        reading = self._extractor.read(turn_of(old, text))
        writing = Writing(self._ledger, scope)
        with self._ledger.writing():
            if old.role is not None:
                writing.turn(turn_of(old, text), reading, old.expires)
            else:
                writing.edit(old, text, reading)
        return self._done(writing)

    @locked
    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id, and facts that nothing else states; return how many of the named were there."""
        return len(self._forget(memories, scope))

    def _forget(self, memories: Sequence[str], scope: Scope, at: datetime | None = None) -> list[str]:
        writing = Writing(self._ledger, scope)
        with self._ledger.writing():
            gone = writing.forget(memories, at)
        self._done(writing)
        return gone

    @locked
    def erase(self, scope: Scope) -> None:
        """Erase a scope from the file and from memory; the turns that were erased are not taken again."""
        with self._ledger.writing():
            self._ledger.erase(scope)
        self._ledger.compact()
        self._finders.pop(scope, None)

    @locked
    def sweep(self, now: datetime) -> None:
        """Delete what has expired by *now*, in all scopes; what only ceased to hold stays as history."""
        expired: defaultdict[Scope, list[str]] = defaultdict(list)
        for scope, name in self._ledger.expired(now):
            expired[scope].append(name)
        for scope, names in expired.items():
            self._forget(names, scope, now)

    @locked
    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory, oldest first; a deletion wipes the texts."""
        return tuple(AuditEntry(_OPERATIONS[op], at, text) for op, at, text in self._ledger.history(scope, memory))

    @locked
    def reopen(self) -> None:
        """Drop all state in memory and load it again from the file; without one there is nothing to load."""
        self._finders.clear()
        if self._path is not None:
            self._ledger.close()
            self._ledger = FactLedger(self._path)

    @locked
    def close(self) -> None:
        """Close the file."""
        self._ledger.close()

    def storage_paths(self) -> Sequence[Path]:
        """Name the file and what SQLite keeps beside it."""
        return () if self._path is None else tuple(Path(f"{self._path}{end}") for end in ("", "-wal", "-shm"))

    @locked
    def reset(self) -> None:
        """Forget everything, in all scopes."""
        with self._ledger.writing():
            self._ledger.clear()
        self._ledger.compact()
        self._finders.clear()


def open_extractor(name: str) -> Extractor:
    """Open what reads turns.

    Raises:
        UnknownNameError: Neither ``rules`` nor a model.
        ConfigError: A model that cannot be opened so.
    """
    if name == "rules":
        return RuleExtractor()
    if ":" not in name:
        raise unknown_name("extractor", name, ["rules", "provider:name"])
    from memgauge.systems.pipeline.model import open_model_extractor

    return open_model_extractor(name)
