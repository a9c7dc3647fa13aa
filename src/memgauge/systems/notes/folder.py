"""What memories made of files share: a folder a scope, and Markdown files with a line a turn."""

from __future__ import annotations

import re
import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from hashlib import sha256
from threading import RLock
from typing import TYPE_CHECKING, ClassVar

from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.product_store import hashed
from memgauge.systems.locking import locked
from memgauge.systems.notes.lines import line_of, memory_in
from memgauge.systems.notes.tool import read, write
from memgauge.systems.policies.writing import version_of, written
from memgauge.systems.protocol import Capabilities, EventTime
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Scope, Turn

Ranked = list[tuple[Memory, float | None]]
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


@dataclass
class ScopeFiles:
    """The files of one scope by name, each with its memories by id, as they stand on disk."""

    files: dict[str, dict[str, Memory]] = field(default_factory=dict)

    @property
    def memories(self) -> list[Memory]:
        """Every memory, file by file, as a reader meets them."""
        return [memory for name in sorted(self.files) for memory in self.files[name].values()]

    def holder(self, memory: str) -> str | None:
        """Return the file that holds a memory."""
        return next((name for name, held in self.files.items() if memory in held), None)

    def file_of(self, session: str) -> str:
        """Return the file of a session; a new one is numbered, so that names sort as files were begun."""
        named = (
            session
            if _NAME.fullmatch(session)
            else "s" + sha256(session.encode("utf-8", "replace")).hexdigest()[:12]
        )
        begun = next((name for name in self.files if name.partition("-")[2] == f"{named}.md"), None)
        number = 1 + max((int(name.partition("-")[0]) for name in self.files), default=0)
        return begun or f"{number:05}-{named}.md"


