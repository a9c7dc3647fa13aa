"""Memories that do not know what may hold beside what."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.systems.reference.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memgauge.records import Change, Ranking, Scope, Turn
    from memgauge.records.statements import Statement
    from memgauge.systems.reference.ideal import IdealEntry


class Overwriting(Mutant, how="overwriting", breaks=("FALSE_SUPERSESSION",)):
    """Gives every slot one value at a time."""

    def _learn(self, turn: Turn, scope: Scope, statement: Statement, number: int, **how: Any) -> Iterable[Change]:
        return super()._learn(turn, scope, replace(statement, functional=True), number, **how)


class CrossSlot(Mutant, how="cross-slot", breaks=("OMISSION", "LOST_ACROSS_SESSION")):
    """Lets a new value end those of every slot of its scope."""

    def _rivals(self, old: IdealEntry, new: IdealEntry) -> bool:
        return super()._rivals(replace(old, slot=new.slot), new)


class TwoAtMost(Mutant, how="two-at-most", breaks=("FALSE_SUPERSESSION",)):
    """Keeps no more than two members of a list."""

    def _keep(self, entry: IdealEntry) -> Change:
        change = super()._keep(entry)
        members = [old for old in self._entries if old.scope == entry.scope and old.slot == entry.slot]
        gone = {old.id for old in members[:-2] if not old.functional}
        self._entries = [old for old in self._entries if old.scope != entry.scope or old.id not in gone]
        return change


class Replays(Mutant, how="replays", breaks=("DUPLICATE",)):
    """Stores a turn that it hears twice a second time."""

    def _is_replay(self, turn: Turn, scope: Scope) -> bool:
        return (scope, turn.id) in self._forgotten


class FeedbackLoop(Mutant, how="feedback-loop", breaks=("DUPLICATE", "MIXED_VERSIONS", "STALE_READ")):
    """Stores what it returns first as if it had been told it once more."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Search, and keep the words of the first hit; a copy is nobody's slot, so that nothing ends it."""
        ranking = super().search(query, scope, k, as_of)
        best = next(
            (entry for hit in ranking.hits[:1] for entry in self._entries if entry.id == hit.memory.id), None
        )
        if best is not None:
            self._entries.append(replace(best, id=f"{best.id}+{len(self._entries)}", slot="", value=""))
        return ranking


MUTANTS = (Overwriting, CrossSlot, TwoAtMost, Replays, FeedbackLoop)
