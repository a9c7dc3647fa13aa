"""The reference memories of other make than the ideal one, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import named
from memgauge.systems.reference.graph import FactGraph
from memgauge.systems.reference.log import StatementLog
from memgauge.systems.reference.profile import MergedProfile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.systems.reference.shared import ReferenceMemory

REFERENCES: Mapping[str, type[ReferenceMemory]] = {
    memory.name: memory for memory in (StatementLog, FactGraph, MergedProfile)
}
"""Each is right, and fails in its own way when it is broken."""


def reference(variant: str = "log") -> ReferenceMemory:
    """Open a reference memory of another make: ``reference:log``, ``reference:graph``, ``reference:profile``."""
    return named("reference memory", variant, REFERENCES)()
