"""The exponent of a growth curve: the slope of log time over log size, with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bench.growth.curve import LINEAR

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Fitted:
    """How fast something grows."""

    slope: float
    low: float | None
    high: float | None
    """95 %, of Student's t; ``None`` with fewer than three points."""
    last: float
    """Between the two largest sizes, where what is done once weighs least."""


def fit(sizes: Sequence[float], seconds: Sequence[float]) -> Fitted:
    """Fit a line to the logarithms of medians."""
    x, y = np.log(np.asarray(sizes, dtype=float)), np.log(np.maximum(np.asarray(seconds, dtype=float), 1e-9))
    slope, base = np.polyfit(x, y, 1)
    last = float((y[-1] - y[-2]) / (x[-1] - x[-2]))
    if len(x) < 3:
        return Fitted(float(slope), None, None, last)
    from scipy.stats import t

    rest = y - (slope * x + base)
    error = np.sqrt((rest @ rest) / (len(x) - 2) / ((x - x.mean()) @ (x - x.mean())))
    margin = float(t.ppf(0.975, len(x) - 2) * error)
    return Fitted(float(slope), float(slope) - margin, float(slope) + margin, last)


def said(fitted: Fitted) -> str:
    """Write an exponent with its interval."""
    if fitted.low is None or fitted.high is None:
        return f"{fitted.slope:.2f}"
    return f"{fitted.slope:.2f} [{fitted.low:.2f}, {fitted.high:.2f}]"


def allowed(sizes: Sequence[float], at_most: str) -> float:
    """Return the exponent that a bound has between the two largest sizes."""
    if at_most == LINEAR:
        return 1.0
    a, b = sizes[-2], sizes[-1]
    return float(np.log(b * np.log(b) / (a * np.log(a))) / np.log(b / a))


def within(fitted: Fitted, sizes: Sequence[float], at_most: str, slack: float = 0.1) -> bool:
    """Tell whether growth stays below a bound: over all sizes, and between the largest, where it shows best."""
    bound = allowed(sizes, at_most) + slack
    return max(fitted.last, fitted.slope) <= bound
