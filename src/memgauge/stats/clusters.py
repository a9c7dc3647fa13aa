"""How sure a mean is when rows come in clusters: CR2 standard errors, t with Satterthwaite's degrees of freedom.

Questions of one conversation share what makes them easy or hard, so the conversations are what was sampled. With
ten of them neither the percentile bootstrap nor the normal quantile holds its promise; this does (Bell and
McCaffrey 2002; Cameron and Miller 2015; Pustejovsky and Tipton 2018).

Where systems differ on few questions, a handful of conversations may agree by chance, and an error over them is
then near nothing: one test keeps its level all the same, for that is rare, and a correction for many tests does
not. So conversations that agree far better than independent questions would get the error of the latter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum, isnan
from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats.intervals import Interval
from memgauge.stats.sums import exact_sums, largest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csr_array

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

NO_ROW = "no defined value"
ONE_CLUSTER = "one conversation cannot say how much conversations differ"
DOMINATED = "one conversation has nearly all questions, so that nobody knows how much conversations differ"
NO_SPREAD = "no conversation differs from another, so their spread is unknown"
_NOISE = 1e-12
"""Residuals below this share of what was added up are rounding, not spread."""
DOMINATING = 0.9
"""A cluster of more than this share of all rows leaves others that are too small to tell its error: by t, equal
systems differ in up to 22 % of samples (of 200, 1, 1 and 1 rows), and in some 6 % right below it."""
_TOO_EVEN = 0.01
"""An error over clusters this far down among those that independent rows would have is believed to be chance."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which cluster each row belongs to."""

    codes: NDArray[np.int64]
    """(n,) from 0 to ``count - 1``."""
    count: int

    @cached_property
    def membership(self) -> csr_array:
        """(clusters, n) ones where a row is of a cluster: a product with it adds rows up one after the other."""
        from scipy.sparse import csr_array

        rows = np.argsort(self.codes, kind="stable")
        ends = np.cumsum(np.bincount(self.codes, minlength=self.count))
        return csr_array((np.ones(len(rows)), rows, [0, *ends.tolist()]), shape=(self.count, len(rows)))

    @classmethod
    def of(cls, labels: ArrayLike) -> Clusters:
        """Number the clusters that *labels* name, one label a row."""
        names, codes = np.unique(np.asarray(labels), return_inverse=True)
        return cls(codes.astype(np.int64, copy=False), len(names))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and how far it may be off; ``None`` is undefined, and *reason* says why."""

    mean: float | None
    se: float | None
    """CR2 standard error, or that of independent rows where it is far below; 0 where no row differs."""
    df: float | None
    """Satterthwaite's degrees of freedom of *se*."""
    low: float | None
    high: float | None
    p: float | None
    """Two-sided, of a mean of 0. Where no cluster differs from another: at least that of flipping their signs."""
    n: int
    """Defined rows."""
    units: int
    """Clusters with a defined row."""
    reason: str = ""

    @property
    def interval(self) -> Interval:
        """Return the mean and its ends alone."""
        return Interval(self.mean, self.low, self.high, self.n, self.reason)


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """What inference needs to know of columns: their sums and sizes by cluster, (clusters, columns) each."""

    sums: Floats
    sizes: Floats
    """(clusters, 1) where all columns have the same."""
    largest: Floats
    """(columns,) The largest magnitude of a row."""
    squares: Floats
    """(columns,) The sum of the squares of all rows."""

    @classmethod
    def of(cls, values: Floats, clusters: Clusters, defined: Mask | None = None) -> ClusterSums:
        """Add up (n, columns) *values* where they are *defined*, row after row, so that the bytes are repeatable.

        Raises:
            ValueError: The shapes do not fit.
        """
        shape = values.shape if defined is None else defined.shape
        if shape != values.shape or values.ndim != 2 or len(values) != len(clusters.codes):
            raise ValueError(f"Values {values.shape} and mask {shape} for {len(clusters.codes)} rows.")
        if defined is None or defined.all():
            filled, sizes = values, _sizes(clusters)
        else:
            filled = np.where(defined, values, 0.0)
            sizes = _by_cluster(defined.astype(np.float64), clusters)
        return cls(_by_cluster(filled, clusters), sizes, largest_of(filled), squares_of(filled, clusters))

    @property
    def units(self) -> NDArray[np.int64]:
        """Return how many clusters have a defined row, by column."""
        units: NDArray[np.int64] = np.broadcast_to((self.sizes > 0).sum(axis=0), self.largest.shape)
        return units

    @cached_property
    def _centred(self) -> tuple[Floats, Floats, Mask]:
        """Means by column, what the clusters' sums differ from them, and which of that is mere rounding."""
        n = _total(self.sizes)
        with np.errstate(divide="ignore", invalid="ignore"):
            means = _total(self.sums) / n
            residuals = self.sums - self.sizes * means
            return means, residuals, np.abs(residuals) <= _NOISE * n * self.largest

    def near_noise(self) -> Mask:
        """Say of which columns it matters how large a row is: some residual may be mere rounding."""
        is_near: Mask = np.any(self._centred[2], axis=0)
        return is_near

    @cached_property
    def over_clusters(self) -> tuple[Floats, Floats, Floats]:
        """Return means, CR2 standard errors and their degrees of freedom, by column; NaN where undefined.

        For a mean, CR2 (Bell and McCaffrey 2002) has a closed form: the sum of a cluster's residuals over
        sqrt(1 - n_c / n). With M the covariance of those under independence, df = tr(M)² / tr(M²).
        """
        n, (means, residuals, noise) = _total(self.sizes), self._centred
        with np.errstate(divide="ignore", invalid="ignore"):
            deviations = np.where(noise, 0.0, residuals)
            se = np.sqrt(_total(deviations * deviations / (1.0 - self.sizes / n))) / n
            df = np.broadcast_to(degrees_of_freedom(self.sizes), se.shape)
        se[np.broadcast_to((self.units < 2) | (self.sizes.max(axis=0) > DOMINATING * n), se.shape)] = np.nan
        return means, se, df

    @cached_property
    def too_even(self) -> Mask:
        """Say of which columns the clusters differ far less than clusters of independent rows would.

        Squares of such errors are as chi² over their degrees of freedom; what lies below its quantile is chance.
        """
        from scipy.special import chdtri

        _, se, df = self.over_clusters
        with np.errstate(invalid="ignore"):
            least_ratios = _by_value(lambda distinct: chdtri(distinct, 1.0 - _TOO_EVEN) / distinct, df)
            is_too_even: Mask = se * se < self._over_rows**2 * least_ratios
        return is_too_even

    @cached_property
    def _over_rows(self) -> Floats:
        """The standard errors of independent rows, by column; 0 where no row differs from another."""
        n, (means, *_) = _total(self.sizes), self._centred
        with np.errstate(divide="ignore", invalid="ignore"):
            squared_deviations = self.squares - n * means * means
            return np.sqrt(
                np.where(squared_deviations > _NOISE * self.squares, squared_deviations, 0.0) / (n * (n - 1.0))
            )

    def errors(self) -> tuple[Floats, Floats, Floats]:
        """Return means, their standard errors and the degrees of freedom, by column; NaN where undefined.

        An error is that over clusters, or of independent rows where clusters are too even to be believed.
        """
        means, se, df = self.over_clusters
        return means, np.where(self.too_even, self._over_rows, se), df

    def tests(self, means: Floats | None = None) -> tuple[Floats, Floats]:
        """Return means, or those given, and the two-sided p-values of a mean of 0, by column; NaN where undefined.

        Clusters that all have one mean can still be flipped: 2 of 2^units ways are as far from 0, and no p-value
        is below that. Rows that are all 0 have none: nothing was seen to vary.
        """
        from scipy.special import stdtr

        own_means, se, df = self.errors()
        means = own_means if means is None else means
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where((se == 0) & (means == 0), 0.0, 2.0 * stdtr(df, -np.abs(means / se)))
        no_spread = self.over_clusters[1] == 0
        flipped = np.where(np.abs(means) <= _NOISE * self.largest, 1.0, 2.0 ** (1.0 - self.units))
        p = np.where(no_spread, np.maximum(p, flipped), p)
        return means, np.where(no_spread & (self.largest == 0), np.nan, p)


