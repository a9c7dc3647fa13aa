"""The wild cluster bootstrap-t: against its definition on rows, and against its own p-values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from memgauge.stats import Clusters, estimates, wild_intervals
from memgauge.stats.clusters import ONE_CLUSTER, ClusterSums
from memgauge.stats.wild import WEBB, simultaneous_reach
from support import known

RNG = np.random.default_rng(4)


def test_webb_weights_have_mean_zero_and_variance_one() -> None:
    """Leave mean and variance of what they multiply."""
    assert np.mean(WEBB) == pytest.approx(0.0)
    assert np.mean(np.square(WEBB)) == pytest.approx(1.0)


def test_few_clusters_are_enumerated() -> None:
    """Count, over every assignment of weights to rows, how often t is as far from 0."""
    codes = np.repeat(np.arange(4), [3, 2, 4, 3])
    values = RNG.normal(0.6, 1.0, (12, 1))
    clusters = Clusters.of(codes)

    def t(rows: np.ndarray) -> float:
        estimate = estimates(rows, clusters)[0]
        return abs(known(estimate.mean) / known(estimate.se))

    drawn = [t(values * np.array(weights)[codes][:, None]) for weights in product(WEBB, repeat=4)]
    share = np.mean(np.array(drawn) >= t(values) * (1 - 1e-9))
    assert wild_intervals(values, clusters)[0].p == pytest.approx(share)


def test_up_to_six_clusters_leave_nothing_to_chance() -> None:
    """List all weights of six clusters, so that no seed matters, and draw those of seven."""
    for count, chance in ((6, False), (7, True)):
        added = ClusterSums.of(RNG.normal(size=(count, 1)), Clusters.of(np.arange(count)))
        reaches = {simultaneous_reach(added, seed=seed, draws=99) for seed in (1, 2)}
        assert (len(reaches) > 1) == chance


def test_the_interval_holds_what_is_not_rejected() -> None:
    """Put the ends where p crosses the level: just inside it is above, just outside below."""
    values, clusters = RNG.normal(0.5, 1.0, (90, 1)), Clusters.of(np.repeat(np.arange(9), 10))
    estimate = wild_intervals(values, clusters, draws=999)[0]
    for end, outwards in ((known(estimate.low), -1e-3), (known(estimate.high), 1e-3)):
        assert known(wild_intervals(values - end - outwards, clusters, draws=999)[0].p) <= 0.05
        assert known(wild_intervals(values - end + outwards, clusters, draws=999)[0].p) > 0.05
    assert not estimate.reason


def test_it_agrees_with_t_where_there_are_many_clusters() -> None:
    """Come close to the t interval with forty clusters."""
    values, clusters = RNG.normal(size=(400, 1)), Clusters.of(np.repeat(np.arange(40), 10))
    wild, t = wild_intervals(values, clusters)[0], estimates(values, clusters)[0]
    assert [wild.low, wild.high, wild.p] == pytest.approx([t.low, t.high, t.p], abs=0.03)


def test_two_clusters_have_no_ends() -> None:
    """Say that nothing is rejected where no p-value can be small enough, and keep what is undefined."""
    values = np.array([[0.1], [0.9], [0.4], [0.3]])
    two = wild_intervals(values, Clusters.of([0, 0, 1, 1]))[0]
    assert (two.low, two.high, two.reason) == (None, None, "no mean is rejected, however far")
    assert wild_intervals(values, Clusters.of([0, 0, 0, 0]))[0].reason == ONE_CLUSTER


def test_the_reach_of_all_means_at_once_follows_no_scale() -> None:
    """It is counted in standard errors, of shares or of milliseconds; more columns take more, none has none."""
    clusters = Clusters.of(np.repeat(np.arange(9), 10))
    values = np.random.default_rng(8).random((90, 6))
    reach = simultaneous_reach(ClusterSums.of(values, clusters))
    assert reach == pytest.approx(simultaneous_reach(ClusterSums.of(values * 1000, clusters)))
    alone = simultaneous_reach(ClusterSums.of(values[:, :1], clusters))
    assert 2 < alone < reach < 10
    constant = np.column_stack([values, np.ones(90)])
    assert simultaneous_reach(ClusterSums.of(constant, clusters)) == reach
    assert np.isnan(simultaneous_reach(ClusterSums.of(np.ones((90, 1)), clusters)))
