"""The bootstrap over the number of resamples: draw, weigh ten columns, take their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench.clock import Clock
from bench.growth.curve import LOG_LINEAR, Curve

if TYPE_CHECKING:
    from pathlib import Path

QUESTIONS, COLUMNS = 100, 10


def work(n: int, _: Path) -> dict[str, float]:
    """Draw *n* resamples of 100 questions."""
    from memgauge.stats import Resamples

    values, clock = np.random.default_rng(1).random((QUESTIONS, COLUMNS)), Clock()
    with clock.part("draw"):
        drawn = Resamples.draw(QUESTIONS, seed=1, draws=n)
    with clock.part("intervals"):
        drawn.intervals(values)
    return clock.parts


CURVE = Curve(
    "bootstrap of 100 questions, 10 columns",
    "resamples",
    (10**2, 10**3, 10**4, 10**5, 10**6),
    work,
    at_most=LOG_LINEAR,
    note="percentiles are sorted: n log n",
)
