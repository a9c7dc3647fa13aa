"""One measure before it is summed up: a value for each of many cases, where each comes from, and what was seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

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


UNSIGNED: Final = (0.0, np.inf)
"""The bounds of what is counted."""


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
    bounds: tuple[float, float] = (-np.inf, np.inf)
    """What its mean cannot be beyond, and so no end of its interval either."""


@dataclass(frozen=True, eq=False)
class MeasuredColumn:
    """The cases of one measure, or those of them that one portion of hits has."""

    spec: MeasureSpec
    values: Floats
    rows: Integers
    """Of every case, its operation."""
    at_risk: int | None = None
    """Of how many cases it could be true; ``None`` where of all."""

    @property
    def first(self) -> int | None:
        """Return the row of the first operation that it is true of; ``None`` where it is a measure of no share."""
        if self.spec.summary is not Summary.SHARE:
            return None
        rows = self.rows[self.values > 0]
        return int(rows.min()) if len(rows) else None


def ratio(amounts: Floats, sizes: Floats) -> Floats:
    """Return values whose mean is the ratio of two sums, and whose spread is that of the ratio (linearised)."""
    total = float(sizes.sum())
    if total == 0:
        return np.zeros(0)
    overall = float(amounts.sum()) / total
    return overall + (amounts - overall * sizes) * len(sizes) / total
