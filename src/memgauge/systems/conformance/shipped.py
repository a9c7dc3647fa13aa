"""The cards of the products that were measured for this release."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from memgauge.systems.conformance.matrix import read_cards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.systems.conformance.card import SystemCard


def shipped_cards() -> Iterator[SystemCard]:
    """Read every card, by name."""
    with as_file(files("memgauge").joinpath("reproduce", "systems", "cards")) as folder:
        for path in sorted(folder.glob("*.json")):
            yield from read_cards(path)
