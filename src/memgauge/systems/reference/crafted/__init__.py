"""Memories that are made to win a board, by name: what a board must not fall for before anybody trusts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import named
from memgauge.systems.reference.crafted import choosing, claiming, granular

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.systems.reference.crafted.crafted import Crafted

CRAFTED: Mapping[str, type[Crafted]] = {
    memory.how: memory for family in (granular, claiming, choosing) for memory in family.MEMORIES
}
"""Every crafted memory by its name."""


def crafted(variant: str = "ok") -> Crafted:
    """Open a memory that is made to win a board: ``crafted:ok``, ``crafted:session``."""
    return named("crafted memory", variant, CRAFTED)()
