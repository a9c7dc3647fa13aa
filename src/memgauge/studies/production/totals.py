"""A measure summed up: what is kept of its cases, however many portions they come in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats import Interval
from memgauge.stats.clusters import Clusters, ClusterSums, Estimate, estimates_of_sums
from memgauge.studies.production.columns import MeasuredColumn, Summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.columns import MeasureSpec

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

NOT_AT_RISK = "nothing was at risk"
_SLICE = 1 << 16
"""Values that are spelled as numbers of Python at a time."""


@dataclass(eq=False)
class MeasureTotals:
    """The sums of a measure by cluster; of a quantile its values too, which sums cannot replace."""

    spec: MeasureSpec
    traffic: TrafficArrays
    sums: Floats
    sizes: Floats
    n: int = 0
    cases: int = 0
    """How many are above 0."""
    at_risk: int | None = None
    """Of how many it could be true; ``None`` where of all."""
    first: int | None = None
    """The row of the first operation that it is true of, of a share."""
    low: float = np.inf
    high: float = -np.inf
    _added: list[float] = field(default_factory=list)
    _squared: list[float] = field(default_factory=list)
    _values: list[tuple[Floats, NDArray[np.int32]]] = field(default_factory=list)

    @classmethod
    def of(cls, spec: MeasureSpec, traffic: TrafficArrays) -> MeasureTotals:
        """Begin with nothing."""
        count = traffic.clusters.count
        return cls(spec, traffic, np.zeros(count), np.zeros(count))

    def add(self, column: MeasuredColumn) -> None:
        """Add the cases of one portion."""
        values, codes = column.values, self.traffic.clusters.codes[column.rows]
        if not len(values):
            return
        self.sums += np.bincount(codes, values, minlength=len(self.sums))
        self.sizes += np.bincount(codes, minlength=len(self.sizes))
        self.n += len(values)
        if column.at_risk is not None:
            self.at_risk = (self.at_risk or 0) + column.at_risk
        self.cases += int((values > 0).sum())
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))
        self._added.append(exact_sum(values))
        self._squared.append(exact_sum(values * values))
        first_row = column.first
        self.first = (
            first_row if self.first is None else self.first if first_row is None else min(self.first, first_row)
        )
        if self.spec.summary.quantile is not None:
            self._values.append((values, codes.astype(np.int32)))

    @property
    def mean(self) -> float:
        """Return the mean of all cases, of which there is one."""
        return fsum(self._added) / self.n

    @property
    def interval(self) -> Interval:
        """Sum up, with a 95 % interval that is clustered by scope.

        A quantile gets Woodruff's (1952): the values at the ends of the interval of the share below it.
        """
        if not self.n:
            return Interval(None, None, None, 0, self.spec.why_none)
        if self.at_risk == 0:
            return Interval(None, None, None, 0, NOT_AT_RISK)
        quantile = self.spec.summary.quantile
        if quantile is None:
            share = self.spec.summary is Summary.SHARE and self.low >= 0 and self.high <= 1
            largest = max(-self.low, self.high)
            estimate = self._estimate(self.sums, self.mean, largest, fsum(self._squared), share=share)
            return _bounded(estimate.interval, *self.spec.bounds)
        values = np.concatenate([values for values, _ in self._values])
        value = float(np.quantile(values, quantile))
        sums = np.zeros(len(self.sums))
        for values_of_part, codes in self._values:
            sums += np.bincount(codes[values_of_part <= value], minlength=len(sums))
        count = float(sums.sum())
        share_below = self._estimate(sums, count / self.n, 1.0, count, share=True)
        if share_below.mean is None or share_below.low is None or share_below.high is None:
            return Interval(value, None, None, self.n, share_below.reason)
        ends = np.clip(quantile + np.array([share_below.low, share_below.high]) - share_below.mean, 0, 1)
        low, high = np.quantile(values, ends, overwrite_input=True)
        return Interval(value, float(low), float(high), self.n)

    def _estimate(self, sums: Floats, mean: float, largest: float, squares: float, *, share: bool) -> Estimate:
        cluster_sums = ClusterSums(sums[:, None], self.sizes[:, None], np.array([largest]), np.array([squares]))
        return estimates_of_sums(cluster_sums, np.array([mean]), np.array([self.n]), np.array([share]))[0]

    def less(self, other: MeasureTotals) -> Interval:
        """Compare two means or shares, each in its own traffic; scopes that are in both count once.

        Each case stands in for what it adds to the difference (its influence), as where both are one column.
        """
        if self.spec.summary.quantile is not None:
            return Interval(None, None, None, 0, "quantiles are compared by their own intervals")
        if not self.n or not other.n:
            return Interval(None, None, None, 0, "one of both parts is empty")
        if 0 in {self.at_risk, other.at_risk}:
            return Interval(None, None, None, 0, NOT_AT_RISK)
        n = self.n + other.n
        ours, theirs = self._influence(n / self.n), other._influence(-n / other.n)
        names = np.concatenate([np.unique(totals.traffic.cluster) for totals in (self, other)])
        clusters = Clusters.of(names)
        sums, sizes = (
            np.bincount(clusters.codes, np.concatenate(parts), minlength=clusters.count).astype(np.float64)
            for parts in ((ours[0], theirs[0]), (self.sizes, other.sizes))
        )
        largest, squares = max(ours[1], theirs[1]), ours[2] + theirs[2]
        cluster_sums = ClusterSums(sums[:, None], sizes[:, None], np.array([largest]), np.array([squares]))
        around = estimates_of_sums(cluster_sums, np.zeros(1), np.array([n]), np.array([False]))[0]
        difference = self.mean - other.mean
        if around.low is None or around.high is None:
            return Interval(difference, None, None, n, around.reason)
        return Interval(difference, difference + around.low, difference + around.high, n)

    def _influence(self, weight: float) -> tuple[Floats, float, float]:
        """Return what every cluster adds, the most that a case does, and the squares of all cases."""
        farthest = max(self.high - self.mean, self.mean - self.low)
        squares = max(fsum(self._squared) - self.n * self.mean**2, 0.0)
        return (self.sums - self.mean * self.sizes) * weight, farthest * abs(weight), squares * weight**2


def _bounded(interval: Interval, least: float, most: float) -> Interval:
    """Cut off of an interval what cannot be."""
    if interval.low is None or interval.high is None:
        return interval
    return replace(interval, low=max(interval.low, least), high=min(interval.high, most))


def exact_sum(values: Floats) -> float:
    """Add up in full precision, with few numbers of Python at a time."""
    slices = (values[start : start + _SLICE].tolist() for start in range(0, len(values), _SLICE))
    return fsum(chain.from_iterable(slices))


def summed(traffic: TrafficArrays, columns: Iterable[MeasuredColumn]) -> Iterator[MeasureTotals]:
    """Sum up columns that may come in portions, in the order in which each is first met."""
    totals: dict[str, MeasureTotals] = {}
    for column in columns:
        key = column.spec.key
        if key not in totals:
            totals[key] = MeasureTotals.of(column.spec, traffic)
        totals[key].add(column)
    yield from totals.values()


def joined(columns: Iterable[MeasuredColumn]) -> list[MeasuredColumn]:
    """Put the portions of every column together."""
    parts: dict[str, list[MeasuredColumn]] = {}
    for column in columns:
        parts.setdefault(column.spec.key, []).append(column)
    return [_together(portions) for portions in parts.values()]


def _together(portions: list[MeasuredColumn]) -> MeasuredColumn:
    if len(portions) == 1:
        return portions[0]
    values, rows = (
        np.concatenate([getattr(portion, name) for portion in portions]) for name in ("values", "rows")
    )
    counts = [portion.at_risk for portion in portions if portion.at_risk is not None]
    return MeasuredColumn(portions[0].spec, values, rows, sum(counts) if counts else None)
