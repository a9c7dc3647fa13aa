"""Sums that are what exact arithmetic gives, rounded once: for many columns at a time."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_CELLS: Final = 1 << 16
"""Values that are added at a time: what fits into the second-level cache."""
_HALF_ULP: Final = 2.0**-53


def exact_sums(table: Floats) -> Floats:
    """Add up every column of (n, columns) *table*, to the bytes of ``math.fsum``.

    Rows are added in pairs, and what each addition rounds off is kept (Knuth's two-sum), so that only the sum of
    these remainders is off, by no more than its own rounding. Where that could matter, ``math.fsum`` decides.
    """
    sums = np.zeros(table.shape[1])
    if not len(table):
        return sums
    largest = np.maximum(table.max(axis=0), -table.min(axis=0))
    step = max(1, _CELLS // len(table))
    for start in range(0, len(sums), step):
        block = slice(start, start + step)
        sums[block] = _exact(table[:, block], largest[block])
    return sums


def _exact(table: Floats, largest: Floats) -> Floats:
    sums, rest, levels = np.ascontiguousarray(table), np.zeros(table.shape[1]), 1
    buffers = np.empty((3, (len(table) + 1) // 2, table.shape[1]))
    with np.errstate(invalid="ignore", over="ignore"):
        while len(sums) > 1:
            half = len(sums) // 2
            added, off = _two_sum(sums[:half], sums[half : 2 * half], buffers[:, :half])
            rest += off.sum(axis=0)
            sums, levels = np.concatenate([added, sums[2 * half :]]), levels + 1
        doubt = 4.0 * levels * (_HALF_ULP * len(table)) ** 2 * largest
        low, high = sums[0] + (rest - doubt), sums[0] + (rest + doubt)
        exact: Floats = sums[0] + rest
    for column in np.flatnonzero(~(low == high)).tolist():
        exact[column] = fsum(table[:, column].tolist())
    return exact


def _two_sum(a: Floats, b: Floats, buffers: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sum and what rounding took off: a - (sum - (sum - a)) + b - (sum - a)."""
    added, second, off = buffers
    np.add(a, b, out=added)
    np.subtract(added, a, out=second)
    np.subtract(added, second, out=off)
    np.subtract(a, off, out=off)
    np.subtract(b, second, out=second)
    off += second
    return added, off
