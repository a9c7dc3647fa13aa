"""Generation of the synthetic world, streamed user by user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.clock import Clock
from bench.growth.curve import LOG_LINEAR, Curve

if TYPE_CHECKING:
    from pathlib import Path


def work(n: int, _: Path) -> dict[str, float]:
    """Make users until *n* turns were said."""
    from memgauge.datasets.synthetic.sizes import SIZES
    from memgauge.datasets.synthetic.world import Recipe

    recipe, said, user = Recipe(SIZES["large"], 0), 0, 0
    recipe.user(10**6)
    clock = Clock()
    with clock.part("generate"):
        while said < n:
            said += sum(1 for _ in recipe.user(user).case.conversation.turns())
            user += 1
    return clock.parts


CURVE = Curve(
    "the synthetic world, generated", "turns", (10**3, 10**4, 10**5, 10**6, 10**7), work, at_most=LOG_LINEAR
)
