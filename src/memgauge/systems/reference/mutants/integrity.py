"""Memories that believe too much or too little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.systems.reference.ideal import IdealEntry
from memgauge.systems.reference.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.records import Change, Scope, Turn
    from memgauge.records.statements import Statement


class BelievesEveryone(Mutant, how="believes-everyone", breaks=("POISON_ACTIVE",)):
    """Trusts every channel as it trusts its user."""

    def _learn(self, turn: Turn, scope: Scope, statement: Statement, number: int, **how: Any) -> Iterable[Change]:
        return super()._learn(turn, scope, statement, number, **how | {"trusted": True})


class FalseApply(Mutant, how="false-apply", breaks=("FALSE_APPLY",)):
    """Keeps the words of what was imagined, quoted or denied as if it had been stated."""

    def _overhear(self, turn: Turn, scope: Scope, statements: Sequence[Statement]) -> Iterable[Change]:
        if not statements:
            yield self._keep(
                IdealEntry(f"{turn.id}/words", scope, turn.text, turn.id, turn.at, valid_from=turn.at)
            )


class QuarantinesAll(Mutant, how="quarantines-all", breaks=("OMISSION", "LOST_ACROSS_SESSION")):
    """Believes nobody."""

    def _learn(self, turn: Turn, scope: Scope, statement: Statement, number: int, **how: Any) -> Iterable[Change]:
        return super()._learn(turn, scope, statement, number, **how | {"trusted": False})


MUTANTS = (BelievesEveryone, FalseApply, QuarantinesAll)
