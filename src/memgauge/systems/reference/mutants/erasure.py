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


class Erasure(Mutant):
    """Forgets wrongly."""

    family = "erasure"


class _Binned(Erasure):
    """Puts what is erased where it can be found again."""

    def begin(self) -> None:
        """Begin with an empty bin."""
        super().begin()
        self._bin: list[IdealEntry] = []

    def forget(self, gone: Sequence[IdealEntry]) -> None:
        """Forget, and keep a copy."""
        super().forget(gone)
        self._bin += gone

    def bring_back(self) -> None:
        """Empty the bin onto the shelf."""
        self._entries += self._bin
        self._bin = []


class SoftErase(_Binned):
    """Brings back what was erased when it tidies up."""

    how = "soft-erase"
    breaks = ("RESURRECTION",)

    def sweep(self, now: datetime) -> None:
        """Rebuild from everything that was ever written."""
        super().sweep(now)
        self.bring_back()


class ResurrectsOnRestart(_Binned):
    """Brings back what was erased when it is opened again."""

    how = "resurrects-on-restart"
    breaks = ("RESURRECTION",)

    def reopen(self) -> None:
        """Read a store to which no erasure was written."""
        super().reopen()
        self.bring_back()


class ResurrectsOnReplay(Erasure):
    """Stores again what was erased when the turn is handed over once more."""

    how = "resurrects-on-replay"
    breaks = ("RESURRECTION",)

    def is_replay(self, turn: Turn, scope: Scope) -> bool:
        """Recognise only what was not forgotten."""
        return super().is_replay(turn, scope) and (scope, turn.id) not in self._forgotten


class ErasePage(Erasure):
    """Erases a hundred entries at most and says that all are gone."""

    how = "erase-page"
    breaks = ("ERASED_READ", "RESIDUE")

    def forget(self, gone: Sequence[IdealEntry]) -> None:
        """Forget the first page."""
        super().forget(gone[:100])


class EraseIndexOnly(Erasure):
    """Takes what is erased out of the index and leaves it in the store."""

    how = "erase-index-only"
    breaks = ("RESIDUE",)

    def forget(self, gone: Sequence[IdealEntry]) -> None:
        """Let entries stay that hold at no time."""
        super().forget(gone)
        self._entries += [replace(entry, valid_to=datetime.min) for entry in gone]  # noqa: DTZ901 - naive like every time of a scenario


class EraseFileResidue(Erasure):
    """Leaves the bytes of what is erased in a file beside the store."""

    how = "erase-file-residue"
    breaks = ("RESIDUE",)

    def forget(self, gone: Sequence[IdealEntry]) -> None:
        """Forget, and write down what."""
        super().forget(gone)
        with (self.folder / "memory.log").open("a", encoding="utf-8") as log:
            log.writelines(f"{entry.text}\n" for entry in gone)


class ErasesSiblings(Erasure):
    """Erases with a memory those that were stored just before and after it."""

    how = "erases-siblings"
    breaks = ("COLLATERAL_ERASURE",)

    def forget(self, gone: Sequence[IdealEntry]) -> None:
        """Forget neighbours too."""
        near = [
            other
            for entry in gone
            for own in [[old for old in self._entries if old.scope == entry.scope]]
            for other in own[max(own.index(entry) - 1, 0) : own.index(entry) + 2]
        ]
        super().forget(list(dict.fromkeys(near)))


class EraseWildcard(Erasure):
    """Erases everybody when one user asks to be forgotten."""

    how = "erase-wildcard"
    breaks = ("COLLATERAL_ERASURE", "LOST_ACROSS_SESSION")

    def erase(self, scope: Scope) -> None:  # noqa: ARG002 - the protocol's signature
        """Forget everything under every scope."""
        self.forget(self._entries)


class Unaudited(Erasure):
    """Writes nothing down of what happens to a memory."""

    how = "unaudited"
    breaks = ("UNAUDITED",)

    def note(self, scope: Scope, memory: str, entry: AuditEntry) -> None:
        """Do nothing."""


class AuditLeaks(Erasure):
    """Keeps in its audit what was erased from the store."""

    how = "audit-leaks"
    breaks = ("AUDIT_LEAK",)

    def wipe(self, entry: IdealEntry) -> None:
        """Do nothing."""


MUTANTS = (
    *(SoftErase, ErasePage, EraseIndexOnly, EraseFileResidue, ResurrectsOnReplay, ResurrectsOnRestart),
    *(ErasesSiblings, EraseWildcard, Unaudited, AuditLeaks),
)
