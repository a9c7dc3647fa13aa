"""What an interval is; whoever shows one needs no numpy."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its interval, by whichever method; ``None`` throughout where it is undefined."""

    mean: float | None
    low: float | None
    high: float | None
    n: int
    """Defined rows."""
    reason: str = ""
    """Why there is no interval."""

    def within(self, least: float, most: float) -> Interval:
        """Cut the interval to what its mean can be at all: it holds the true one as often."""
        if self.low is None or self.high is None:
            return self
        return replace(self, low=max(self.low, least), high=min(self.high, most))
