"""The percentile interval of one mean: 3,000 resamples of 2,000 values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Values
from bench.row import Job, Row, floor, ours, peer

if TYPE_CHECKING:
    from pathlib import Path

N, DRAWS, SEED = 2000, 3000, 1


def values() -> Any:
    """Draw the values."""
    return np.random.default_rng(2).random(N)


def memgauge(_: Path) -> Job:
    """Draw the resamples, as counts that every further column reuses, and take the interval of one column."""
    from memgauge.stats import Resamples

    column = values()

    def run() -> list[float | None]:
        found = Resamples.draw(N, seed=SEED, draws=DRAWS).interval(column)
        return [found.low, found.high]

    return Job(run, np.array)


def scipy(_: Path) -> Job:
    """Draw the same resamples and average each."""
    from scipy.stats import bootstrap

    column = values()

    def run() -> list[float]:
        rng = np.random.default_rng(SEED)
        found = bootstrap((column,), np.mean, n_resamples=DRAWS, method="percentile", vectorized=True, rng=rng)
        return [found.confidence_interval.low, found.confidence_interval.high]

    return Job(run, np.array)


def arch(_: Path) -> Job:
    """Call the mean for one resample after the other."""
    from arch.bootstrap import IIDBootstrap

    column = values()

    def run() -> Any:
        return IIDBootstrap(column, seed=SEED).conf_int(np.mean, reps=DRAWS, method="percentile")

    return Job(run, np.ravel)


def draws(_: Path) -> Job:
    """Draw as many places, and use none."""
    return Job(lambda: np.random.default_rng(SEED).integers(0, N, (DRAWS, N)))


ROW = Row(
    "bootstrap: 3,000 resamples of 2,000, one column",
    limit=40,
    agreement=Values(0.002),
    above="Each draw is also counted into the table of resamples that every further column reuses (48 MB).",
    sides=(
        ours(memgauge),
        peer(
            "scipy",
            scipy,
            why="It averages one column; ours counts every row of every resample, for all columns to come.",
        ),
        peer("arch", arch, why="The same: one column is averaged at once, and the resamples are gone."),
        floor("draw six million places", draws),
    ),
)
