"""Memories that believe too much or too little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.systems.reference.ideal import IdealEntry
from memgauge.systems.reference.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.records import Change, Scope, Turn
    from memgauge.records.statements import Statement


class Integrity(Mutant):
    """Does not tell who says what, and how it is meant."""

    family = "integrity"


class BelievesEveryone(Integrity):
    """Trusts every channel as it trusts its user."""

    how = "believes-everyone"
    breaks = ("POISON_ACTIVE",)

    def learn(self, turn: Turn, scope: Scope, statement: Statement, number: int, **how: Any) -> Iterable[Change]:
        """Ignore where a statement comes from."""
        return super().learn(turn, scope, statement, number, **how | {"trusted": True})


class FalseApply(Integrity):
    """Keeps the words of what was imagined, quoted or denied as if it had been stated."""

    how = "false-apply"
    breaks = ("FALSE_APPLY",)

    def overhear(self, turn: Turn, scope: Scope, statements: Sequence[Statement]) -> Iterable[Change]:
        """Keep the words of a turn that states nothing."""
        if not statements:
            yield self.keep(IdealEntry(f"{turn.id}/words", scope, turn.text, turn.id, turn.at, valid_from=turn.at))


class QuarantinesAll(Integrity):
    """Believes nobody."""

    how = "quarantines-all"
    breaks = ("OMISSION", "LOST_ACROSS_SESSION")

    def learn(self, turn: Turn, scope: Scope, statement: Statement, number: int, **how: Any) -> Iterable[Change]:
        """Trust no statement."""
        return super().learn(turn, scope, statement, number, **how | {"trusted": False})


MUTANTS = (BelievesEveryone, FalseApply, QuarantinesAll)
