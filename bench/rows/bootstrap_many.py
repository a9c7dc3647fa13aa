"""The same for forty columns, as a board has them: the resamples are drawn once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Values
from bench.row import Job, Row, floor, ours, peer
from bench.rows.bootstrap import DRAWS, SEED, N

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = 40


def values() -> Any:
    """Draw the values."""
    return np.random.default_rng(2).random((N, COLUMNS))


def memgauge(_: Path) -> Job:
    """Draw the resamples once and weigh all columns in one product."""
    from memgauge.stats import Resamples

    table = values()

    def run() -> list[list[float | None]]:
        found = Resamples.draw(N, seed=SEED, draws=DRAWS).intervals(table)
        return [[each.low, each.high] for each in found]

    return Job(run, np.array)


def scipy(_: Path) -> Job:
    """Average every resample of all columns; in portions, since all at once take 2 GB."""
    from scipy.stats import bootstrap

    table = values()

    def run() -> Any:
        rng = np.random.default_rng(SEED)
        found = bootstrap(
            (table,), np.mean, n_resamples=DRAWS, method="percentile", vectorized=True, axis=0, rng=rng, batch=100
        )
        return np.stack([found.confidence_interval.low, found.confidence_interval.high], axis=1)

    return Job(run, np.array)


def arch(_: Path) -> Job:
    """Average all columns for one resample after the other."""
    from arch.bootstrap import IIDBootstrap

    table = values()

    def run() -> Any:
        bootstrap = IIDBootstrap(table, seed=SEED)
        return bootstrap.conf_int(lambda drawn: drawn.mean(axis=0), reps=DRAWS, method="percentile").T

    return Job(run, np.array)


def product(_: Path) -> Job:
    """Draw as many places, and weigh the columns by counts of as many resamples."""
    table, counts = values(), np.random.default_rng(0).integers(0, 4, (DRAWS, N)).astype(np.float64)
    return Job(lambda: (np.random.default_rng(SEED).integers(0, N, (DRAWS, N)), counts @ table))


ROW = Row(
    "bootstrap: 3,000 resamples of 2,000, forty columns",
    limit=120,
    agreement=Values(0.003),
    above="Counting the draws is the rest.",
    sides=(
        ours(memgauge),
        peer("scipy", scipy, repeats=3, note="resamples of its own for every column"),
        peer("arch", arch, repeats=3),
        floor("draw six million places, one product", product),
    ),
)
