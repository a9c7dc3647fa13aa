"""Bootstrap intervals from one reused set of resamples, so that the intervals of a report agree."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_BLOCK = 250
"""Resamples drawn at a time: keeps the indices in cache; it does not change them."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its percentile interval; ``None`` throughout where it is undefined."""

    mean: float | None
    low: float | None
    high: float | None
    n: int
    """Defined rows."""
    reason: str = ""
    """Why there is no interval."""


@dataclass(frozen=True, eq=False)
class Resamples:
    """How often each row is drawn in each resample; draw once, use for every column."""

    counts: NDArray[np.float64]
    """(draws, units): rows, or clusters of rows. Small integers; every row has the same sum."""
    clusters: NDArray[np.int64] | None
    """(n,) the cluster of each row, as a column of *counts*; ``None`` when rows are the units."""
    n: int

    @classmethod
    def draw(cls, n: int, seed: int, draws: int = 3000, clusters: ArrayLike | None = None) -> Resamples:
        """Draw *draws* resamples of *n* rows, or of whole *clusters* (one label a row), with replacement.

        The indices are those of ``default_rng(seed).integers(0, units, (draws, units))``, so an oracle can repeat
        them. A resample of clusters keeps all rows of a cluster together and so varies in its number of rows.

        Raises:
            ValueError: No rows, no draws, or not one cluster label a row.
        """
        if n < 1 or draws < 1:
            raise ValueError(f"Cannot draw {draws} resamples of {n} rows.")
        labels = None
        units = n
        if clusters is not None:
            names, labels = np.unique(np.asarray(clusters), return_inverse=True)
            units = len(names)
            if len(labels) != n:
                raise ValueError(f"{len(labels)} cluster labels for {n} rows.")
        rng = np.random.default_rng(seed)
        counts = np.empty((draws, units), dtype=np.float64)
        for start in range(0, draws, _BLOCK):
            index = rng.integers(0, units, (min(_BLOCK, draws - start), units))
            index += np.arange(len(index))[:, None] * units
            block = np.bincount(index.ravel(), minlength=index.size)
            counts[start : start + len(index)] = block.reshape(index.shape)
        return cls(counts, labels, n)

    @property
    def units(self) -> int:
        """Return how many rows or clusters are drawn from."""
        return int(self.counts.shape[1])

    def means(self, values: NDArray[np.float64], defined: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return the mean of every column of (n, columns) *values* in every resample: (draws, columns).

        A resample without any defined row of a column has no mean there: NaN.
        """
        mask = np.ones(values.shape, dtype=np.bool_) if defined is None else defined
        if mask.shape != values.shape or len(values) != self.n:
            raise ValueError(f"Values {values.shape} and mask {mask.shape} for resamples of {self.n} rows.")
        sums = self._weigh(np.where(mask, values, 0.0))
        # Most columns of one table share their mask, so weigh each distinct mask once.
        distinct, which = np.unique(mask, axis=1, return_inverse=True)
        sizes = self._weigh(distinct.astype(np.float64))[:, which]
        means: NDArray[np.float64] = np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0)
        return means

    def intervals(
        self, values: NDArray[np.float64], level: float = 0.95, defined: NDArray[np.bool_] | None = None
    ) -> tuple[Interval, ...]:
        """Return the percentile interval of the mean of every column of (n, columns) *values*.

        Rows that are not *defined* are left out of a column's mean, and so is their weight. Resamples that drew no
        defined row are left out of its percentiles.
        """
        mask = np.ones(values.shape, dtype=np.bool_) if defined is None else defined
        means = np.ascontiguousarray(self.means(values, mask).T)
        tail = (1.0 - level) / 2.0
        found = []
        for column, n in enumerate(mask.sum(axis=0).tolist()):
            if n == 0:
                found.append(Interval(None, None, None, 0, "no defined value"))
                continue
            mean = fsum(values[mask[:, column], column].tolist()) / n
            if self.units < 2:
                found.append(Interval(mean, None, None, n, "one unit cannot be resampled"))
                continue
            drawn = means[column]
            low, high = np.quantile(drawn[~np.isnan(drawn)], (tail, 1.0 - tail))
            found.append(Interval(mean, float(low), float(high), n))
        return tuple(found)

    def interval(
        self, values: ArrayLike, level: float = 0.95, defined: NDArray[np.bool_] | None = None
    ) -> Interval:
        """Return the percentile interval of the mean of one column."""
        column = np.asarray(values, dtype=np.float64)[:, None]
        return self.intervals(column, level, None if defined is None else defined[:, None])[0]

    def difference(
        self, a: ArrayLike, b: ArrayLike, level: float = 0.95, defined: NDArray[np.bool_] | None = None
    ) -> Interval:
        """Return the interval of the mean of the paired differences a - b; *defined* is where both are."""
        pairs = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
        return self.interval(pairs, level, defined)

    def _weigh(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum columns over every resample, rounded so that the order of summation cannot show."""
        if self.clusters is not None:
            sums = np.zeros((self.units, columns.shape[1]))
            np.add.at(sums, self.clusters, columns)
            columns = sums
        return _exact_product(self.counts, columns)


def _exact_product(counts: NDArray[np.float64], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply counts by columns so that the bytes do not depend on threads, blocking or instruction set.

    A linear-algebra library adds in an order of its own choice, and every order rounds differently, unless nothing
    is rounded: each column is first rounded to multiples of a power of two so coarse that no partial sum needs
    more than 53 bits. That keeps about 40 bits below the largest magnitude of the column.
    """
    largest = np.abs(columns).max(axis=0, initial=0.0) * counts[0].sum()
    _, exponent = np.frexp(largest)
    step = np.ldexp(1.0, exponent - 53)
    product: NDArray[np.float64] = (counts @ np.rint(columns / step)) * step
    return product
