"""Bootstrap intervals from one reused set of resamples, so that the intervals of a report agree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

_BLOCK = 1 << 15
"""Indices drawn, and counts multiplied, at a time: keeps them in the cache; it changes neither."""
_HELD = 1 << 29
"""Bytes of counts that are held; more of them are drawn again, a block at a time, wherever they are used."""
_FEW = 8
"""Columns that are multiplied by counts a block at a time; more of them repay a table of counts as floats."""


@dataclass(frozen=True, eq=False)
class Resamples:
    """How often each row is drawn in each resample; the same for every column."""

    seed: int
    draws: int
    units: int
    """How many rows or clusters are drawn from."""
    clusters: NDArray[np.int64] | None
    """(n,) the cluster of each row, as a column of *counts*; ``None`` when rows are the units."""
    n: int
    held: int = _HELD
    """Bytes of counts that are held; what is more is drawn again for every use."""

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
        return cls(seed, draws, units, labels, n)

    @cached_property
    def counts(self) -> NDArray[np.unsignedinteger]:
        """(draws, units): rows, or clusters of rows, of the least type that holds *units*, the sum of a row."""
        counts = np.empty((self.draws, self.units), dtype=np.min_scalar_type(self.units))
        for rows, block in zip(_blocks(counts), self._drawn(), strict=True):
            rows[...] = block
        return counts

    def _drawn(self) -> Iterator[NDArray[np.int64]]:
        """Draw, and yield as many resamples at a time as fit the cache."""
        rng, step = np.random.default_rng(self.seed), _at_once(self.units)
        for start in range(0, self.draws, step):
            index = rng.integers(0, self.units, (min(step, self.draws - start), self.units))
            index += np.arange(len(index))[:, None] * self.units
            yield np.bincount(index.ravel(), minlength=index.size).reshape(index.shape)

    def _holds(self, width: int) -> bool:
        """Whether a table of all counts, of so many bytes each, is small enough to be held."""
        return self.draws * self.units * width <= self.held

    def means(self, values: NDArray[np.float64], defined: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return the mean of every column of (n, columns) *values* in every resample: (draws, columns).

        A resample without any defined row of a column has no mean there: NaN.
        """
        mask = np.ones(values.shape, dtype=np.bool_) if defined is None else defined
        if mask.shape != values.shape or len(values) != self.n:
            raise ValueError(f"Values {values.shape} and mask {mask.shape} for resamples of {self.n} rows.")
        if self.clusters is None and mask.all():  # every resample has as many rows
            return self._weigh(values) / float(self.units)
        distinct, mask_places = _distinct(mask)
        weighed_sums = self._weigh(np.hstack([np.where(mask, values, 0.0), distinct]))
        sums, sizes = weighed_sums[:, : values.shape[1]], weighed_sums[:, values.shape[1] :]
        if sizes.shape[1] > 1:
            sizes = sizes[:, mask_places]
        means: NDArray[np.float64] = np.divide(
            sums, sizes, out=np.full(sums.shape, np.nan, order="F"), where=sizes > 0
        )
        return means

    def ends(
        self, values: NDArray[np.float64], level: float = 0.95, defined: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """Return both ends of the percentile interval of every column: (columns, 2), NaN where there is none.

        Resamples that drew no defined row are left out of the percentiles of a column.
        """
        if self.units < 2:
            return np.full((values.shape[1], 2), np.nan)
        tail = (1.0 - level) / 2.0
        return _quantiles(self.means(values, defined).T, (tail, 1.0 - tail))

    def intervals(
        self, values: NDArray[np.float64], level: float = 0.95, defined: NDArray[np.bool_] | None = None
    ) -> tuple[Interval, ...]:
        """Return the percentile interval of the mean of every column of (n, columns) *values*.

        Rows that are not *defined* are left out of a column's mean, and so is their weight.
        """
        mask = np.ones(values.shape, dtype=np.bool_) if defined is None else defined
        ends = self.ends(values, level, mask).tolist()
        intervals = []
        for column, n in enumerate(mask.sum(axis=0).tolist()):
            if n == 0:
                intervals.append(Interval(None, None, None, 0, "no defined value"))
                continue
            mean = fsum(values[mask[:, column], column].tolist()) / n
            if self.units < 2:
                intervals.append(Interval(mean, None, None, n, "one unit cannot be resampled"))
                continue
            low, high = ends[column]
            intervals.append(Interval(mean, low, high, n))
        return tuple(intervals)

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
        """Sum columns over every resample, rounded so that no order of summation can show: (draws, columns)."""
        if self.clusters is not None:
            cells = self.clusters[:, None] * columns.shape[1] + np.arange(columns.shape[1])
            size = self.units * columns.shape[1]
            sums = np.bincount(cells.ravel(), columns.ravel(), minlength=size).astype(np.float64, copy=False)
            columns = sums.reshape(self.units, columns.shape[1])
        step = _steps(columns, self.units)
        # Turned, it is faster, and a column's means lie together, as sorting wants them.
        steps = np.rint(columns / step).T.copy()
        if len(steps) > _FEW and self._holds(np.dtype(np.float64).itemsize):
            sums = steps @ self._floats.T
        else:
            fits_in_memory = self._holds(np.min_scalar_type(self.units).itemsize)
            blocks = _blocks(self.counts) if fits_in_memory else self._drawn()
            sums = np.hstack([steps @ rows.astype(np.float64).T for rows in blocks])
        return sums.T * step

    @cached_property
    def _floats(self) -> NDArray[np.float64]:
        return self.counts.astype(np.float64)


def _blocks(counts: NDArray[np.unsignedinteger]) -> Iterator[NDArray[np.unsignedinteger]]:
    """Yield the rows of a table of counts, as many at a time as fit the cache."""
    step = _at_once(counts.shape[1])
    for start in range(0, len(counts), step):
        yield counts[start : start + step]


def _at_once(units: int) -> int:
    return max(1, _BLOCK // units)


def _distinct(mask: NDArray[np.bool_]) -> tuple[NDArray[np.float64], list[int]]:
    """Return the different columns of a mask, and which of them each column is; most tables have few."""
    places: dict[bytes, int] = {}
    mask_places = [places.setdefault(column.tobytes(), len(places)) for column in np.ascontiguousarray(mask.T)]
    firsts = [mask_places.index(place) for place in range(len(places))]
    return mask[:, firsts].astype(np.float64), mask_places


def _quantiles(rows: NDArray[np.float64], shares: tuple[float, ...]) -> NDArray[np.float64]:
    """Return quantiles of every row without its NaN: (rows, shares), NaN where nothing is left.

    The bytes are those of ``np.quantile``, whose search for single places takes four times as long as sorting all.
    """
    sorted_rows = np.sort(rows, axis=1)
    n_defined = sorted_rows.shape[1] - np.isnan(sorted_rows).sum(axis=1)[:, None]
    at = (n_defined - 1) * np.array(shares)
    place_below = np.maximum(np.floor(at), 0).astype(np.int64)
    place_above = np.minimum(place_below + 1, np.maximum(n_defined - 1, 0))
    low, high = (
        np.take_along_axis(sorted_rows, place_below, axis=1),
        np.take_along_axis(sorted_rows, place_above, axis=1),
    )
    part, gap = at - place_below, high - low
    at_share: NDArray[np.float64] = np.where(part >= 0.5, high - gap * (1 - part), low + gap * part)
    return at_share


def _steps(columns: NDArray[np.float64], weight: int) -> NDArray[np.float64]:
    """Return the unit of each column in which sums that weigh *weight* do not depend on threads or blocking.

    A linear-algebra library adds in an order of its own choice, and every order rounds differently, unless nothing
    is rounded: each column is first rounded to multiples of a power of two so coarse that no partial sum needs
    more than 53 bits. That keeps about 40 bits below the largest magnitude of the column.
    """
    largest = np.abs(columns).max(axis=0, initial=0.0) * weight
    _, exponent = np.frexp(largest)
    steps: NDArray[np.float64] = np.ldexp(1.0, exponent - 53)
    return steps