class NotesInFiles(ABC):
    """Keeps every turn as a line of a file, and differs from others in which file and in how files are read.

    What is known is what stands in the files: a store is read when a scope is first asked for, and every write is
    on disk when it returns. A line that somebody else wrote into a file stays and is not shown.
    """

    name: str
    score_kind: ScoreKind = ScoreKind.SIMILARITY
    interventions: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *, as_heard: bool = True, path: str = "") -> None:
        """Open the folder at *path*, or an empty one that goes with this object.

        Args:
            as_heard: Whether a line begins with who spoke and when; else it is the words alone.
            path: An empty folder, or one that holds a store.
        """
        self.version = version_of(heard=as_heard, speaker=False)
        self._heard = as_heard
        self._lock = RLock()
        self._home = StoreFolders(self.name, path)
        self._scopes: dict[Scope, ScopeFiles] = {}

    def capabilities(self) -> Capabilities:
        """Declare what files can do."""
        return Capabilities(
            event_time=EventTime.STORED,
            score_kind=self.score_kind,
            reports_changes=True,
            declares_sources=True,
            interventions=self.interventions,
        )

    @abstractmethod
    def _ranked(self, query: str, memories: Sequence[Memory]) -> Ranked:
        """Return what a reader with *query* takes from the files, best first."""

    def _file(self, turn: Turn, scope_files: ScopeFiles) -> str:
        """Say in which file a turn is written."""
        return scope_files.file_of(turn.session)

    @locked
    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Write every turn at the end of its file; one that is there already is not written again."""
        scope_files = self._kept(scope)
        return Receipt(tuple(self._told(turn, scope, scope_files) for turn in turns))

    def _told(self, turn: Turn, scope: Scope, scope_files: ScopeFiles) -> Change:
        text = written(turn, heard=self._heard, speaker=False)
        memory = Memory(turn.id, text, Form.UNKNOWN, (turn.id,), event_at=turn.at, channel=turn.role)
        holder = scope_files.holder(turn.id)
        if holder is not None:
            return self._retold(memory, holder, scope, scope_files)
        return self._written(memory, self._file(turn, scope_files), scope, scope_files)

    def _written(self, memory: Memory, name: str, scope: Scope, scope_files: ScopeFiles) -> Change:
        self._append(name, memory, self._place(scope), self._heading(memory, name, scope_files))
        scope_files.files.setdefault(name, {})[memory.id] = memory
        return Change(Operation.ADD, memory.id)

    def _heading(self, memory: Memory, name: str, scope_files: ScopeFiles) -> str:
        """Return what stands before a line: the day above the first of a file, and else nothing."""
        return "" if name in scope_files.files else f"# {day_of(memory)}\n"

    @abstractmethod
    def _retold(self, memory: Memory, holder: str, scope: Scope, scope_files: ScopeFiles) -> Change:
        """Write a turn that file *holder* has already, perhaps in other words."""

    def _append(self, name: str, memory: Memory, place: Path, heading: str) -> None:
        """Put a line at the end of a file."""
        place.mkdir(parents=True, exist_ok=True)
        with (place / name).open("ab") as file:
            file.write(f"{heading}{line_of(memory)}\n".encode("utf-8", "surrogatepass"))

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: B027 - there is nothing to wait for
        """Return at once: every write is on disk when it returns."""

    @locked
    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - files know no time of asking
        """Read the files of *scope* with *query* in mind."""
        ranked = self._ranked(query, self._kept(scope).memories) if k > 0 else []
        return Ranking(tuple(Hit(memory, score) for memory, score in ranked[:k]), self.score_kind)

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List every line, file by file."""
        with self._lock:
            memories = self._kept(scope).memories
        yield from memories

    @locked
    def erase(self, scope: Scope) -> None:
        """Remove the folder of *scope*, with everything in it."""
        self._scopes.pop(scope, None)
        shutil.rmtree(self._place(scope), ignore_errors=True)

    @locked
    def reset(self) -> None:
        """Remove every file."""
        self._scopes.clear()
        self._home.renew()

    @locked
    def reopen(self) -> None:
        """Read the files again when they are next asked for."""
        self._scopes.clear()

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder of all files."""
        return (self._home.root,)

    def close(self) -> None:
        """Remove a temporary folder; a named one stays."""
        self._home.close()

    def _place(self, scope: Scope) -> Path:
        return self._home.root / hashed(scope)

    def _kept(self, scope: Scope) -> ScopeFiles:
        if scope not in self._scopes:
            self._scopes[scope] = ScopeFiles({n: _memories(text) for n, text in self._texts(scope).items()})
        return self._scopes[scope]

    def _texts(self, scope: Scope) -> Mapping[str, str]:
        """Read the files of *scope* by name."""
        return {path.name: read(path) for path in sorted(self._place(scope).glob("*.md"))}


class EditableNotes(NotesInFiles):
    """Files whose lines can be changed and taken out."""

    def _retold(self, memory: Memory, holder: str, scope: Scope, scope_files: ScopeFiles) -> Change:
        old = scope_files.files[holder][memory.id]
        if old == memory:
            return Change(Operation.NOOP, memory.id)
        self._replace(holder, old, memory, self._place(scope))
        scope_files.files[holder][memory.id] = memory
        return Change(Operation.UPDATE, memory.id)

    def _replace(self, name: str, old: Memory, new: Memory | None, place: Path) -> None:
        """Put a line in the place of another, or take it out."""
        write(place / name, read(place / name).replace(*line_swap(old, new), 1))

    def _remove(self, name: str, place: Path) -> None:
        """Remove a file in which no line is left."""
        (place / name).unlink()

    @locked
    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one line; an unknown id changes nothing."""
        scope_files = self._kept(scope)
        holder = scope_files.holder(memory)
        if holder is None:
            return Receipt((Change(Operation.NOOP, memory),))
        new = replace(scope_files.files[holder][memory], text=text)
        return Receipt((self._retold(new, holder, scope, scope_files),))

    @locked
    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Take lines out by id, and count those that were there; a file without lines goes."""
        scope_files, place = self._kept(scope), self._place(scope)
        holders = {memory: holder for memory in memories if (holder := scope_files.holder(memory)) is not None}
        for memory, holder in holders.items():
            self._replace(holder, scope_files.files[holder].pop(memory), None, place)
            if not scope_files.files[holder]:
                self._remove(holder, place)
                del scope_files.files[holder]
        return len(holders)


def line_swap(old: Memory, new: Memory | None) -> tuple[str, str]:
    """Return a line with the line ends around it, and what takes its place."""
    return f"\n{line_of(old)}\n", "\n" if new is None else f"\n{line_of(new)}\n"


def _memories(text: str) -> dict[str, Memory]:
    read_in = (memory_in(line) for line in text.split("\n"))
    return {memory.id: memory for memory in read_in if memory is not None}


def day_of(memory: Memory) -> str:
    """Return the day of a line, as a heading names it."""
    return spell_date(memory.event_at.date()) if memory.event_at else "undated"
