"""How sure a rate is that was counted."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

from memgauge.stats.intervals import Interval


@dataclass(frozen=True, slots=True)
class AcceptedCount:
    """How many of so many known answers a judge accepted."""

    accepted: int
    n: int

    @property
    def rate(self) -> float:
        """Return the share."""
        return self.accepted / self.n


def wilson(successes: float, n: int, level: float = 0.95) -> Interval:
    """Return a rate with its score interval, which holds at 0 and at 1 too (Wilson 1927).

    A share of each of *n* units may be counted as a fraction.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no rate.")
    if n == 0:
        return Interval(None, None, None, 0, "nothing was counted")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    rate = successes / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (rate * (1 - rate) / n + z * z / (4 * n * n)) ** 0.5
    return Interval(rate, max(0.0, centre - half), min(1.0, centre + half), n)
