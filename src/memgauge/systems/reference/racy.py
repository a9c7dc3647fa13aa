"""Memories with one race each: what races must notice.

Each fault is one that ships: a window between reading and writing, a lock of the wrong thing, a cache that is
filled too early. On one thread all of them are right.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.records import Form, Memory, Receipt, Scope
from memgauge.registry import named
from memgauge.systems.reference.shelved import OneValue, Shelved, window

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.records import Turn
    from memgauge.systems.reference.shelved import Rows


class ReadModifyWrite(Shelved, how="read-modify-write"):
    """Adds to what it read before it waited."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Read, wait, write."""
        rows = list(self.rows.get(scope, ()))
        window()
        known = {row.id for row in rows}
        self.rows[scope] = rows + [Memory(t.id, t.text, Form.RAW, (t.id,)) for t in turns if t.id not in known]
        self.save()
        return Receipt()


class FileRewriter(Shelved, how="file-rewriter"):
    """Reads the file, adds to it and writes it again; there is no window but that of reading and writing."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Rewrite the file."""
        self.rows = self.load()
        for turn in turns:
            self.add(Memory(turn.id, turn.text, Form.RAW, (turn.id,)), scope)
        self.save()
        return Receipt()


class LastSaveWins(Shelved, how="last-save-wins"):
    """Writes the file when the lock is free again, so that an older state may come last."""

    def save(self) -> None:
        """Write what was the state before waiting."""
        content = self.content()
        window()
        fresh = self.folder / f"rows-{threading.get_ident()}"
        fresh.write_text(content, "utf-8")
        fresh.replace(self.file)

    @contextmanager
    def guarded(self, scope: Scope) -> Iterator[Scope]:
        """Guard nothing: what is in memory is changed in one go."""
        yield scope


