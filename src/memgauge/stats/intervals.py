"""What an interval is; whoever shows one needs no numpy."""

from __future__ import annotations

from dataclasses import dataclass


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
