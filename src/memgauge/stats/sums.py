"""Sums that are what exact arithmetic gives, rounded once: for many columns at a time."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_CELLS: Final = 1 << 15
"""Values that are added at a time: what fits into the second-level cache with their two parts."""
_WIDE: Final = 1 << 10
"""Values that a row should have where extremes of columns are looked for, as numpy takes each row by itself:
narrower ones are laid side by side."""
_ALIKE: Final = 2.0**20
"""Columns whose largest values differ by less are parted by one number, which takes a third of the time."""
_HALF_ULP: Final = 2.0**-53


def largest_of(table: Floats) -> Floats:
    """Return the largest magnitude of every column."""
    n, width = table.shape
    rows_beside = max(1, min(_WIDE // max(width, 1), n)) if table.flags.c_contiguous else 1
    reshaped = table[: n // rows_beside * rows_beside].reshape(n // rows_beside, rows_beside * width)
    leftover = table[n // rows_beside * rows_beside :]
    largest: Floats = np.maximum(
        _magnitudes(reshaped).reshape(rows_beside, width).max(axis=0), _magnitudes(leftover)
    )
    return largest


def _magnitudes(table: Floats) -> Floats:
    magnitudes: Floats = np.maximum(table.max(axis=0, initial=0.0), -table.min(axis=0, initial=0.0)) + 0.0
    return magnitudes


def exact_sums(table: Floats, largest: Floats | None = None) -> Floats:
    """Add up every column of (n, columns) *table*, to the bytes of ``math.fsum``.

    Every value is parted in two: so many leading bits that their sum is exact in any order, and the rest, whose
    sum is off by no more than its own rounding (Rump, Ogita and Oishi 2008, ExtractVector). Where that could
    matter, the rest is parted again, and what is left then goes to ``math.fsum``. *largest* is the largest
    magnitude of every column, where it is known.
    """
    n, width = table.shape
    if not (n and width):
        return np.zeros(width)
    with np.errstate(invalid="ignore", over="ignore"):
        powers = _powers_above(largest_of(table) if largest is None else largest, n)
        parting = powers.max() if powers.max() < _ALIKE * powers.min() else powers
        leading, rest = _parted_sums(table, parting)
        doubt = 4.0 * (n * _HALF_ULP) ** 2 * parting  # 0 where the rest is too small to be rounded
        exact: Floats = leading + rest
        doubtful = np.flatnonzero(leading + (rest - doubt) != leading + (rest + doubt))
        if len(doubtful):
            exact[doubtful] = _decided(table[:, doubtful], np.broadcast_to(parting, width)[doubtful])
    return exact


def _powers_above(largest: Floats, n: int) -> Floats:
    """Return powers of two that no sum of *n* values of these magnitudes reaches."""
    powers: Floats = np.ldexp(1.0, np.frexp(largest)[1] + (n - 1).bit_length())
    return powers


def _parted_sums(table: Floats, parting: Floats | np.float64) -> tuple[Floats, Floats]:
    """Add up the leading bits of every column, exactly, and what is left, nearly; some rows at a time."""
    n, width = table.shape
    leading, rest = np.zeros(width), np.zeros(width)
    step = min(n, max(1, _CELLS // width))
    heads, tails, ones = np.empty((step, width)), np.empty((step, width)), np.ones(step)
    for start in range(0, n, step):
        rows = table[start : start + step]
        size = len(rows)
        head = np.add(rows, parting, out=heads[:size])
        head -= parting
        leading += ones[:size] @ head
        rest += ones[:size] @ np.subtract(rows, head, out=tails[:size])
    return leading, rest


def _decided(columns: Floats, parting: Floats) -> Floats:
    """Add up *columns* whose sums lie where rounding turns, as halves do: by a second parting, else by fsum."""
    head = (columns + parting) - parting
    tail = columns - head
    second_parting = parting * (_HALF_ULP * 2.0 ** (len(columns) - 1).bit_length())
    middle = (tail + second_parting) - second_parting
    sums: Floats = head.sum(axis=0) + middle.sum(axis=0)
    for column in np.flatnonzero(~(tail == middle).all(axis=0)).tolist():
        sums[column] = fsum(columns[:, column].tolist())
    return sums
