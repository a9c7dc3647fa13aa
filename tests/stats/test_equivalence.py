"""Equivalence: two one-sided tests against statsmodels' idea of them, and what they cannot say."""

from __future__ import annotations

import numpy as np
import pytest

from memgauge.stats import Clusters, equivalent, estimates
from memgauge.stats.clusters import ONE_CLUSTER
from support import Later

weightstats = Later("statsmodels.stats.weightstats")


def test_equal_clusters_are_statsmodels_two_tests() -> None:
    """Where clusters have one size, give the larger p of both one-sided tests of their means."""
    values = np.random.default_rng(5).normal(0.01, 0.05, (60, 1))
    p = weightstats.DescrStatsW(values.reshape(10, 6).mean(axis=1)).ttost_mean(-0.02, 0.02)[0]
    estimate = estimates(values, Clusters.of(np.repeat(np.arange(10), 6)))[0]
    assert equivalent(estimate, 0.02).p == pytest.approx(p)


def test_no_difference_on_any_row_is_tested_by_signs() -> None:
    """Call identical columns equal from five clusters on, where 1 of 2^5 ways is below 5 %."""
    for clusters, p in ((5, 1 / 32), (2, 1 / 4)):
        estimate = estimates(np.zeros((10, 1)), Clusters.of(np.arange(10) % clusters))[0]
        assert equivalent(estimate, 0.02).p == p
    outside = estimates(np.full((10, 1), 0.5), Clusters.of(np.arange(10)))[0]
    assert equivalent(outside, 0.02).p == 1.0


def test_one_conversation_shows_nothing_equal() -> None:
    """Give no p-value, with the reason of the estimate, and refuse a margin of nothing."""
    estimate = estimates(np.array([[0.0], [0.1]]), Clusters.of([0, 0]))[0]
    assert (equivalent(estimate, 0.02).p, equivalent(estimate, 0.02).reason) == (None, ONE_CLUSTER)
    with pytest.raises(ValueError, match="positive"):
        equivalent(estimate, 0.0)
