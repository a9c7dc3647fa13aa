"""Whether raters agree beyond chance: kappas and alpha over nominal ratings, with intervals over items.

Ratings are whole numbers, (items, raters); -1 is missing. Every coefficient is 1 minus the share of disagreement
that was observed in the disagreement that chance would give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats.bootstrap import Interval
from memgauge.stats.ranks import Agreement

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from memgauge.stats.bootstrap import Resamples

    Ratings = npt.NDArray[np.integer]
    Floats = npt.NDArray[np.float64]
    Coefficient = Callable[[Ratings, Floats], float]
    """A coefficient of ratings that count as often as their weight; NaN where it is undefined."""

MISSING = -1


def cohen_kappa(ratings: Ratings, weights: Floats) -> float:
    """Return the agreement of two raters beyond that of their own habits (Cohen 1960)."""
    both, weight = _complete(ratings, weights)
    if not weight.sum():
        return np.nan
    k = int(both.max()) + 1
    table = np.zeros((k, k))
    np.add.at(table, (both[:, 0], both[:, 1]), weight)
    table /= table.sum()
    expected = float(table.sum(axis=1) @ table.sum(axis=0))
    return float((np.trace(table) - expected) / (1 - expected)) if expected < 1 else np.nan


def fleiss_kappa(ratings: Ratings, weights: Floats) -> float:
    """Return the agreement of any number of raters beyond that of their common habits (Fleiss 1971).

    Items that a rater left out do not count.
    """
    whole, weight = _complete(ratings, weights)
    raters = whole.shape[1]
    if not weight.sum() or raters < 2:
        return np.nan
    counts = _counts(whole)
    alike = ((counts * counts).sum(axis=1) - raters) / (raters * (raters - 1))
    shares = (counts * weight[:, None]).sum(axis=0) / (weight.sum() * raters)
    expected = float((shares * shares).sum())
    observed = float((alike * weight).sum() / weight.sum())
    return (observed - expected) / (1 - expected) if expected < 1 else np.nan


def krippendorff_alpha(ratings: Ratings, weights: Floats) -> float:
    """Return Krippendorff's alpha for nominal ratings; missing ones are allowed (Krippendorff 2011)."""
    counts = _counts(ratings)
    raters = counts.sum(axis=1)
    paired = raters > 1
    counts, raters, weight = counts[paired], raters[paired], weights[paired]
    if not weight.sum():
        return np.nan
    apart = (raters[:, None] - counts) * counts / (raters - 1)[:, None]
    observed = float((apart.sum(axis=1) * weight).sum())
    totals = (counts * weight[:, None]).sum(axis=0)
    n = float(totals.sum())
    expected = float((totals * (n - totals)).sum()) / (n - 1)
    return 1 - observed / expected if expected > 0 else np.nan


def agreement(ratings: Ratings, coefficient: Coefficient) -> Agreement:
    """Compute a coefficient, or say why it is undefined."""
    n = int((ratings != MISSING).all(axis=1).sum())
    if ratings.shape[1] < 2:
        return Agreement(None, n, "fewer than two raters")
    value = coefficient(ratings, np.ones(len(ratings)))
    if np.isnan(value):
        return Agreement(None, n, "no item was rated twice" if not n else "only one category was used")
    return Agreement(value, n)


def agreement_interval(ratings: Ratings, coefficient: Coefficient, resamples: Resamples) -> Interval:
    """Put the percentiles of a coefficient over resampled items around its value."""
    found = agreement(ratings, coefficient)
    if found.value is None:
        return Interval(None, None, None, found.n, found.reason)
    weights = resamples.counts if resamples.clusters is None else resamples.counts[:, resamples.clusters]
    drawn = np.array([coefficient(ratings, row) for row in weights])
    drawn = drawn[~np.isnan(drawn)]
    if resamples.units < 2 or not len(drawn):
        return Interval(found.value, None, None, found.n, "one unit cannot be resampled")
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Interval(found.value, float(low), float(high), found.n)


def _complete(ratings: Ratings, weights: Floats) -> tuple[Ratings, Floats]:
    """Keep the items that every rater rated."""
    whole = (ratings != MISSING).all(axis=1)
    return ratings[whole], weights[whole]


def _counts(ratings: Ratings) -> Floats:
    """Count how many raters gave each item each category, (items, categories)."""
    k = int(ratings.max(initial=0)) + 1
    return np.stack([(ratings == category).sum(axis=1) for category in range(k)], axis=1).astype(np.float64)
