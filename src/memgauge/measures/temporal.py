"""Time: whether the version that was right then was returned, and what else came with it.

Every function looks at the first k hits of one question, each reduced to what it says: the right version, one
that was right at another time, or neither; and whether the system itself marked it as history.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta


class Presence(StrEnum):
    """What the returned memories say about one fact: exactly one of these."""

    CURRENT = "current"
    BOTH = "current and stale"
    STALE = "stale only"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class HitCurrency:
    """What one hit says about the fact that is asked for."""

    current: bool = False
    stale: bool = False
    marked: bool = False
    """Whether the system says that it is no longer valid."""


def presence(hits: Sequence[HitCurrency]) -> Presence:
    """Say which versions the hits hold, marked ones included."""
    current, stale = any(hit.current for hit in hits), any(hit.stale for hit in hits)
    if current:
        return Presence.BOTH if stale else Presence.CURRENT
    return Presence.STALE if stale else Presence.NONE


def strict(hits: Sequence[HitCurrency]) -> bool:
    """Whether the right version is there and no other."""
    return presence(hits) is Presence.CURRENT


def lenient(hits: Sequence[HitCurrency]) -> bool:
    """Whether the right version is there, and comes before every other one that is not marked as history.

    A hit that says both (a summary of a change) does not put the right version first.
    """
    for hit in hits:
        if hit.stale and not hit.marked:
            return False
        if hit.current:
            return True
    return False


def contaminated(hits: Sequence[HitCurrency]) -> bool:
    """Whether a version of another time is there as if it held."""
    return any(hit.stale and not hit.marked for hit in hits)


def stale_share(hits: Sequence[HitCurrency]) -> float | None:
    """Return the share of the hits that say what does not hold; undefined where nothing was returned."""
    return sum(hit.stale and not hit.marked for hit in hits) / len(hits) if hits else None


@dataclass(frozen=True, slots=True)
class UpdateLatency:
    """How long after a change the new version was first returned; what never was is censored."""

    readings: int
    """Readings from the change on, up to and with the first right one."""
    after: timedelta | None
    """Time from the change to that reading."""
    censored: bool


def supersession_latency(changed_at: datetime, readings: Sequence[tuple[datetime, bool]]) -> UpdateLatency | None:
    """Count from a change to the first right reading of *readings* (when, whether right), in order of time.

    ``None`` where nothing was read after the change.
    """
    later_readings = [(at, right) for at, right in readings if at >= changed_at]
    for number, (at, right) in enumerate(later_readings, 1):
        if right:
            return UpdateLatency(number, at - changed_at, censored=False)
    return (
        UpdateLatency(len(later_readings), later_readings[-1][0] - changed_at, censored=True)
        if later_readings
        else None
    )


SUPERSESSION_LATENCY = Formula(
    supersession_latency,
    cutoff=None,
    reads=Reads.HANDED,
    lower=True,
    unit="readings",
    undefined="nothing was read after the change",
)
