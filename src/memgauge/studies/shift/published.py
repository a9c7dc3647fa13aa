"""What the paper printed (ShiftBench, Tables 1 and 5), as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TABLE_1: Mapping[str, tuple[float, float, float]] = {
    "flat": (0.568, 0.571, 0.359),
    "gated": (0.504, 0.506, 0.348),
    "dense": (0.459, 0.388, 0.208),
    "hsr": (0.461, 0.483, 0.478),
    "raptor": (0.596, 0.605, 0.345),
    "fusion": (0.682, 0.676, 0.371),
    "bandit": (0.569, 0.557, 0.354),
}
"""LoCoMo: overall Hit@5 on the clean stream, Recovery@5 at m=0, Recovery@5 at m=100."""

LEXICAL = ("flat", "gated", "hsr", "raptor", "fusion")
"""The policies that the paper's headline orders; dense retrieval and the bandit are left out of it."""

TABLE_5: Mapping[int, tuple[float, float]] = {0: (0.0, 1.0), 50: (0.5, -0.1), 100: (0.6, -0.3), 150: (0.6, -0.3)}
"""By burst length: inversion, Spearman's rho; lexical policies."""


def in_order(policies: Iterable[str]) -> list[str]:
    """Order policies as the paper does, those that it does not have by name: a file keeps no order of keys."""
    places = {policy: place for place, policy in enumerate(TABLE_1)}
    return sorted(policies, key=lambda policy: (places.get(policy, len(places)), policy))
