"""Memories with one known defect each, by name: what a failure's cause is checked against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import named
from memgauge.systems.reference.defective import searching, writing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge import ranges
    from memgauge.systems.reference.defective.defective import Defective

DEFECTS: Mapping[str, type[Defective]] = {
    memory.how: memory for family in (writing, searching) for memory in family.MEMORIES
}
"""Every defective memory by its name."""


def defective(variant: str = "drops", *, n: ranges.Dose = 0, salt: ranges.Seed = 0) -> Defective:
    """Open a memory with one defect: ``defective:drops``, ``defective:stale,n=40``.

    What *n* counts is the defect's own, 0 is its usual number; *salt* chooses which turns or searches it meets.
    """
    return named("defect", variant, DEFECTS)(n=n, salt=salt)
