"""Memories that are right and unlike any other, by name: what a suite must not find fault with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import named
from memgauge.systems.reference.unusual.answering import ANSWERINGS
from memgauge.systems.reference.unusual.keeping import KEEPINGS
from memgauge.systems.reference.unusual.wording import WORDINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.systems.reference.shared import ReferenceMemory

UNUSUAL: Mapping[str, type[ReferenceMemory]] = {
    memory.name: memory for memory in (*WORDINGS, *KEEPINGS, *ANSWERINGS)
}
"""Every unusual memory by its name."""


def unusual(variant: str = "paraphrasing") -> ReferenceMemory:
    """Open a memory that is right and unlike any other: ``unusual:grouped-digits``, ``unusual:fresh-ids``."""
    return named("unusual memory", variant, UNUSUAL)()
