"""Memories that lose what they were told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import Change, Operation
from memgauge.systems.reference.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn
    from memgauge.records.statements import Statement
    from memgauge.systems.reference.ideal import IdealEntry


class Amnesic(Mutant, how="amnesic", breaks=("LOST_ACROSS_SESSION",)):
    """Knows only what was said in the session of the latest turn."""

    def _begin(self) -> None:
        super()._begin()
        self._sessions: dict[Scope, str] = {}

    def _overhear(self, turn: Turn, scope: Scope, statements: Sequence[Statement]) -> Iterable[Change]:
        if self._sessions.setdefault(scope, turn.session) != turn.session:
            self._entries = [entry for entry in self._entries if entry.scope != scope]
        self._sessions[scope] = turn.session
        return super()._overhear(turn, scope, statements)


class WriteLoser(Mutant, how="write-loser", breaks=("OMISSION", "LOST_ACROSS_SESSION")):
    """Drops every third write and says that it was kept."""

    def _begin(self) -> None:
        super()._begin()
        self._written = 0

    def _keep(self, entry: IdealEntry) -> Change:
        self._written += 1
        return Change(Operation.ADD, entry.id) if self._written % 3 == 0 else super()._keep(entry)


class Volatile(Mutant, how="volatile", breaks=("NOT_DURABLE",)):
    """Loses everything when it is opened again."""

    def reopen(self) -> None:
        """Begin with nothing."""
        self._entries = []


class HalfWritten(Mutant, how="half-written", breaks=("NOT_DURABLE",)):
    """Loses the last write when it is opened again."""

    def reopen(self) -> None:
        """Read back all but the last entry."""
        super().reopen()
        del self._entries[-1:]


class NewestTen(Mutant, how="newest-ten", breaks=("OMISSION", "LOST_ACROSS_SESSION", "FALSE_SUPERSESSION")):
    """Keeps only the newest ten entries of a scope."""

    def _keep(self, entry: IdealEntry) -> Change:
        change = super()._keep(entry)
        own = [old.id for old in self._entries if old.scope == entry.scope]
        gone = set(own[:-10])
        self._entries = [old for old in self._entries if old.scope != entry.scope or old.id not in gone]
        return change


class Late(Mutant, how="late", breaks=("OMISSION", "LOST_ACROSS_SESSION")):
    """Finds what was written only after maintenance."""

    def _begin(self) -> None:
        super()._begin()
        self._indexed: set[tuple[Scope, str]] = set()

    def _visible(self, entry: IdealEntry, as_of: datetime | None) -> bool:
        return (entry.scope, entry.id) in self._indexed and super()._visible(entry, as_of)

    def sweep(self, now: datetime) -> None:
        """Bring the index up to date."""
        super().sweep(now)
        self._indexed |= {(entry.scope, entry.id) for entry in self._entries}


MUTANTS = (Amnesic, WriteLoser, Volatile, HalfWritten, NewestTen, Late)
