"""Memories that do not forget what they were asked to forget, or forget more."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memgauge.systems.reference.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope, Turn
    from memgauge.systems.protocol import AuditEntry
    from memgauge.systems.reference.ideal import IdealEntry


class _Binned(Mutant):
    """Puts what is erased where it can be found again."""

    def _begin(self) -> None:
        super()._begin()
        self._bin: list[IdealEntry] = []

    def _forget(self, gone: Sequence[IdealEntry]) -> None:
        super()._forget(gone)
        self._bin += gone

    def _bring_back(self) -> None:
        self._entries += self._bin
        self._bin = []


class SoftErase(_Binned, how="soft-erase", breaks=("RESURRECTION",)):
    """Brings back what was erased when it tidies up."""

    def sweep(self, now: datetime) -> None:
        """Rebuild from everything that was ever written."""
        super().sweep(now)
        self._bring_back()


class ResurrectsOnRestart(_Binned, how="resurrects-on-restart", breaks=("RESURRECTION",)):
    """Brings back what was erased when it is opened again."""

    def reopen(self) -> None:
        """Read a store to which no erasure was written."""
        super().reopen()
        self._bring_back()


class ResurrectsOnReplay(Mutant, how="resurrects-on-replay", breaks=("RESURRECTION",)):
    """Stores again what was erased when the turn is handed over once more."""

    def _is_replay(self, turn: Turn, scope: Scope) -> bool:
        return super()._is_replay(turn, scope) and (scope, turn.id) not in self._forgotten


class ErasePage(Mutant, how="erase-page", breaks=("ERASED_READ", "RESIDUE")):
    """Erases a hundred entries at most and says that all are gone."""

    def _forget(self, gone: Sequence[IdealEntry]) -> None:
        super()._forget(gone[:100])


class EraseIndexOnly(Mutant, how="erase-index-only", breaks=("RESIDUE",)):
    """Takes what is erased out of the index and leaves it in the store."""

    def _forget(self, gone: Sequence[IdealEntry]) -> None:
        super()._forget(gone)
        self._entries += [replace(entry, valid_to=datetime.min) for entry in gone]  # noqa: DTZ901 - naive like every time of a scenario


class EraseFileResidue(Mutant, how="erase-file-residue", breaks=("RESIDUE",)):
    """Leaves the bytes of what is erased in a file beside the store."""

    def _forget(self, gone: Sequence[IdealEntry]) -> None:
        super()._forget(gone)
        with (self.folder / "memory.log").open("a", encoding="utf-8") as log:
            log.writelines(f"{entry.text}\n" for entry in gone)


class ErasesSiblings(Mutant, how="erases-siblings", breaks=("COLLATERAL_ERASURE",)):
    """Erases with a memory those that were stored just before and after it."""

    def _forget(self, gone: Sequence[IdealEntry]) -> None:
        near = [
            other
            for entry in gone
            for own in [[old for old in self._entries if old.scope == entry.scope]]
            for other in own[max(own.index(entry) - 1, 0) : own.index(entry) + 2]
        ]
        super()._forget(list(dict.fromkeys(near)))


class EraseWildcard(Mutant, how="erase-wildcard", breaks=("COLLATERAL_ERASURE", "LOST_ACROSS_SESSION")):
    """Erases everybody when one user asks to be forgotten."""

    def erase(self, scope: Scope) -> None:  # noqa: ARG002 - the protocol's signature
        """Forget everything under every scope."""
        self._forget(self._entries)


class Unaudited(Mutant, how="unaudited", breaks=("UNAUDITED",)):
    """Writes nothing down of what happens to a memory."""

    def _note(self, scope: Scope, memory: str, entry: AuditEntry) -> None:
        """Do nothing."""


class AuditLeaks(Mutant, how="audit-leaks", breaks=("AUDIT_LEAK",)):
    """Keeps in its audit what was erased from the store."""

    def _wipe(self, entry: IdealEntry) -> None:
        """Do nothing."""


MUTANTS = (
    *(SoftErase, ErasePage, EraseIndexOnly, EraseFileResidue, ResurrectsOnReplay, ResurrectsOnRestart),
    *(ErasesSiblings, EraseWildcard, Unaudited, AuditLeaks),
)
