"""The cards of the products that were measured for this release."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from memgauge.systems.conformance.card import parse_card

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.systems.conformance.card import SystemCard


def shipped_cards() -> Iterator[SystemCard]:
    """Read every card, by name."""
    folder = files("memgauge").joinpath("reproduce", "systems", "cards")
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".json"):
            yield parse_card(entry.read_bytes())
