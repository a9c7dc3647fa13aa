"""The memory that has nothing wrong: it is told what turns mean, and keeps every promise that a memory can make.

It exists to prove that every golden scenario can be passed, and to be broken: each mutant is this memory with one
method changed. So every promise has a method of its own.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any
from weakref import finalize

from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, Scope
from memgauge.records.statements import ME, Act
from memgauge.systems.protocol import AuditEntry, Capabilities, EventTime, Role
from memgauge.text.jsons import json_file
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from memgauge.records import Turn
    from memgauge.records.statements import Statement


@dataclass(frozen=True)
class IdealEntry:
    """One thing that is kept."""

    id: str
    scope: Scope
    text: str
    turn: str
    at: datetime | None
    slot: str = ""
    """Empty for talk that means nothing."""
    value: str = ""
    functional: bool = True
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    trusted: bool = True
    version: int = 1

    def holds(self, at: datetime | None) -> bool:
        """Whether it is valid at a time; without one, whether nothing has ended it."""
        if at is None:
            return self.valid_to is None
        begun = self.valid_from is None or self.valid_from <= at
        return begun and (self.valid_to is None or at < self.valid_to)


class Ideal:
    """Keeps facts with their time, per scope, on disk; quarantines what is not trusted; forgets on command."""

    name = "ideal"
    version = "1"

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Know nothing."""
        self._entries: list[IdealEntry] = []
        self._meaning: dict[str, tuple[tuple[Statement, ...], bool]] = {}
        self._heard: set[tuple[Scope, str]] = set()
        self._forgotten: set[tuple[Scope, str]] = set()
        """Turns whose content was erased: a replay does not bring it back."""
        self._audit: dict[tuple[Scope, str], list[AuditEntry]] = {}
        self._clock: datetime | None = None
        """The time that it was told last, by a search or by maintenance."""
        self._latest: datetime | None = None
        """The time of the latest turn."""

    def capabilities(self) -> Capabilities:
        """Declare everything."""
        return Capabilities(
            event_time=EventTime.USED, reports_changes=True, declares_sources=True, role=Role.CEILING
        )

    # --- writing

    def teach(self, turn: str, statements: Sequence[Statement], *, trusted: bool) -> None:
        """Learn what a turn means."""
        self._meaning[turn] = (tuple(_of_user(statement) for statement in statements), trusted)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep what *turns* mean; a turn that was heard before changes nothing."""
        changes = [change for turn in turns for change in self._take(turn, scope, None)]
        return Receipt(tuple(changes))

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Keep what *turn* means until *expires_at*."""
        return Receipt(tuple(self._take(turn, scope, expires_at)))

    def _take(self, turn: Turn, scope: Scope, expires_at: datetime | None) -> Iterable[Change]:
        if self._is_replay(turn, scope):
            return
        self._heard.add((scope, turn.id))
        self._latest = max(filter(None, (self._latest, turn.at)), default=None)
        statements, trusted = self._meaning.get(turn.id, ((), True))
        yield from self._overhear(turn, scope, statements)
        for number, statement in enumerate(statements):
            yield from self._learn(turn, scope, statement, number, trusted=trusted, expires_at=expires_at)

    def _overhear(self, turn: Turn, scope: Scope, statements: Sequence[Statement]) -> Iterable[Change]:  # noqa: ARG002 - a mutant keeps what this one lets go
        """Do with the words of a turn, beside what it states, whatever is to be done: nothing."""
        return ()

    def _is_replay(self, turn: Turn, scope: Scope) -> bool:
        """Whether a turn was heard before or was forgotten on purpose."""
        return (scope, turn.id) in self._heard or (scope, turn.id) in self._forgotten

    def _learn(
        self,
        turn: Turn,
        scope: Scope,
        statement: Statement,
        number: int,
        *,
        trusted: bool,
        expires_at: datetime | None,
    ) -> Iterable[Change]:
        """Do what one statement says."""
        if statement.act is Act.END:
            yield from self._end(scope, statement, turn.at)
            return
        if statement.act is Act.ERASE:
            yield from self._forget_on_request(scope, statement) if trusted else ()
            return
        entry = IdealEntry(
            f"{turn.id}/{number}",
            scope,
            f"{statement.slot}: {statement.value}",
            turn.id,
            turn.at,
            statement.slot,
            statement.value,
            statement.functional,
            self._beginning(statement, turn),
            self._ending(statement, expires_at) or (turn.at if statement.over else None),
            trusted,
        )
        if trusted and not statement.over and statement.functional:
            entry = yield from self._supersede(entry)
        yield self._keep(entry)

    def _beginning(self, statement: Statement, turn: Turn) -> datetime | None:
        """Return the first moment at which a statement holds; ``None`` if that was ever so."""
        if statement.over:
            return None
        return datetime.combine(statement.since, time()) if statement.since else self._event_time(turn)

    def _event_time(self, turn: Turn) -> datetime | None:
        """Return when what a turn states began to hold: when it was said, not when it arrived."""
        return turn.at

    def _ending(self, statement: Statement, expires_at: datetime | None) -> datetime | None:
        """Return the first moment at which a statement no longer holds."""
        ends = [expires_at] if expires_at else []
        if statement.until is not None:
            after = statement.until if statement.over else statement.until + timedelta(days=1)
            ends.append(datetime.combine(after, time()))
        return min(ends, default=None)

    def _supersede(self, entry: IdealEntry) -> Generator[Change, None, IdealEntry]:
        """End what *entry* takes the place of, and end *entry* where something later took its place already."""
        for place, old in enumerate(self._entries):
            if not self._rivals(old, entry) or entry.valid_from is None:
                continue
            if old.valid_from is None or old.valid_from <= entry.valid_from:
                if old.valid_to is None or old.valid_to > entry.valid_from:
                    self._entries[place] = replace(old, valid_to=entry.valid_from, version=old.version + 1)
                    yield Change(Operation.INVALIDATE, old.id)
            elif entry.valid_to is None or entry.valid_to > old.valid_from:
                entry = replace(entry, valid_to=old.valid_from)
        return entry

    def _rivals(self, old: IdealEntry, new: IdealEntry) -> bool:
        """Whether only one of two entries can hold."""
        same = old.scope == new.scope and old.slot == new.slot
        return same and old.functional and old.trusted and old.value != new.value

    def _end(self, scope: Scope, statement: Statement, at: datetime | None) -> Iterable[Change]:
        """End a slot, or one value of it."""
        for place, old in enumerate(self._entries):
            named = old.scope == scope and old.slot == statement.slot and statement.value in {"", old.value}
            if named and old.holds(at):
                self._entries[place] = replace(old, valid_to=at, version=old.version + 1)
                yield Change(Operation.INVALIDATE, old.id)

    def _forget_on_request(self, scope: Scope, statement: Statement) -> Iterable[Change]:
        """Forget a slot, or one value of it, its history included."""
        of_slot = (entry for entry in self._entries if entry.scope == scope and entry.slot == statement.slot)
        gone = [entry for entry in of_slot if statement.value in {"", entry.value}]
        self._forget(gone)
        return [Change(Operation.DELETE, entry.id) for entry in gone]

    def _keep(self, entry: IdealEntry) -> Change:
        """Store *entry* and say so in the audit."""
        self._entries.append(entry)
        self._note(entry.scope, entry.id, AuditEntry(Operation.ADD, entry.at, entry.text))
        return Change(Operation.ADD, entry.id)

    # --- reading

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return what holds at *as_of*, what shares words with *query* first, then the latest."""
        self._clock = as_of or self._clock
        seen = self._found(query, scope, as_of)
        ranked = sorted(enumerate(seen), key=lambda pair: (-self._relevance(query, pair[1]), -pair[0]))
        return Ranking(tuple(Hit(self._memory(entry)) for _, entry in ranked[: self._limit(k)]))

    def _found(self, query: str, scope: Scope, as_of: datetime | None) -> Sequence[IdealEntry]:  # noqa: ARG002 - a mutant looks at the query
        """Return whatever may be returned at all: what belongs to *scope* and holds at *as_of*."""
        return [entry for entry in self._entries if self._may_see(entry, scope) and self._visible(entry, as_of)]

    def _limit(self, k: int) -> int:
        """Return how many hits may be returned."""
        return max(k, 0)

    def _may_see(self, entry: IdealEntry, scope: Scope) -> bool:
        """Whether *entry* belongs to whoever asks: scopes are compared as they are spelled."""
        return entry.scope == scope

    def _visible(self, entry: IdealEntry, as_of: datetime | None) -> bool:
        """Whether *entry* may be returned as memory at a time."""
        return entry.trusted and entry.holds(as_of)

    def _relevance(self, query: str, entry: IdealEntry) -> int:
        """Count the words that a question shares with the name of a slot."""
        return self._likeness(query, entry.slot)[0]

    def _likeness(self, query: str, slot: str) -> tuple[int, int]:
        """Count the words of a question that are in the name of a slot, and, below nought, those that it lacks."""
        words = set(tokenize(slot))
        shared = len(words & set(tokenize(query)))
        return shared, shared - len(words)

    def _memory(self, entry: IdealEntry) -> Memory:
        """Return *entry* as others see it."""
        form = Form.CANONICAL if entry.slot else Form.RAW
        channel = "" if entry.trusted else "quarantine"
        return Memory(
            entry.id,
            entry.text,
            form,
            (entry.turn,),
            entry.version,
            entry.at,
            entry.valid_from,
            entry.valid_to,
            channel=channel,
        )

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Return what would be found, a line each, as much as fits."""
        text = ""
        for hit in self.search(query, scope, 50, self._now()).hits:
            line = f"- {hit.memory.text}\n"
            if len(text) + len(line) > budget:
                break
            text += line
        return text

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer with what holds of the slot that is asked for, of all that it ever heard of."""
        slots = {entry.slot for entry in self._entries if entry.slot and self._may_see(entry, scope)}
        asked = {slot: self._likeness(question, slot) for slot in slots}
        best = max(asked.values(), default=(0, 0))
        seen = [entry.value for entry in self._found(question, scope, as_of) if asked.get(entry.slot) == best]
        return " and ".join(seen) if seen and best[0] else "I do not know."

    def _now(self) -> datetime | None:
        """Return the latest moment that it was told of; ``None`` before any."""
        return max(filter(None, (self._latest, self._clock)), default=None)

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List everything under *scope*, quarantined and ended entries too."""
        return [self._memory(entry) for entry in self._entries if self._may_see(entry, scope)]

    # --- changing and forgetting

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return at once."""

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory."""
        for place, old in enumerate(self._entries):
            if old.id == memory and old.scope == scope:
                value = text.removeprefix(f"{old.slot}: ")
                self._entries[place] = replace(old, text=text, value=value, version=old.version + 1)
                self._note(scope, memory, AuditEntry(Operation.UPDATE, old.at, text))
                return Receipt((Change(Operation.UPDATE, memory),))
        return Receipt((Change(Operation.NOOP, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Forget memories by id; the turns that they came from stay forgotten."""
        gone = [entry for entry in self._entries if entry.id in set(memories) and self._may_see(entry, scope)]
        self._forget(gone)
        return len(gone)

    def _forget(self, gone: Sequence[IdealEntry]) -> None:
        """Remove entries, wipe their texts from the audit, and remember only that it was done."""
        ids = {(entry.scope, entry.id) for entry in gone}
        self._entries = [entry for entry in self._entries if (entry.scope, entry.id) not in ids]
        for entry in gone:
            self._forgotten.add((entry.scope, entry.turn))
            self._wipe(entry)
            self._note(entry.scope, entry.id, AuditEntry(Operation.DELETE, None, None))

    def _wipe(self, entry: IdealEntry) -> None:
        """Take the text of an entry out of its history."""
        key = (entry.scope, entry.id)
        self._audit[key] = [replace(line, text=None) for line in self._audit.get(key, [])]

    def erase(self, scope: Scope) -> None:
        """Forget everything under *scope*."""
        self._forget([entry for entry in self._entries if entry.scope == scope])

    def sweep(self, now: datetime) -> None:
        """Tidy up: nothing that holds, and nothing of the history, is lost."""
        self._clock = now

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory."""
        return tuple(self._audit.get((scope, memory), ()))

    def _note(self, scope: Scope, memory: str, entry: AuditEntry) -> None:
        """Add a line to the audit."""
        self._audit.setdefault((scope, memory), []).append(entry)

    # --- lasting

    def reopen(self) -> None:
        """Close and open: everything is written down and read again."""
        self._save()
        self._load()

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder of the one file."""
        self._save()
        return (self.folder,)

    @cached_property
    def folder(self) -> Path:
        """The folder of the store, made when it is needed and gone with the memory."""
        path = mkdtemp(prefix="memgauge-ideal-")
        finalize(self, rmtree, path, ignore_errors=True)
        return Path(path)

    @property
    def _file(self) -> Path:
        return self.folder / "memory.json"

    def _save(self) -> None:
        self._file.write_text(json.dumps(list(map(_row, self._entries)), default=datetime.isoformat), "utf-8")

    def _load(self) -> None:
        self._entries = [_entry(row) for row in json_file(self._file)]

    def reset(self) -> None:
        """Forget everything, in all scopes, the audit included."""
        self._begin()
        for file in self.folder.iterdir() if "folder" in vars(self) else ():
            file.unlink()


def _row(entry: IdealEntry) -> dict[str, Any]:
    return {**vars(entry), "scope": asdict(entry.scope)}


def _entry(row: dict[str, Any]) -> IdealEntry:
    times = {name: row[name] and datetime.fromisoformat(row[name]) for name in ("at", "valid_from", "valid_to")}
    return IdealEntry(**{**row, **times, "scope": Scope(**row["scope"])})


def _of_user(statement: Statement) -> Statement:
    """Make what somebody else has a thing that the user told of: "Lena's doctor"."""
    return replace(statement, subject=ME, slot=statement.thing)
