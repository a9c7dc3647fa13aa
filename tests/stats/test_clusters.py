"""Inference over clusters: CR2 against its matrix definition and scipy, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memgauge.stats import Clusters, Estimate, estimates
from memgauge.stats.clusters import DOMINATED, NO_ROW, NO_SPREAD, ONE_CLUSTER, ClusterSums, degrees_of_freedom
from support import Later, known

scipy = Later("scipy")
sizes = st.lists(st.integers(1, 12), min_size=2, max_size=7)


def column(counts: list[int], seed: int = 3) -> tuple[np.ndarray, Clusters]:
    """Make one column of values whose clusters differ."""
    labels = np.repeat(np.arange(len(counts)), counts)
    rng = np.random.default_rng(seed)
    return (rng.normal(size=len(labels)) + rng.normal(size=len(counts))[labels])[:, None], Clusters.of(labels)


def by_matrix(values: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """Compute the CR2 standard error and its degrees of freedom as they are defined, with n-by-n matrices."""
    n = len(values)
    hat = np.full((n, n), 1.0 / n)
    residual = (np.eye(n) - hat) @ values
    weights = []
    for code in np.unique(codes):
        inside = np.flatnonzero(codes == code)
        adjust = scipy.linalg.inv(scipy.linalg.sqrtm((np.eye(n) - hat)[np.ix_(inside, inside)]))
        row = np.zeros(n)
        row[inside] = np.real(adjust).sum(axis=0) / n
        weights.append(row)
    g = np.array(weights)
    m = g @ (np.eye(n) - hat) @ g.T
    return float(np.sqrt(((g @ residual) ** 2).sum())), float(np.trace(m) ** 2 / np.trace(m @ m))


@given(sizes, st.integers(0, 100))
def test_closed_form_is_the_matrix_definition(counts: list[int], seed: int) -> None:
    """Agree with Bell and McCaffrey's matrices for clusters of any sizes, but for one that is nearly all."""
    assume(max(counts) <= 0.9 * sum(counts))
    values, clusters = column(counts, seed)
    _, errors, freedom = ClusterSums.of(values, clusters).over_clusters
    se, df = by_matrix(values[:, 0], clusters.codes)
    assert errors[0] == pytest.approx(se)
    assert freedom[0] == pytest.approx(df)


@given(st.integers(2, 9), st.integers(1, 9))
def test_equal_clusters_are_a_t_test_of_their_means(count: int, size: int) -> None:
    """Where all clusters have one size, give scipy's t-test of the cluster means, interval and p."""
    values, clusters = column([size] * count)
    assume(not ClusterSums.of(values, clusters).too_even[0])
    test = scipy.stats.ttest_1samp(values.reshape(count, size).mean(axis=1), 0.0)
    low, high = test.confidence_interval(0.9)
    estimate = estimates(values, clusters, level=0.9)[0]
    assert estimate.df == pytest.approx(count - 1)
    assert [estimate.low, estimate.high, estimate.p] == pytest.approx([low, high, test.pvalue])


def test_undefined_rows_are_left_out() -> None:
    """Give a column with undefined rows what the rest alone would get; a cluster without rows does not count."""
    values, clusters = column([4, 5, 6, 7])
    table = np.hstack([values, values, values])
    defined = np.ones(table.shape, dtype=np.bool_)
    defined[[0, 5, 17], 1] = False
    defined[:4, 2] = False
    plain, holed, without = estimates(table, clusters, defined)
    rows = defined[:, 1]
    assert (plain.units, holed.n, without.units) == (4, 19, 3)
    assert holed == estimates(values[rows], Clusters.of(clusters.codes[rows]))[0]
    assert without == estimates(values[4:], Clusters.of(clusters.codes[4:]))[0]


def test_one_cluster_is_undefined_with_a_reason() -> None:
    """Give a mean and nothing else for one conversation, and nothing at all for no row."""
    values = np.array([[0.0, 1.0], [1.0, 1.0]])
    defined = np.array([[True, False], [True, False]])
    one, none = estimates(values, Clusters.of(["a", "a"]), defined)
    assert one == Estimate(0.5, None, None, None, None, None, 2, 1, ONE_CLUSTER)
    assert none == Estimate(None, None, None, None, None, None, 0, 0, NO_ROW)


def test_no_spread_is_no_certainty() -> None:
    """Give rows that are all alike no interval; flip the signs of clusters for p, unless every row is 0."""
    values = np.tile([[0.1 + 0.2, 0.0, 1.0], [0.3, 0.0, -1.0]], (6, 1))
    winner, same, balanced = estimates(values, Clusters.of(np.repeat(np.arange(6), 2)))
    assert (winner.mean, winner.df) == pytest.approx((0.3, 5.0))
    assert winner == Estimate(winner.mean, 0.0, winner.df, None, None, 2**-5, 12, 6, NO_SPREAD)
    assert (same.p, same.low, same.se, same.reason) == (None, None, 0.0, NO_SPREAD)
    assert balanced.p == 1.0
    assert (balanced.low, balanced.high) == pytest.approx((-0.77506, 0.77506))


