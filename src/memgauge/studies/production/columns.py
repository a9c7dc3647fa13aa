"""One measure before it is summed up: a value for each of many cases, where each comes from, and what was seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats import Interval
from memgauge.stats.clusters import Clusters, estimates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


class Summary(StrEnum):
    """How the cases of a measure become a number."""

    SHARE = "share"
    MEAN = "mean"
    MEDIAN = "median"
    TAIL = "95th percentile"

    @property
    def quantile(self) -> float | None:
        """Return the share of cases that are below; ``None`` for a mean."""
        return {Summary.MEDIAN: 0.5, Summary.TAIL: 0.95}.get(self)


class HealthUnit(StrEnum):
    """What a measure is counted in."""

    SHARE = "share"
    MILLISECONDS = "ms"
    TOKENS = "tokens"
    DAYS = "days"
    PLAIN = ""


@dataclass(frozen=True)
class MeasureSpec:
    """What is measured, and over what."""

    key: str
    group: str
    name: str
    of: str
    """What the cases are: the denominator."""
    why_none: str
    """Why there may be no case."""
    summary: Summary = Summary.SHARE
    unit: HealthUnit = HealthUnit.SHARE
    fault: bool = False
    """Whether a single case is something that somebody should look at."""


@dataclass(frozen=True, eq=False)
class MeasuredColumn:
    """The cases of one measure."""

    spec: MeasureSpec
    values: Floats
    rows: Integers
    """Of every case, its operation."""
    clusters: Integers

    @property
    def interval(self) -> Interval:
        """Sum up, with a 95 % interval that is clustered by scope.

        A quantile gets Woodruff's (1952): the values at the ends of the interval of the share below it.
        """
        if not len(self.values):
            return Interval(None, None, None, 0, self.spec.why_none)
        clusters, quantile = Clusters.of(self.clusters), self.spec.summary.quantile
        if quantile is None:
            shares = self.spec.summary is Summary.SHARE
            return estimates(self.values[:, None], clusters, shares=shares)[0].interval
        value = float(np.quantile(self.values, quantile))
        below = estimates((self.values <= value).astype(np.float64)[:, None], clusters, shares=True)[0]
        if below.mean is None or below.low is None or below.high is None:
            return Interval(value, None, None, len(self.values), below.reason)
        ends = np.clip(quantile + np.array([below.low, below.high]) - below.mean, 0, 1)
        low, high = np.quantile(self.values, ends)
        return Interval(value, float(low), float(high), len(self.values))

    @property
    def first(self) -> int | None:
        """Return the row of the first operation that it is true of; ``None`` where it is a measure of no share."""
        if self.spec.summary is not Summary.SHARE:
            return None
        seen = self.rows[self.values > 0]
        return int(seen.min()) if len(seen) else None


def ratio(amounts: Floats, sizes: Floats) -> Floats:
    """Return values whose mean is the ratio of two sums, and whose spread is that of the ratio (linearised)."""
    total = float(sizes.sum())
    if total == 0:
        return np.zeros(0)
    whole = float(amounts.sum()) / total
    return whole + (amounts - whole * sizes) * len(sizes) / total
