"""The full pipeline as a memory system: facts with their time, found by words and meaning, kept on disk."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.records import Change, Hit, Operation, Ranking, Receipt, Scope, ScoreKind
from memgauge.systems.pipeline.asking import read_question
from memgauge.systems.pipeline.finding import Finder
from memgauge.systems.pipeline.ledger import Item, Ledger, scope_of
from memgauge.systems.pipeline.rules import Rules
from memgauge.systems.pipeline.statements import Act
from memgauge.systems.protocol import AuditEntry, Capabilities, EventTime, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from memgauge.records import Memory, Turn
    from memgauge.systems.pipeline.statements import Extractor, Statement

_OPERATIONS = {operation.value: operation for operation in Operation}


class Pipeline:
    """Extracts facts, lets new ones supersede old ones, lets what ends expire, and answers as of any day.

    Facts are returned in place of the turns that state them. Tie rule: score, then the later memory.
    """

    name = "pipeline"
    version = "1"

    def __init__(
        self, *, path: str = "", embedder: str = "semantic", extract: str = "rules", history: bool = False
    ) -> None:
        """Open the memory.

        Args:
            path: Of its SQLite file; empty keeps everything in this process.
            embedder: ``semantic`` takes MiniLM where its weights are at hand and words alone elsewhere; ``none``,
                or any embedder that the dense policies take.
            extract: ``rules``, or a model as ``provider:name`` (see :mod:`memgauge.systems.pipeline.model`).
            history: Return what no longer holds too, marked by the end of its validity.
        """
        self._path = Path(path) if path else None
        self._embedder = embedder
        self._extractor = open_extractor(extract)
        self._history = history
        self._ledger = Ledger(self._path)
        self._finders: dict[Scope, Finder] = {}

    def capabilities(self) -> Capabilities:
        """Declare what it keeps and does."""
        return Capabilities(
            unit=Unit.TURN,
            event_time=EventTime.USED,
            score_kind=ScoreKind.FUSED,
            reports_changes=True,
            declares_sources=True,
            needs=() if self._extractor.name.startswith("rules") else ("llm",),
        )

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store *turns* and what they state; when this returns, all of it is on disk."""
        return self._write(turns, scope, None)

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Store *turn*; neither it nor what it states is returned from *expires_at* on."""
        return self._write([turn], scope, expires_at)

    def _write(self, turns: Sequence[Turn], scope: Scope, expires_at: datetime | None) -> Receipt:
        read = [(turn, self._extractor.read(turn)) for turn in turns]
        written: list[tuple[Operation, Item]] = []
        erased: list[str] = []
        with self._ledger.writing():
            for turn, reading in read:
                old = self._ledger.get(scope, turn.id)
                if old is not None and old.text == turn.text and expires_at is None:
                    written.append((Operation.NOOP, old))
                    continue
                if old is not None:
                    erased += self._take_back(scope, turn.id)
                held = [s for s in reading.statements if s.act is Act.HOLD]
                ends = _earliest(_after(reading.until), expires_at)
                raw = Item(turn.id, turn.text, (turn.id,), turn.at, None, ends, covered=bool(held))
                if old is not None:
                    raw = replace(raw, version=old.version + 1)
                written.append((Operation.ADD if old is None else Operation.UPDATE, raw))
                self._ledger.put(scope, raw, str(written[-1][0]))
                for statement in reading.statements:
                    if statement.act is Act.HOLD:
                        written += self._hold(scope, turn, statement, expires_at)
                    elif statement.act is Act.END:
                        written += self._end(scope, turn, statement)
                    else:
                        erased += self._erase_slot(scope, statement, turn.at)
        if erased:
            self._ledger.compact()
            self._finders.pop(scope, None)
        elif scope in self._finders:
            self._finders[scope].take([item for op, item in written if op is not Operation.NOOP])
        changes = [Change(op, item.id) for op, item in written]
        return Receipt(tuple(changes + [Change(Operation.DELETE, name) for name in erased]))

    def _hold(
        self, scope: Scope, turn: Turn, statement: Statement, expires_at: datetime | None
    ) -> Iterator[tuple[Operation, Item]]:
        """Add a version of a slot: the one before it ends where it begins, and it ends where a later one does."""
        known = self._ledger.facts(scope, statement.subject, statement.slot)
        start = None if statement.over else turn.at
        end = _earliest(_after(statement.until), expires_at)
        if statement.over and statement.until is not None:
            end = datetime.combine(statement.until, time())
        same = [fact for fact in known if fact.value == statement.value and fact.holds(turn.at)]
        if same and not statement.over:
            yield self._store(scope, replace(same[-1], sources=(*same[-1].sources, turn.id)), Operation.UPDATE)
            return
        if statement.functional and not statement.over and start is not None:
            for fact in known:
                if fact.holds(start):
                    yield self._store(scope, replace(fact, valid_to=start), Operation.INVALIDATE)
            later = [f.valid_from for f in known if f.valid_from is not None and f.valid_from > start]
            end = _earliest(end, min(later, default=None))
        name = f"{turn.id}/fact/{sum(fact.id.startswith(f'{turn.id}/fact/') for fact in known)}/{statement.slot}"
        fact = Item(
            name,
            statement.text,
            (turn.id,),
            turn.at,
            start,
            end,
            subject=statement.subject,
            slot=statement.slot,
            value=statement.value,
            functional=statement.functional,
        )
        yield self._store(scope, fact, Operation.ADD)

    def _end(self, scope: Scope, turn: Turn, statement: Statement) -> Iterator[tuple[Operation, Item]]:
        for fact in self._ledger.facts(scope, statement.subject, statement.slot):
            if fact.holds(turn.at) and statement.value in {"", fact.value}:
                yield self._store(scope, replace(fact, valid_to=turn.at), Operation.INVALIDATE)

    def _store(self, scope: Scope, item: Item, op: Operation) -> tuple[Operation, Item]:
        item = item if op is Operation.ADD else replace(item, version=item.version + 1)
        self._ledger.put(scope, item, str(op))
        return op, item

    def _erase_slot(self, scope: Scope, statement: Statement, at: datetime | None) -> list[str]:
        """Forget a slot with all its versions and the turns that stated it; the audit keeps that it was so."""
        facts = self._ledger.facts(scope, statement.subject, statement.slot)
        gone = [fact.id for fact in facts] + [turn for fact in facts for turn in fact.sources]
        gone = list(dict.fromkeys(gone))
        self._ledger.remove(scope, gone, str(Operation.DELETE), at)
        return gone

    def _take_back(self, scope: Scope, turn: str) -> list[str]:
        """Forget what only *turn* states, before it is read again in other words."""
        gone = [item.id for item in self._ledger.items(scope) if item.slot is not None and item.sources == (turn,)]
        self._ledger.remove(scope, gone, str(Operation.DELETE))
        return gone

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return at once: every write is searchable when it returns."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return at most *k* memories that hold on the day that *query* asks about, else at *as_of*, else now."""
        asked = read_question(query)
        at, history = asked.at(as_of), asked.history or self._history
        found = self._finder(scope).find(query, asked.slots, at, max(k, 0), history=history)
        return Ranking(tuple(Hit(item.memory, score) for item, score in found), ScoreKind.FUSED)

    def _finder(self, scope: Scope) -> Finder:
        if scope not in self._finders:
            finder = Finder(self._embedder)
            finder.take(self._ledger.items(scope))
            self._finders[scope] = finder
        return self._finders[scope]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List everything under *scope*, superseded facts with the end of their validity."""
        return (item.memory for item in self._ledger.items(scope))

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory; a fact is then what its new text says and belongs to no slot."""
        with self._ledger.writing():
            old = self._ledger.get(scope, memory)
            if old is None:
                return Receipt((Change(Operation.NOOP, memory),))
            item = replace(old, text=text, version=old.version + 1, covered=False, slot=None, value=None)
            self._ledger.put(scope, item, str(Operation.UPDATE))
        self._finders.pop(scope, None)
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id, and facts that nothing else states; return how many of the named were there."""
        named = set(memories)
        with self._ledger.writing():
            orphans = [
                item.id
                for item in self._ledger.items(scope)
                if item.slot is not None and item.id not in named and named.issuperset(item.sources)
            ]
            gone = self._ledger.remove(scope, list(memories), str(Operation.DELETE))
            self._ledger.remove(scope, orphans, str(Operation.DELETE))
        self._ledger.compact()
        self._finders.pop(scope, None)
        return gone

    def erase(self, scope: Scope) -> None:
        """Erase a scope from the file and from memory."""
        self._ledger.erase(scope)
        self._finders.pop(scope, None)

    def sweep(self, now: datetime) -> None:
        """Delete turns that have expired; facts stay as history."""
        with self._ledger.writing():
            for key, name in self._ledger.expired(now):
                self._ledger.remove(scope_of(key, Scope), [name], str(Operation.DELETE), now)
        self._ledger.compact()
        self._finders.clear()

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory, oldest first; a deletion wipes the texts."""
        return tuple(AuditEntry(_OPERATIONS[op], at, text) for op, at, text in self._ledger.history(scope, memory))

    def reopen(self) -> None:
        """Drop all state in memory and load it again from the file; without one there is nothing to load."""
        self._finders.clear()
        if self._path is not None:
            self._ledger.close()
            self._ledger = Ledger(self._path)

    def storage_paths(self) -> Sequence[Path]:
        """Name the file and what SQLite keeps beside it."""
        return () if self._path is None else tuple(Path(f"{self._path}{end}") for end in ("", "-wal", "-shm"))

    def reset(self) -> None:
        """Forget everything, in all scopes."""
        self._ledger.clear()
        self._finders.clear()


def open_extractor(name: str) -> Extractor:
    """Open what reads turns.

    Raises:
        MissingExtraError: A model was named and the extra for models is absent.
    """
    if name == "rules":
        return Rules()
    from memgauge.systems.pipeline.model import open_model_extractor

    return open_model_extractor(name)


def _after(day: date | None) -> datetime | None:
    """Return the first moment after *day*."""
    return None if day is None else datetime.combine(day + timedelta(days=1), time())


def _earliest(*times: datetime | None) -> datetime | None:
    return min((at for at in times if at is not None), default=None)
