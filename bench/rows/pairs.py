"""Every difference between twelve systems on forty columns, with its interval over conversations."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Values
from bench.row import Job, Row, floor, ours, peer

if TYPE_CHECKING:
    from pathlib import Path

N, COLUMNS, SYSTEMS, CONVERSATIONS = 2000, 40, 12, 10
PAIRS = np.array(list(combinations(range(SYSTEMS), 2)))


def values() -> tuple[Any, Any]:
    """Draw what each question is worth by column and system, and its conversation; conversations differ."""
    rng, labels = np.random.default_rng(3), np.arange(N) * CONVERSATIONS // N
    return rng.random((N, SYSTEMS, COLUMNS)) + rng.random((CONVERSATIONS, SYSTEMS, COLUMNS))[labels], labels


def differences(table: Any) -> Any:
    """Subtract the second of each pair of systems from the first, on every column: (n, pairs * columns)."""
    return (table[:, PAIRS[:, 0]] - table[:, PAIRS[:, 1]]).reshape(N, -1)


def memgauge(_: Path) -> Job:
    """Take the intervals of all systems and of all differences, and correct the latter's p-values."""
    from memgauge.stats import Clusters, estimates, holm

    table, labels = values()

    def run() -> list[list[float | None]]:
        clusters = Clusters.of(labels)
        estimates(table.reshape(N, -1), clusters)
        compared = estimates(differences(table), clusters)
        holm([each.p for each in compared if each.p is not None])
        return [[each.low, each.high] for each in compared]

    return Job(run, np.array)


def scipy(_: Path) -> Job:
    """Test the averages of conversations: the same where all have one size."""
    from scipy.stats import ttest_1samp

    table, _labels = values()

    def averages(columns: Any) -> Any:
        return columns.reshape(CONVERSATIONS, -1, columns.shape[1]).mean(axis=1)

    def run() -> Any:
        ttest_1samp(averages(table.reshape(N, -1)), 0.0, axis=0).confidence_interval()
        tested = ttest_1samp(averages(differences(table)), 0.0, axis=0)
        return np.stack(tested.confidence_interval(), axis=1)

    return Job(run, np.array)


def sums(_: Path) -> Job:
    """Subtract, and add up every difference by conversation, once."""
    table, labels = values()
    starts = np.searchsorted(labels, np.arange(CONVERSATIONS))
    return Job(lambda: np.add.reduceat(differences(table), starts, axis=0))


ROW = Row(
    "inference over ten conversations: 12 systems, 40 columns, all 2,640 differences",
    limit=300,
    agreement=Values(1e-9),
    above="Means are of exact sums, and sums by conversation are added in an order that repeats to the byte.",
    sides=(
        ours(memgauge),
        peer(
            "scipy",
            scipy,
            why="It knows no conversations of different sizes, no score intervals and no exact means.",
        ),
        floor("subtract, and one sum a conversation", sums),
    ),
)
