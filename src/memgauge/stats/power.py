"""How small a difference a comparison could have found."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from memgauge.stats.clusters import Estimate

POWER = 0.8
"""The chance that is meant by "would have been found"."""
_POINTS = 2000
"""At which the distribution of an estimated standard error is cut to average over it."""


def minimum_detectable(
    estimate: Estimate, comparisons: int = 1, *, alpha: float = 0.05, power: float = POWER
) -> float | None:
    """Return the smallest true mean that the two-sided t-test of *estimate* finds with a chance of *power*.

    The level is *alpha* over the number of *comparisons*, Holm's first step. ``None`` where the estimate has no
    error: without spread nobody knows what could have been found.

    Raises:
        ValueError: No comparison, or shares outside of 0 to 1.
    """
    if comparisons < 1 or not 0 < alpha < 1 or not 0 < power < 1:
        raise ValueError(f"Power needs comparisons and shares: {comparisons}, alpha={alpha}, power={power}.")
    if not estimate.se or estimate.df is None:
        return None
    return _factor(estimate.df, alpha / comparisons, power) * estimate.se


@lru_cache(maxsize=256)
def _factor(df: float, alpha: float, power: float) -> float:
    """Return how many estimated standard errors a mean must be from 0.

    The noncentrality at which a t-test with *df* has this power, over the mean of estimated by true standard
    error: with few clusters an error is estimated too small on average, and a difference would be printed so.
    """
    from scipy.optimize import brentq
    from scipy.special import chdtri, gammaln, ndtr, stdtrit

    shares = (np.arange(_POINTS) + 0.5) / _POINTS
    errors = np.sqrt(chdtri(df, shares) / df)
    critical = float(stdtrit(df, 1.0 - alpha / 2.0))

    def missing(noncentrality: float) -> float:
        return float(ndtr(noncentrality - critical * errors).mean()) - power

    noncentrality = brentq(missing, 0.0, 10.0 * (1.0 + critical))
    unbiased = np.exp(gammaln((df + 1.0) / 2.0) - gammaln(df / 2.0)) * np.sqrt(2.0 / df)
    return float(noncentrality / unbiased)
