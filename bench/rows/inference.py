"""Intervals over conversations and rank sets of forty columns, as a board of forty systems has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Values
from bench.row import Job, Row, floor, ours, peer

if TYPE_CHECKING:
    from pathlib import Path

N, COLUMNS, CONVERSATIONS = 2000, 40, 10


def values() -> tuple[Any, Any]:
    """Draw the values, and the conversation of each row; conversations differ, as they do."""
    rng, labels = np.random.default_rng(2), np.arange(N) * CONVERSATIONS // N
    return rng.random((N, COLUMNS)) + rng.random((CONVERSATIONS, COLUMNS))[labels], labels


def memgauge(_: Path) -> Job:
    """Take every interval, and compare all 780 pairs of columns for the ranks that each may hold."""
    from memgauge.stats import Clusters, estimates, rank_sets

    table, labels = values()
    names = [str(place) for place in range(COLUMNS)]

    def run() -> list[list[float | None]]:
        clusters = Clusters.of(labels)
        rank_sets(names, table, clusters)
        return [[each.low, each.high] for each in estimates(table, clusters)]

    return Job(run, np.array)


def scipy(_: Path) -> Job:
    """Test the averages of conversations, and all differences of these: the same where all have one size."""
    from scipy.stats import ttest_1samp

    table, _ = values()

    first, second = np.triu_indices(COLUMNS, 1)

    def run() -> Any:
        means = table.reshape(CONVERSATIONS, -1, COLUMNS).mean(axis=1)
        ttest_1samp(means[:, first] - means[:, second], 0.0, axis=0)
        return np.stack(ttest_1samp(means, 0.0, axis=0).confidence_interval(), axis=1)

    return Job(run, np.array)


def sums(_: Path) -> Job:
    """Add up the values of every conversation, once."""
    table, labels = values()
    return Job(lambda: np.add.reduceat(table, np.searchsorted(labels, np.arange(CONVERSATIONS)), axis=0))


ROW = Row(
    "inference over ten conversations: forty intervals, 780 pairs",
    limit=60,
    agreement=Values(1e-9),
    above="Sums in an order that repeats to the byte, and in full precision.",
    sides=(
        ours(memgauge),
        peer("scipy", scipy, why="It corrects nothing, ranks nothing, and knows conversations of one size."),
        floor("one sum a conversation", sums),
    ),
)
