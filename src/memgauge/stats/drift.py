"""Drift: whether a series has moved, noticed early and with few false alarms."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

WEIGHT, WIDTH = 0.2, 4.0
"""Of the newest value, and how many standard deviations the limits of an EWMA chart are apart from its centre.

The textbook's 3 is too tight where centre and deviation come from some twenty runs.
"""
SLACK, REACH = 0.5, 10.0
"""The same for a CUSUM chart; the textbook's reach is 5."""


@dataclass(frozen=True, slots=True)
class ControlChart:
    """What is watched of a series, the limits it should stay within, and where it first left them."""

    centre: float
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def fell(self) -> int | None:
        """Return the first place below its limit."""
        return next(
            (i for i, (value, low) in enumerate(zip(self.values, self.low, strict=True)) if value < low), None
        )


def ewma(
    values: Sequence[float], centre: float, sigma: float, *, weight: float = WEIGHT, width: float = WIDTH
) -> ControlChart:
    """Average with weights that fade, beside limits that are exact for the first values too.

    Source: Roberts 1959; limits after Lucas and Saccucci 1990, ``sigma * sqrt(w / (2 - w) * (1 - (1 - w)^2t))``.
    """
    if not 0 < weight <= 1:
        raise ValueError(f"A weight is above 0 and at most 1, not {weight}.")
    smoothed, now = [], centre
    for value in values:
        now = weight * value + (1 - weight) * now
        smoothed.append(now)
    variance_factor = weight / (2 - weight)
    around = [
        width * sigma * (variance_factor * (1 - (1 - weight) ** (2 * t))) ** 0.5
        for t in range(1, len(smoothed) + 1)
    ]
    return ControlChart(
        centre, tuple(smoothed), tuple(centre - half for half in around), tuple(centre + half for half in around)
    )


def cusum(
    values: Sequence[float], centre: float, sigma: float, *, slack: float = SLACK, reach: float = REACH
) -> ControlChart:
    """Add up what lies further below the centre than *slack* deviations; a fall is beyond *reach* deviations.

    Source: Page 1954, one-sided. Undefined (never an alarm) without a deviation.
    """
    total, sums = 0.0, []
    for value in values:
        total = max(0.0, total + (centre - value) / sigma - slack) if sigma > 0 else 0.0
        sums.append(-total)
    return ControlChart(0.0, tuple(sums), (-reach,) * len(sums), (float("inf"),) * len(sums))


@dataclass(frozen=True, slots=True)
class Trend:
    """Whether later values tend to be lower or higher; without a p-value *reason* says why."""

    s: int
    """Pairs that rise less pairs that fall."""
    p: float | None
    """Two-sided, by the normal approximation with the corrections for ties and continuity."""
    slope: float | None
    """The median of the slopes of all pairs, per step (Sen 1968)."""
    n: int
    reason: str = ""


def mann_kendall(values: ArrayLike) -> Trend:
    """Test for a trend without assuming its shape (Mann 1945, Kendall 1975)."""
    series = np.asarray(values, dtype=np.float64)
    n = len(series)
    if n < 4:
        return Trend(0, None, None, n, "fewer than four values")
    earlier, later = np.triu_indices(n, 1)
    differences = series[later] - series[earlier]
    s = int(np.sign(differences).sum())
    slope = float(np.median(differences / (later - earlier)))
    ties = np.unique(series, return_counts=True)[1]
    variance = (n * (n - 1) * (2 * n + 5) - int((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    if variance == 0:
        return Trend(0, None, slope, n, "all values are equal")
    z = max(abs(s) - 1, 0) / variance**0.5
    return Trend(s, 2 * NormalDist().cdf(-z), slope, n)
