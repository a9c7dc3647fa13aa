"""How small a difference a comparison could have found."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def minimum_detectable(
    sd: float, n: int, *, alpha: float = 0.05, power: float = 0.8, design_effect: float = 1.0
) -> float:
    """Return the smallest true mean of paired differences that a two-sided test finds with *power*.

    (z(1 - alpha/2) + z(power)) · sd · sqrt(design_effect / n): the normal approximation, for *n* pairs whose
    differences have the standard deviation *sd*. With 80 % power at 5 % the factor is 2.80.

    Raises:
        ValueError: No pairs, or a negative spread.
    """
    if n < 1 or sd < 0 or design_effect < 0:
        raise ValueError(f"Power needs pairs and a spread: n={n}, sd={sd}, design_effect={design_effect}.")
    normal = NormalDist()
    factor = normal.inv_cdf(1.0 - alpha / 2.0) + normal.inv_cdf(power)
    return factor * sd * sqrt(design_effect / n)


def design_effect(values: ArrayLike, clusters: ArrayLike) -> float:
    """Return by how much clusters inflate the variance of the mean of *values*.

    The cluster-robust variance, C/(C-1) · Σ_c (Σ_{i in c} (v_i - mean))² / n², over s²/n. 1 when nothing varies.

    Raises:
        ValueError: Fewer than two clusters.
    """
    column = np.asarray(values, dtype=np.float64)
    names, label = np.unique(np.asarray(clusters), return_inverse=True)
    if len(names) < 2:
        raise ValueError("A design effect needs at least two clusters.")
    residual = column - column.mean()
    independent = float((residual @ residual) / (len(column) - 1) / len(column))
    sums = np.bincount(label, weights=residual)
    robust = len(names) / (len(names) - 1) * float(sums @ sums) / len(column) ** 2
    return robust / independent if independent > 0 else 1.0
