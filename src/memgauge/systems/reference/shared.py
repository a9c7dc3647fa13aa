"""What the further reference memories share: being taught, finding by words, and a file that outlives the process.

Each of them keeps what it learned in a form of its own and reads it in a way of its own, so that they fail
differently when they are broken. What they share is what a search needs, and the seams at which they are broken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

from memgauge.records import Change, Hit, Operation, Ranking, Receipt
from memgauge.systems.protocol import AuditEntry, Capabilities, EventTime, Role
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.records import Memory, Scope, Turn
    from memgauge.records.statements import Statement

UNKNOWN = "I do not know."


@dataclass(frozen=True)
class Recollection:
    """One memory that may be returned, and what it is about."""

    slot: str
    memory: Memory


@dataclass(frozen=True)
class Lesson:
    """What a turn means, and whether who said it is believed."""

    statements: tuple[Statement, ...] = ()
    trusted: bool = True
    expires_at: datetime | None = field(default=None)

    @staticmethod
    def begins(statement: Statement, said_at: datetime | None) -> datetime | None:
        """Return the first moment at which one of its statements holds; ``None`` if that was ever so."""
        if statement.over:
            return None
        return datetime.combine(statement.since, time()) if statement.since else said_at

    def ends(self, statement: Statement) -> datetime | None:
        """Return the first moment at which one of its statements no longer holds."""
        moments = [self.expires_at] if self.expires_at else []
        if statement.until is not None:
            days = 0 if statement.over else 1
            moments.append(datetime.combine(statement.until + timedelta(days=days), time()))
        return min(moments, default=None)


class ReferenceMemory(ABC):
    """A memory that is told what turns mean; the parts at which it is broken on purpose are its own methods."""

    name: str
    version = "1"

    def __init__(self) -> None:
        self._meaning: dict[str, Lesson] = {}
        self._begin()

    def _begin(self) -> None:
        """Know nothing."""
        self._now: datetime | None = None
        """The latest moment that it was told of, by a turn, a search or maintenance."""
        self._audit: dict[tuple[Scope, str], list[AuditEntry]] = {}

    def capabilities(self) -> Capabilities:
        """Declare everything."""
        return Capabilities(
            event_time=EventTime.USED, reports_changes=True, declares_sources=True, role=Role.CEILING
        )

    # --- writing

    def teach(self, turn: str, statements: Sequence[Statement], *, trusted: bool) -> None:
        """Learn what a turn means."""
        self._meaning[turn] = Lesson(tuple(statements), trusted)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep what *turns* mean; a turn that was heard before changes nothing."""
        return Receipt(tuple(change for turn in turns for change in self._hear(turn, scope, None)))

    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Keep what *turn* means until *expires_at*."""
        return Receipt(tuple(self._hear(turn, scope, expires_at)))

    def _hear(self, turn: Turn, scope: Scope, expires_at: datetime | None) -> Iterable[Change]:
        self._learn_time(turn.at)
        lesson = self._understand(turn)
        return self._take(turn, scope, Lesson(lesson.statements, lesson.trusted, expires_at))

    def _understand(self, turn: Turn) -> Lesson:
        """Return what a turn means, as it was taught."""
        return self._meaning.get(turn.id, Lesson())

    @abstractmethod
    def _take(self, turn: Turn, scope: Scope, lesson: Lesson) -> list[Change]:
        """Keep what *lesson* says, unless the turn was heard before or is to stay forgotten."""

    def _forget_on_request(self, scope: Scope, statement: Statement, lesson: Lesson) -> list[Change]:
        """Do what whoever is believed asks: forget a slot, its history included."""
        names = self._stored_of(scope, statement) if lesson.trusted else []
        self.delete(names, scope)
        return [Change(Operation.DELETE, name) for name in names]

    @abstractmethod
    def _stored_of(self, scope: Scope, statement: Statement) -> list[str]:
        """Name everything stored of the slot that *statement* is about."""

    def _learn_time(self, at: datetime | None) -> None:
        self._now = max(filter(None, (self._now, at)), default=None)

    # --- reading

    @abstractmethod
    def _recall(self, scope: Scope, at: datetime | None) -> list[Recollection]:
        """Return everything that holds under *scope* at a time and is believed, oldest first."""

    @abstractmethod
    def _slots(self, scope: Scope) -> set[str]:
        """Name everything that was ever spoken of under *scope* and is not forgotten."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return what holds at *as_of*, what shares words with *query* first, then the latest."""
        self._learn_time(as_of)
        words = set(tokenize(query))
        seen = list(enumerate(self._recall(scope, as_of or self._now)))
        seen.sort(key=lambda pair: (-len(words & set(tokenize(pair[1].slot))), -pair[0]))
        return Ranking(tuple(Hit(each.memory) for _, each in seen[: max(k, 0)]))

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Return what would be found now, a line each, as much as fits."""
        lines, room = [], budget
        for hit in self.search(query, scope, 50, self._now).hits:
            room -= len(hit.memory.text) + 3
            if room < 0:
                break
            lines.append(f"* {hit.memory.text}\n")
        return "".join(lines)

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:
        """Answer with what holds of the slot that is asked for, or decline."""
        self._learn_time(as_of)
        about = self._about(question, scope)
        held = [each.memory.text for each in self._recall(scope, as_of or self._now) if each.slot in about]
        return " ".join(held) if held else UNKNOWN

    def _about(self, question: str, scope: Scope) -> set[str]:
        """Return the slots that share most words with a question, and of these those that hold fewest others."""
        words = set(tokenize(question))
        likeness = {
            slot: (len(names & words), -len(names - words))
            for slot in self._slots(scope)
            for names in [set(tokenize(slot))]
        }
        best = max(likeness.values(), default=(0, 0))
        return {slot for slot, like in likeness.items() if like == best and best[0]}

    @abstractmethod
    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List everything under *scope*, quarantined and ended memories too."""

    # --- changing, forgetting, lasting

    @abstractmethod
    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory."""

    @abstractmethod
    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id; the turns that they came from stay heard."""

    @abstractmethod
    def erase(self, scope: Scope) -> None:
        """Forget everything under *scope*."""

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: B027 - there is nothing to wait for
        """Return at once."""

    def sweep(self, now: datetime) -> None:
        """Tidy up: nothing that holds, and nothing of the history, is lost."""
        self._learn_time(now)

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory."""
        return tuple(self._audit.get((scope, memory), ()))

    def _note(self, scope: Scope, memory: str, op: Operation, at: datetime | None, text: str | None) -> None:
        self._audit.setdefault((scope, memory), []).append(AuditEntry(op, at, text))

    def _wipe(self, scope: Scope, memory: str) -> None:
        """Take the words out of the history of a memory; that something happened stays."""
        if lines := self._audit.get((scope, memory)):
            self._audit[scope, memory] = [AuditEntry(line.op, line.at, None) for line in lines]

    @abstractmethod
    def _written(self) -> str:
        """Return all that is known, as it stands in the file."""

    @abstractmethod
    def _read(self, text: str) -> None:
        """Know what a file says."""

    def reopen(self) -> None:
        """Write everything down, forget it, and read it again."""
        self._save(self._written())
        self._meaning = {}
        self._begin()
        self._read(self._load())

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder of the one file."""
        self._save(self._written())
        return (self.folder,)

    @cached_property
    def folder(self) -> Path:
        """The folder of the store, made when it is needed and gone with the memory."""
        path = mkdtemp(prefix=f"memgauge-{self.name}-")
        finalize(self, rmtree, path, ignore_errors=True)
        return Path(path)

    @property
    def file(self) -> Path:
        """The file of the store."""
        return self.folder / f"{self.name}.store"

    def _save(self, text: str) -> None:
        self.file.write_text(text, "utf-8")

    def _load(self) -> str:
        return self.file.read_text("utf-8")

    def reset(self) -> None:
        """Forget everything, in all scopes, the audit included."""
        self._meaning = {}
        self._begin()
        for file in self.folder.iterdir() if "folder" in vars(self) else ():
            file.unlink()