def degrees_of_freedom(sizes: Floats) -> Floats:
    """Return Satterthwaite's degrees of freedom for clusters of these (clusters, columns) *sizes*.

    One less than the clusters where all have one size, fewer the more they differ; NaN for fewer than two.
    """
    n = _total(sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = sizes * sizes / (1.0 - sizes / n)
        crossed = (_total(weight) ** 2 - _total(weight * weight)) / (n * n)
        df: Floats = n * n / (_total(sizes * sizes) + crossed)
    df[(sizes > 0).sum(axis=0) < 2] = np.nan
    return df


def estimates(
    values: Floats,
    clusters: Clusters,
    defined: Mask | None = None,
    level: float = 0.95,
    *,
    shares: bool = False,
) -> tuple[Estimate, ...]:
    """Return the mean of every column of (n, columns) *values* with its interval over *clusters*.

    Rows that are not *defined* are left out of a column, and so is a cluster that has no other. Columns of
    *shares*, whose rows all lie in 0 to 1, get a score interval: near the ends a symmetric one covers too little.
    """
    cluster_sums = ClusterSums.of(values, clusters, defined)
    filled, n = _defined(values, defined)
    are_shares = np.zeros(n.shape, dtype=np.bool_)
    if shares:
        are_shares = (filled.min(axis=0, initial=0.0) >= 0) & (cluster_sums.largest <= 1)
    return estimates_of_sums(cluster_sums, _means(filled, n, cluster_sums.largest), n, are_shares, level)


def means(values: Floats, defined: Mask) -> Floats:
    """Return the mean of every column of (n, columns) *values* where *defined*; NaN where nothing is."""
    filled, n = _defined(values, defined)
    return _means(filled, n, largest_of(filled))


def _defined(values: Floats, defined: Mask | None) -> tuple[Floats, NDArray[np.int64]]:
    """Return *values* with zeros for what is not *defined*, and how many are, by column."""
    if defined is None or defined.all():
        return values, np.full(values.shape[1], len(values))
    return np.where(defined, values, 0.0), defined.sum(axis=0)


def _means(filled: Floats, n: NDArray[np.int64], largest: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        averages: Floats = exact_sums(filled, largest) / np.where(n, n, np.nan)
    return averages


def estimates_of_sums(
    added: ClusterSums, means: Floats, n: NDArray[np.int64], shares: Mask, level: float = 0.95
) -> tuple[Estimate, ...]:
    """Return the same of columns whose rows are gone: of their sums by cluster, their *means* and their sizes *n*.

    *shares* says of every column whether its rows all lie in 0 to 1, and gets a score interval.
    """
    from scipy.special import stdtrit

    _, se, df = added.errors()
    quantiles = _by_value(lambda distinct: np.asarray(stdtrit(distinct, 0.5 + level / 2.0), np.float64), df)
    low, high = means - quantiles * se, means + quantiles * se
    low[se == 0], high[se == 0] = np.nan, np.nan
    if shares.any():
        score_limits = score_ends(means, se, quantiles, n)
        low, high = np.where(shares, score_limits[0], low), np.where(shares, score_limits[1], high)
    _, p = added.tests(means)
    columns = (means, se, df, low, high, p, n, added.units)
    return tuple(_estimate(*row) for row in zip(*(column.tolist() for column in columns), strict=True))


def _by_value(quantile: Callable[[Floats], Floats], df: Floats) -> Floats:
    """Return the quantile for every one of *df*; it takes long, and mostly all are one."""
    distinct, places = np.unique(df, return_inverse=True)
    quantiles: Floats = quantile(distinct)[places]
    return quantiles


def cluster_interval(
    values: ArrayLike, labels: ArrayLike, defined: Mask | None = None, *, shares: bool = False
) -> Interval:
    """Return the 95 % interval of the mean of one column over the clusters that *labels* name, one label a row."""
    column = np.asarray(values, dtype=np.float64)[:, None]
    mask = None if defined is None else defined[:, None]
    return estimates(column, Clusters.of(labels), mask, shares=shares)[0].interval


def difference_of_parts(values: Floats, clusters: Clusters, first: Mask, second: Mask) -> Interval:
    """Return the interval of the mean of the *first* rows minus that of the *second*, two parts of one column.

    Each row stands in for what it adds to the difference (its influence), so that clusters that reach into both
    parts count once.
    """
    if not first.any() or not second.any():
        return Interval(None, None, None, 0, "one of both parts is empty")
    means = fsum(values[first].tolist()) / int(first.sum()), fsum(values[second].tolist()) / int(second.sum())
    either = first | second
    n = int(either.sum())
    influence = np.where(first, (values - means[0]) * (n / first.sum()), 0.0)
    influence -= np.where(second, (values - means[1]) * (n / second.sum()), 0.0)
    around = estimates(influence[:, None], clusters, either[:, None])[0]
    difference = means[0] - means[1]
    if around.low is None or around.high is None:
        return Interval(difference, None, None, n, around.reason)
    return Interval(difference, difference + around.low, difference + around.high, n)


def reach_of(columns: Iterable[Floats]) -> float:
    """Return how far apart two means of such values can be: 1 where all are shares."""
    return 1.0 if all(((column >= 0) & (column <= 1)).all() for column in columns) else np.inf


def score_ends(means: Floats, se: Floats, quantiles: Floats, n: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the means m in 0 to 1 whose own error would put them within *quantiles* of what was measured.

    Wilson's interval with the number of independent rows that would have this error, m (1 - m) / se² (Korn and
    Graubard 1998). Where no cluster differs from another that number is unknown, and *n* is taken for it.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(means * (1.0 - means), 0.0)
        per_row = np.where((se == 0) | (variance == 0), 1.0 / n, se * se / variance)
        squared = quantiles * quantiles * per_row
        centre = (means + squared / 2.0) / (1.0 + squared)
        half = np.sqrt(squared * (variance + squared / 4.0)) / (1.0 + squared)
    no_error = np.isnan(se)
    low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    return np.where(no_error, np.nan, low), np.where(no_error, np.nan, high)


def _estimate(
    mean: float, se: float, df: float, low: float, high: float, p: float, n: int, units: int
) -> Estimate:
    if n == 0:
        return Estimate(None, None, None, None, None, None, 0, 0, NO_ROW)
    if units < 2:
        return Estimate(mean, None, None, None, None, None, n, units, ONE_CLUSTER)
    if isnan(se):
        return Estimate(mean, None, None, None, None, None, n, units, DOMINATED)
    p_value = None if isnan(p) else p
    if isnan(low):
        return Estimate(mean, se, df, None, None, p_value, n, units, NO_SPREAD)
    return Estimate(mean, se, df, low, high, p_value, n, units)


def _sizes(clusters: Clusters) -> Floats:
    """Return how many rows every cluster has: one column for all."""
    return np.bincount(clusters.codes, minlength=clusters.count).astype(np.float64)[:, None]


def _by_cluster(columns: Floats, clusters: Clusters) -> Floats:
    """Add up the rows of every cluster, in their order."""
    sums: Floats = clusters.membership @ columns
    return sums


def squares_of(values: Floats, clusters: Clusters) -> Floats:
    """Add up the squares of all rows of each column, in one order whatever stands beside it."""
    return _total(_by_cluster(values * values, clusters))


def _total(columns: Floats) -> Floats:
    """Add up the clusters of every column one after the other, whatever the width of the processor's registers."""
    if not len(columns):
        return np.zeros(columns.shape[1])
    total: Floats = np.cumsum(columns, axis=0)[-1]
    return total
