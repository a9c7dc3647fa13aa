"""Simulated time: it moves by rule alone, never by the wall."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memgauge.errors import ConfigError
from memgauge.studies.track.timeline.models import utc

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


@dataclass(frozen=True)
class InstanceClock:
    """When the events of a timeline happen for the agent."""

    mode: Literal["static", "live"] = "static"
    """``static``: everything has happened before the first question. ``live``: events arrive during the work."""
    until: datetime | None = None
    """Static: only events up to this time happen; ``None``: all."""
    every: Literal["call", "question"] = "call"
    """Live: what lets time go on."""
    events: int = 1
    """Live: how many events arrive each time."""
    start: int = 1
    """Live: how many events have happened at the beginning."""

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            ConfigError: A number does not fit.
        """
        if self.events < 1 or self.start < 0:
            raise ConfigError(
                f"A live clock with events={self.events} and start={self.start} does not run.",
                "Write events of at least 1, and start of at least 0.",
            )

    def first(self, times: Sequence[datetime]) -> int:
        """Return how many of the events at *times*, which ascend, have happened at the beginning."""
        if self.mode == "live":
            return min(self.start, len(times))
        return len(times) if self.until is None else bisect_right(times, utc(self.until))

    def next(self, happened: int, total: int, tick: Literal["call", "question"]) -> int:
        """Return how many have happened after a *tick*."""
        return min(happened + self.events, total) if self.mode == "live" and tick == self.every else happened


STATIC = InstanceClock()
