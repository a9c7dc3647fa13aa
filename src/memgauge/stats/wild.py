"""The wild cluster bootstrap-t: the check on inference over few clusters that assumes least about their spread."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats.clusters import ClusterSums, estimates

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.stats.clusters import Clusters, Estimate, Floats, Mask

WEBB = tuple(sign * root for sign in (-1.0, 1.0) for root in (0.5**0.5, 1.0, 1.5**0.5))
"""Webb's six points (2014): mean 0, variance 1, and 6^C distinct draws where two points give 2^C."""
ENUMERATED = 6
"""Up to so many clusters every draw is listed."""
DRAWS = 9999
_STEPS = 40


def wild_intervals(
    values: Floats,
    clusters: Clusters,
    defined: Mask | None = None,
    level: float = 0.95,
    *,
    seed: int = 20261120,
    draws: int = DRAWS,
) -> tuple[Estimate, ...]:
    """Return the mean of every column with p-value and interval by the wild cluster bootstrap-t.

    The null is imposed: the rows of a cluster keep their values and change their common weight, one of Webb's six
    points, and p is the share of draws whose t is as far from 0 (Cameron, Gelbach and Miller 2008; MacKinnon and
    Webb 2018). The interval holds the means that are not rejected; it has no ends where none is. Up to 6 clusters
    all draws are listed, otherwise *draws* are made with *seed*. Where clusters are too even to be believed, t on
    the error of independent rows stays: weights of the clusters would find every draw nearer to 0.
    """
    plain_estimates = estimates(values, clusters, defined, level)
    cluster_sums = ClusterSums.of(values, clusters, defined)
    sizes_by_column = np.broadcast_to(cluster_sums.sizes, cluster_sums.sums.shape).T
    return tuple(
        estimate if is_too_even else _wild(estimate, sums, sizes, 1.0 - level, seed, draws)
        for estimate, is_too_even, sums, sizes in zip(
            plain_estimates, cluster_sums.too_even, cluster_sums.sums.T, sizes_by_column, strict=True
        )
    )


def simultaneous_reach(
    added: ClusterSums, level: float = 0.95, *, seed: int = 20261120, draws: int = 2999
) -> float:
    """Return how many standard errors around every column's mean hold all true means at once; NaN for no column.

    The *level* quantile of the largest t over the columns, when the residuals of each cluster keep together and
    are weighted by Webb's points (max-t; Romano and Wolf 2005). Columns without an error are left out.
    """
    means, se, _ = added.over_clusters
    usable = se > 0
    if not usable.any():
        return float("nan")
    sizes = np.broadcast_to(added.sizes, added.sums.shape)[:, usable]
    residuals = added.sums[:, usable] - sizes * means[usable]
    weights = _weights(len(sizes), seed, draws)
    largest = np.zeros(len(weights))
    for column in range(sizes.shape[1]):
        largest = np.maximum(largest, np.abs(_t(weights * residuals[:, column], sizes[:, column])))
    with np.errstate(invalid="ignore"):  # of two clusters t may be without end
        return float(np.quantile(largest, level))


def _wild(estimate: Estimate, sums: Floats, sizes: Floats, alpha: float, seed: int, draws: int) -> Estimate:
    if estimate.mean is None or not estimate.se:
        return estimate
    nonempty = sizes > 0
    sums, sizes = sums[nonempty], sizes[nonempty]
    weights = _weights(len(sums), seed, draws)

    def p_value(centre: float) -> float:
        return _p_value(sums - sizes * centre, sizes, weights)

    low, high = (_end(p_value, estimate.mean, sign * estimate.se, alpha) for sign in (-1.0, 1.0))
    reason = estimate.reason if low is not None and high is not None else "no mean is rejected, however far"
    return replace(estimate, p=p_value(0.0), low=low, high=high, reason=reason)


def _p_value(sums: Floats, sizes: Floats, weights: Floats) -> float:
    """Return the share of *weights* under which t is at least as far from 0 as it is."""
    observed = abs(_t(sums[None, :], sizes)[0])
    resampled = np.abs(_t(weights * sums, sizes))
    return float((resampled >= observed * (1.0 - 1e-9)).mean())


def _t(sums: Floats, sizes: Floats) -> Floats:
    """Return t on CR2 errors of every row of (draws, clusters) sums."""
    n = float(sizes.sum())
    means = np.cumsum(sums, axis=1)[:, -1:] / n
    residuals = sums - sizes * means
    squared_errors = np.cumsum(residuals * residuals / (1.0 - sizes / n), axis=1)[:, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        t: Floats = means[:, 0] * n / np.sqrt(squared_errors)
    return np.where(np.isnan(t), 0.0, t)


@lru_cache(maxsize=8)
def _weights(clusters: int, seed: int, draws: int) -> Floats:
    """List or draw the weights of clusters, (draws, clusters); the first row is the data as it is."""
    if clusters <= ENUMERATED:
        return np.array(list(product(WEBB, repeat=clusters)))
    webb_weights = np.array(WEBB)[np.random.default_rng(seed).integers(0, len(WEBB), (draws, clusters))]
    return np.vstack([np.ones(clusters), webb_weights])


def _end(p_value: Callable[[float], float], mean: float, step: float, alpha: float) -> float | None:
    """Walk from *mean* in *step*'s direction to the last mean with a p-value above *alpha*, halving the gap."""
    near_end, far_end = mean, mean + 2.0 * step
    for _ in range(12):
        if p_value(far_end) <= alpha:
            break
        near_end, far_end = far_end, mean + 2.0 * (far_end - mean)
    else:
        return None
    for _ in range(_STEPS):
        middle = (near_end + far_end) / 2.0
        near_end, far_end = (near_end, middle) if p_value(middle) <= alpha else (middle, far_end)
    return (near_end + far_end) / 2.0
