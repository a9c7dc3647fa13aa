"""Tests of two systems on the same questions, and the correction for doing many of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A two-sided test of paired values; without a p-value *reason* says why."""

    p: float | None
    n: int
    """Pairs."""
    better: int
    """Pairs in which the first is greater."""
    worse: int
    """Pairs in which the second is greater."""
    reason: str = ""


def mcnemar(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Test paired binary values exactly: among the discordant pairs either side is as likely.

    Source: McNemar 1947 in its exact (binomial) form. Undefined without a discordant pair.
    """
    first, second = _pairs(a, b)
    if not np.isin(np.concatenate([first, second]), (0.0, 1.0)).all():
        raise ValueError("McNemar's test needs values of 0 and 1.")
    wins, losses = _signs(first - second)
    if wins + losses == 0:
        return PairedTest(None, len(first), 0, 0, "no discordant pair")
    from scipy.stats import binomtest

    p = binomtest(wins, wins + losses, 0.5).pvalue
    return PairedTest(float(p), len(first), wins, losses)


def wilcoxon(a: ArrayLike, b: ArrayLike) -> PairedTest:
    """Rank the absolute differences and test their signs; zero differences are dropped before ranking.

    Source: Wilcoxon 1945; zeros as there (scipy's ``zero_method="wilcox"``). Exact for at most 50 differences
    without ties, otherwise the normal approximation with tie correction. Undefined when all differences are 0.
    """
    first, second = _pairs(a, b)
    difference = first - second
    wins, losses = _signs(difference)
    if wins + losses == 0:
        return PairedTest(None, len(first), 0, 0, "all differences are zero")
    from scipy.stats import wilcoxon as signed_rank

    nonzero = difference[difference != 0]
    sizes = np.abs(nonzero)
    exact = len(nonzero) <= 50 and len(np.unique(sizes)) == len(sizes)
    method: Literal["exact", "approx"] = "exact" if exact else "approx"
    p = signed_rank(nonzero, zero_method="wilcox", method=method).pvalue
    return PairedTest(float(p), len(first), wins, losses)


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values for their number so that the chance of any false rejection is kept, in the given order.

    Source: Holm 1979; the i-th smallest of m is multiplied by m - i + 1, made monotone and capped at 1.
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    scaled = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two columns of equal length as floats."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"Paired values need one shape and one axis: {first.shape} and {second.shape}.")
    return first, second


def _signs(difference: NDArray[np.float64]) -> tuple[int, int]:
    """Count positive and negative differences."""
    return int((difference > 0).sum()), int((difference < 0).sum())
