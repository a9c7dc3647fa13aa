"""Equivalence: two one-sided tests against statsmodels' idea of them, and what they cannot say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_no_difference_on_any_row_is_no_equality_of_few() -> None:
    """Ask how likely so many rows would have shown none, were the mean at the margin; or the signs of clusters."""
    for rows, clusters, p in ((40, 8, 0.98**40), (300, 5, 1 / 32), (300, 2, 1 / 4)):
        estimate = estimates(np.zeros((rows, 1)), Clusters.of(np.arange(rows) % clusters))[0]
        assert equivalent(estimate, 0.02).p == pytest.approx(p)
        assert equivalent(estimate, 0.02, np.inf).p == 1.0
    shifted = estimates(np.full((90, 1), 0.01), Clusters.of(np.arange(90) % 9))[0]
    assert equivalent(shifted, 0.05).p == pytest.approx((1 - 0.04 / 1.01) ** 90)
    outside = estimates(np.full((10, 1), 0.5), Clusters.of(np.arange(10)))[0]
    assert equivalent(outside, 0.02).p == 1.0
    assert equivalent(estimate, 3.0).p == 1 / 4  # no row can be so far off: only the signs of clusters are left


@given(st.floats(-0.2, 0.2), st.floats(0.01, 0.3), st.booleans())
def test_neither_side_of_the_margin_is_favoured(mean: float, margin: float, varies: bool) -> None:
    """Who is first and who is second makes no difference to whether two are equal."""
    rows = np.full((30, 1), mean) + (np.linspace(-0.1, 0.1, 30)[:, None] if varies else 0.0)
    clusters = Clusters.of(np.arange(30) % 6)
    (ahead,), (behind,) = estimates(rows, clusters), estimates(-rows, clusters)
    assert equivalent(behind, margin).p == pytest.approx(equivalent(ahead, margin).p)


def test_equality_is_not_claimed_of_what_differs_rarely() -> None:
    """Two that differ by more than the margin, on few questions: claimed to be equal in at most 5 %."""
    rng = np.random.default_rng(20261127)
    for conversations, each, true, margin in ((8, 5, 0.03, 0.02), (5, 5, 0.03, 0.02), (10, 10, 0.021, 0.02)):
        drawn = (rng.random((conversations * each, 2000)) < true).astype(np.float64)
        clusters = Clusters.of(np.repeat(np.arange(conversations), each))
        claimed = [(equivalent(estimate, margin).p or 0.0) < 0.05 for estimate in estimates(drawn, clusters)]
        assert np.mean(claimed) <= 0.05


def test_one_conversation_shows_nothing_equal() -> None:
    """Give no p-value, with the reason of the estimate, and refuse a margin of nothing."""
    estimate = estimates(np.array([[0.0], [0.1]]), Clusters.of([0, 0]))[0]
    assert (equivalent(estimate, 0.02).p, equivalent(estimate, 0.02).reason) == (None, ONE_CLUSTER)
    with pytest.raises(ValueError, match="positive"):
        equivalent(estimate, 0.0)
