"""Memories with one thing wrong, by name: what a suite must notice before anybody trusts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import named
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.mutants import (
    answers,
    coexistence,
    currency,
    erasure,
    history,
    integrity,
    isolation,
    persistence,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.systems.protocol import MemorySystem
    from memgauge.systems.reference.mutants.mutant import Mutant

FAMILIES = (persistence, currency, coexistence, history, isolation, erasure, integrity, answers)
MUTANTS: Mapping[str, type[Mutant]] = {mutant.how: mutant for family in FAMILIES for mutant in family.MUTANTS}
"""Every mutant by its name, in the order of the families."""
CALIBRATION: Mapping[str, type[Ideal]] = {
    "ideal": Ideal,
    **{memory.how: memory for memory in (answers.Null, answers.EchoAll, answers.RandomEntries)},
}
"""Memories whose rows say what a figure of a suite is worth: everything right, nothing, everything, anything."""


def ideal() -> Ideal:
    """Open the memory that is told what turns mean and keeps every promise."""
    return Ideal()


def mutant(variant: str = "null") -> MemorySystem:
    """Open the ideal memory with one thing wrong: ``mutant:append-only``, ``mutant:leaky-case``."""
    known: Mapping[str, type[Mutant]] = {**MUTANTS, answers.RandomEntries.how: answers.RandomEntries}
    return named("mutant", variant, known)()