def test_conversations_that_agree_by_chance_are_no_certainty() -> None:
    """An error far below that of independent questions is theirs, and flipping signs bounds p where there is none.

    Two of some twenty questions of every conversation go one way: the sums are equal, and means are nearly so.
    """
    for counts in ([19, 20, 21], [20, 20, 20]):
        rows = np.concatenate([[1.0, 1.0] + [0.0] * (count - 2) for count in counts])[:, None]
        clusters = Clusters.of(np.repeat([0, 1, 2], counts))
        (found,) = estimates(rows, clusters)
        alone = scipy.stats.ttest_1samp(rows[:, 0], 0.0)
        error = rows[:, 0].std(ddof=1) / np.sqrt(len(rows))
        assert found.se == pytest.approx(error)
        assert found.df is not None
        by_rows = 2 * scipy.stats.t.sf(0.1 / error, found.df)
        assert found.p == pytest.approx(by_rows if counts[0] != counts[1] else max(by_rows, 0.25))
        assert found.p > alone.pvalue
        assert found.low is not None
        assert found.low < 0
        assert found.mean == pytest.approx(0.1)


@given(st.integers(0, 10_000), st.integers(2, 12), st.floats(0, 0.3))
def test_an_error_is_over_clusters_or_over_rows(seed: int, count: int, together: float) -> None:
    """It is never below the former, and the latter only where that is far above it: one time in a hundred."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 30, count)
    assume(sizes.max() <= 0.9 * sizes.sum())
    codes = np.repeat(np.arange(count), sizes)
    rows = (rng.random(len(codes)) < 0.5 + together * rng.normal(size=count)[codes]).astype(np.float64)[:, None]
    added = ClusterSums.of(rows, Clusters.of(codes))
    over_clusters = added.over_clusters[1]
    over_rows = rows.std(ddof=1) / np.sqrt(len(rows))
    error = added.errors()[1]
    limit = np.sqrt(scipy.stats.chi2.ppf(0.01, added.over_clusters[2]) / added.over_clusters[2])
    expected = over_rows if over_clusters[0] < over_rows * limit else over_clusters
    assert error == pytest.approx(expected)
    assert error >= over_clusters


@given(sizes)
def test_unequal_clusters_have_fewer_degrees_of_freedom(counts: list[int]) -> None:
    """Never exceed one less than the clusters, and fall below it where three or more differ in size."""
    df = degrees_of_freedom(np.array(counts, dtype=np.float64)[:, None])[0]
    unequal = len(set(counts)) > 1 and len(counts) > 2
    assert (df < len(counts) - 1 - 1e-9) == unequal
    assert 1.0 - 1e-9 <= df <= len(counts) - 1 + 1e-9


def test_a_column_does_not_depend_on_its_neighbours() -> None:
    """Give a column the same bytes alone as among others."""
    values, clusters = column([30, 5, 60, 11])
    table = np.hstack([values] + [values * k for k in range(2, 40)])
    assert estimates(table, clusters)[0] == estimates(values, clusters)[0]


def test_shapes_have_to_fit() -> None:
    """Refuse labels that do not pair with rows, and a mask that does not pair with values."""
    with pytest.raises(ValueError, match="2 rows"):
        estimates(np.zeros((3, 1)), Clusters.of([1, 2]))
    with pytest.raises(ValueError, match="mask"):
        estimates(np.zeros((2, 1)), Clusters.of([1, 2]), np.ones((2, 2), dtype=np.bool_))


@given(sizes, st.integers(0, 50))
def test_shares_get_wilsons_interval_of_as_many_independent_rows(counts: list[int], seed: int) -> None:
    """Give what Wilson gives for the number of rows that would have this error, inside of 0 to 1."""
    assume(max(counts) <= 0.9 * sum(counts))
    labels = np.repeat(np.arange(len(counts)), counts)
    rows = (np.random.default_rng(seed).random(len(labels)) < 0.4).astype(np.float64)[:, None]
    share = estimates(rows, Clusters.of(labels), shares=True)[0]
    m, t, low, high = (
        known(share.mean),
        scipy.stats.t.ppf(0.975, known(share.df)),
        known(share.low),
        known(share.high),
    )
    effective = m * (1 - m) / share.se**2 if share.se else len(rows)
    for end in (low, high):
        assert (m - end) ** 2 == pytest.approx(t * t * end * (1 - end) / effective, abs=1e-9)
    assert 0 <= low <= m <= high <= 1


def test_a_share_without_spread_has_an_interval_as_if_rows_were_independent() -> None:
    """Give a perfect score the interval of so many questions, and one conversation still none."""
    perfect = estimates(np.ones((100, 1)), Clusters.of(np.repeat(np.arange(5), 20)), shares=True)[0]
    squared = scipy.stats.t.ppf(0.975, 4) ** 2
    assert [perfect.low, perfect.high] == pytest.approx([100 / (100 + squared), 1.0])
    assert estimates(np.ones((100, 1)), Clusters.of(np.zeros(100)), shares=True)[0].low is None


def test_what_is_no_share_keeps_its_symmetric_interval() -> None:
    """Leave columns with rows outside of 0 to 1 as they are."""
    values, clusters = column([4, 5, 6])
    assert estimates(values, clusters, shares=True) == estimates(values, clusters)


def test_a_conversation_with_nearly_all_rows_is_alone() -> None:
    """Of 200 rows and three others nothing is told; of 200 and 23 others the test keeps its level."""
    rng = np.random.default_rng(7)

    def tested(sizes: list[int]) -> tuple[Estimate, ...]:
        codes = np.repeat(np.arange(len(sizes)), sizes)
        chances = rng.random((2, len(sizes), 2000))[:, codes]
        hits = rng.random(chances.shape) < chances
        return estimates(hits[0].astype(float) - hits[1], Clusters.of(codes))

    alone = tested([200, 1, 1, 1])
    assert {(each.se, each.p, each.low, each.reason) for each in alone} == {(None, None, None, DOMINATED)}
    assert all(each.mean is not None and each.units == 4 for each in alone)
    beside = tested([200, 9, 8, 6])
    assert np.mean([each.p is not None and each.p < 0.05 for each in beside]) <= 0.075