class TornFile(Shelved, how="torn-file"):
    """Writes the file in place, in two pieces, whoever else does."""

    def save(self) -> None:
        """Write one half, and the other."""
        content = self.content()
        with self.file.open("w", encoding="utf-8") as file:
            file.write(content[: len(content) // 2])
            file.flush()
            window()
            file.write(content[len(content) // 2 :])

    @contextmanager
    def guarded(self, scope: Scope) -> Iterator[Scope]:
        """Guard nothing."""
        yield scope


class CheckThenAct(Shelved, how="check-then-act"):
    """Looks whether a turn is there, waits, and stores it."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Check, wait, append."""
        known = {row.id for row in self.rows.setdefault(scope, [])}
        window()
        self.rows[scope].extend(Memory(t.id, t.text, Form.RAW, (t.id,)) for t in turns if t.id not in known)
        self.save()
        return Receipt()


class EraseSnapshot(Shelved, how="erase-snapshot"):
    """Erases by keeping what everybody else had a moment ago."""

    def erase(self, scope: Scope) -> None:
        """Copy the others, wait, put the copy in place."""
        others = {each: list(rows) for each, rows in self.rows.items() if each != scope}
        window()
        with self.lock:
            self.rows = others
            self.save()


class EraseUnlocked(Shelved, how="erase-unlocked"):
    """Erases without waiting for a write that has read what is erased, and writes it back."""

    def add(self, memory: Memory, scope: Scope) -> None:
        """Read, wait, write; the lock keeps other writes out, and no erasure."""
        rows = list(self.rows.get(scope, ()))
        window()
        if all(row.id != memory.id for row in rows):
            self.rows[scope] = [*rows, memory]

    def erase(self, scope: Scope) -> None:
        """Erase at once."""
        self.rows.pop(scope, None)


class EarlyCache(Shelved, how="early-cache"):
    """Shows a write before it is committed; a commit that meets another raises, and the write is taken back."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Show, wait, commit."""
        fresh = [Memory(turn.id, turn.text, Form.RAW, (turn.id,)) for turn in turns]
        with self.lock:
            for memory in fresh:
                self.add(memory, scope)
        busy = not self.lock.acquire(blocking=False)
        try:
            for _ in range(4):
                window()
            if busy:
                with self.lock:
                    self.rows[scope] = [row for row in self.rows.get(scope, ()) if row not in fresh]
                raise RuntimeError("the database is locked")
            self.save()
        finally:
            if not busy:
                self.lock.release()
        return Receipt()

    @contextmanager
    def guarded(self, scope: Scope) -> Iterator[Scope]:
        """Guard nothing: readers do not wait for writers."""
        yield scope


class ReadsWhileRewriting(Shelved, how="reads-while-rewriting"):
    """Rebuilds what readers look at, and they do not wait."""

    def add(self, memory: Memory, scope: Scope) -> None:
        """Empty the list, wait, fill it."""
        rows = self.rows.setdefault(scope, [])
        again = [*rows, *([] if any(row.id == memory.id for row in rows) else [memory])]
        rows.clear()
        window()
        rows.extend(again)

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List without the lock."""
        return list(self.rows.get(scope, ()))


class IdCounter(Shelved, how="id-counter"):
    """Numbers memories with a counter that two may read at once; one id is one memory."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[Scope, int] = {}
        self.by_turn: dict[str, str] = {}

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Take a number, wait, count on."""
        for turn in turns:
            if turn.id in self.by_turn:
                continue
            number = self.numbers.get(scope, 0)
            window()
            self.numbers[scope] = number + 1
            self.by_turn[turn.id] = f"m{number}"
            with self.lock:
                rows = [row for row in self.rows.get(scope, ()) if row.id != f"m{number}"]
                self.rows[scope] = [*rows, Memory(f"m{number}", turn.text, Form.RAW, (turn.id,))]
        return Receipt()


class UserLocks(Shelved, how="user-locks"):
    """Has a lock for every user, and one store that all of them read and write in whole."""

    def __init__(self) -> None:
        super().__init__()
        self.locks: dict[Scope, threading.RLock] = {}

    @contextmanager
    def guarded(self, scope: Scope) -> Iterator[Scope]:
        """Keep the same user out."""
        with self.locks.setdefault(scope, threading.RLock()):
            yield scope

    def add(self, memory: Memory, scope: Scope) -> None:
        """Copy everything, wait, put the copy in place."""
        everything = {each: list(rows) for each, rows in self.rows.items()}
        window()
        if all(row.id != memory.id for row in everything.setdefault(scope, [])):
            everything[scope].append(memory)
        self.rows = everything


class SharedScope(Shelved, how="shared-scope"):
    """Has one connection whose user is set before every call."""

    scope = Scope("")

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Set the user, wait, write for whoever is set."""
        self.scope = scope
        window()
        return super().ingest(turns, self.scope)

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """Set the user, wait, read for whoever is set."""
        self.scope = scope
        window()
        return super().dump(self.scope)


class UpdateRestores(Shelved, how="update-restores"):
    """Updates a memory that it read before somebody deleted it."""

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Read, wait, write whatever is there now."""
        old = next((row for row in self.rows.get(scope, ()) if row.id == memory), None)
        window()
        with self.lock:
            rest = [row for row in self.rows.get(scope, ()) if row.id != memory]
            self.rows[scope] = rest if old is None else [*rest, replace(old, text=text)]
        return Receipt()


class UpdateCopies(Shelved, how="update-copies"):
    """Updates one memory in a copy of all, which takes with it what others wrote."""

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Copy, wait, put the copy in place."""
        rows = [replace(row, text=text) if row.id == memory else row for row in self.rows.get(scope, ())]
        window()
        self.rows[scope] = rows
        return Receipt()


class DeleteCounts(Shelved, how="delete-counts"):
    """Says that it removed what somebody else removed."""

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Look, wait, remove."""
        there = [row.id for row in self.rows.get(scope, ()) if row.id in memories]
        window()
        super().delete(memories, scope)
        return len(there)


class StaleCache(Shelved, how="stale-cache"):
    """Forgets what it cached before a write is committed, and not after."""

    def __init__(self) -> None:
        super().__init__()
        self.cached: dict[Scope, Rows] = {}

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Drop the cache, wait, write."""
        self.cached.pop(scope, None)
        window()
        return super().ingest(turns, scope)

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Drop the cache, wait, write."""
        self.cached.pop(scope, None)
        window()
        return super().update(memory, text, scope)

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Write, and drop the cache."""
        count = super().delete(memories, scope)
        self.cached.clear()
        return count

    def erase(self, scope: Scope) -> None:
        """Write, and drop the cache."""
        super().erase(scope)
        self.cached.clear()

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List what is cached."""
        if scope not in self.cached:
            self.cached[scope] = list(super().dump(scope))
        return self.cached.get(scope, [])

    def reopen(self) -> None:
        """Read the file, and cache nothing."""
        super().reopen()
        self.cached.clear()


class TwoCurrent(OneValue, how="two-current"):
    """Ends what it saw when it began, so that two values may hold."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """See what is there, wait, end that, add."""
        for turn in turns:
            memory = Memory(turn.id, turn.text, Form.RAW, (turn.id,))
            seen = list(self.rows.get(scope, ()))
            ended = {row.id for row in seen} - {row.id for row in self.surviving(seen, memory)}
            window()
            with self.lock:
                rows = [row for row in self.rows.get(scope, ()) if row.id not in ended | {memory.id}]
                self.rows[scope] = [*rows, memory]
                self.save()
        return Receipt()


class EndsEachOther(OneValue, how="ends-each-other"):
    """Adds a value and ends all others of its slot afterwards, those that came meanwhile too."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add, wait, end."""
        for turn in turns:
            memory = Memory(turn.id, turn.text, Form.RAW, (turn.id,))
            with self.lock:
                rows = [row for row in self.rows.get(scope, ()) if row.id != memory.id]
                self.rows[scope] = [*rows, memory]
            window()
            with self.lock:
                rows = self.rows.get(scope, [])
                ended = {row.id for row in rows} - {row.id for row in self.surviving(rows, memory)} - {memory.id}
                self.rows[scope] = [row for row in rows if row.id not in ended]
                self.save()
        return Receipt()


SOUND: Mapping[str, type[Shelved]] = {memory.how: memory for memory in (Shelved, OneValue)}
"""Memories that are right on several threads."""
RACY: Mapping[str, type[Shelved]] = {
    memory.how: memory
    for memory in (
        *(ReadModifyWrite, FileRewriter, LastSaveWins, TornFile, CheckThenAct, EraseSnapshot, EraseUnlocked),
        *(EarlyCache, ReadsWhileRewriting, IdCounter, UserLocks, SharedScope, UpdateRestores, UpdateCopies),
        *(DeleteCounts, StaleCache, TwoCurrent, EndsEachOther),
    )
}
"""Every memory with a race, by what is wrong with it."""


def racy(variant: str = "none") -> Shelved:
    """Open a small memory with one race on purpose, or with none: ``racy:read-modify-write``, ``racy:none``."""
    known = {**SOUND, **RACY}
    return named("race", variant, known)()
