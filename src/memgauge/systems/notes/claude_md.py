"""Notes as in a ``CLAUDE.md``: one file that only grows, in sections by day, read whole or by grep."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.records import Change, Operation, ScoreKind
from memgauge.systems.locking import locked
from memgauge.systems.notes.folder import NotesInFiles, day_of
from memgauge.systems.notes.grep import by_count, counted_words, keywords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Memory, Scope, Turn
    from memgauge.systems.notes.folder import Ranked, ScopeFiles

FILE: Final = "CLAUDE.md"
READS: Final = ("grep", "whole")


class ClaudeMd(NotesInFiles):
    """Keeps every turn as the next line of one notes file, under the heading of its day, and changes none.

    ``grep`` takes the lines that hold most words of the question, of equals the newest; ``whole`` has no question:
    the file is read from its end, as far as there is room. What is said anew stands below what was said before.
    """

    name = "claude-md"
    interventions = ("no model writes the notes: every turn is a line of them, as it was said",)

    def __init__(self, *, read: str = "grep", as_heard: bool = True, path: str = "") -> None:
        """Open the folder at *path*, or an empty one that goes with this object.

        Args:
            read: ``grep`` or ``whole``.
            as_heard: Whether a line begins with who spoke and when; else it is the words alone.
            path: An empty folder, or one that holds a store.

        Raises:
            ConfigError: There is no such way to read.
        """
        if read not in READS:
            raise ConfigError(f"claude-md has no read={read}.", f"Take {' or '.join(READS)}.")
        self._whole = read == "whole"
        self.score_kind = ScoreKind.NONE if self._whole else ScoreKind.SIMILARITY
        super().__init__(as_heard=as_heard, path=path)

    @locked
    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Return what is read, as much as fits, in the order in which it stands in the file."""
        memories = self._kept(scope).memories
        taken, room = set[str](), budget
        for memory, _ in self._ranked(query, memories):
            room -= len(memory.text) + bool(taken)
            if room < 0:
                break
            taken.add(memory.id)
        return "\n".join(memory.text for memory in memories if memory.id in taken)

    def _ranked(self, query: str, memories: Sequence[Memory]) -> Ranked:
        if self._whole:
            return [(memory, None) for memory in reversed(memories)]
        return by_count(counted_words(keywords(query), memories))

    def _file(self, turn: Turn, scope_files: ScopeFiles) -> str:  # noqa: ARG002 - all turns share one file
        return FILE

    def _heading(self, memory: Memory, name: str, scope_files: ScopeFiles) -> str:
        """Return the heading of a day where the line above is of another."""
        last = next(reversed(scope_files.files.get(name, {}).values()), None)
        return "" if last is not None and day_of(last) == day_of(memory) else f"## {day_of(memory)}\n"

    def _retold(self, memory: Memory, holder: str, scope: Scope, scope_files: ScopeFiles) -> Change:
        versions = [line for line in scope_files.memories if line.sources == memory.sources]
        if memory.text in {line.text for line in versions}:
            return Change(Operation.NOOP, memory.id)
        return self._written(replace(memory, id=f"{memory.id}#{len(versions) + 1}"), holder, scope, scope_files)
