"""What else a drift may be the doing of: a version that came, or another mix of searches, in the same weeks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.results import result
from memgauge.studies.production.daily import WEEK
from memgauge.studies.production.mix import NAMED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.mix import MixWeek

NOTABLE: Final = 0.01
"""Share of a week's searches from which on somebody new is told of."""
MOVED: Final = 0.1
"""Share of searches that would have to move for the usual mix, from which on it is told of."""
_KINDS: Final = ("service", "model", "agent")
_MOST: Final = 20
"""Newcomers that are told of, the most used first."""


@result
@dataclass(frozen=True)
class NewVersion:
    """A service, a model or an agent that searched in a later week for the first time."""

    what: str
    name: str
    week: int
    """From 1."""
    share: float
    """Of the searches of the last whole week."""
    most: float
    """Of the searches of the week in which it had most of them."""


def arrivals(traffic: TrafficArrays, weeks: int) -> tuple[NewVersion, ...]:
    """Say who came after the first week, in the order of their coming."""
    rows = np.flatnonzero(traffic.searches & (traffic.day < weeks * WEEK))
    versions = [version for kind in _KINDS for version in _arrived(traffic, kind, rows, weeks)]
    largest = sorted(versions, key=lambda arrival: -arrival.most)[:_MOST]
    return tuple(sorted(largest, key=lambda arrival: (arrival.week, arrival.what, arrival.name)))


def _arrived(traffic: TrafficArrays, kind: str, rows: np.ndarray, weeks: int) -> Iterator[NewVersion]:
    if not len(rows):
        return
    week = traffic.day[rows] // WEEK
    _, first_places, place = np.unique(getattr(traffic, kind)[rows], return_index=True, return_inverse=True)
    counts = np.bincount(place * weeks + week, minlength=len(first_places) * weeks).reshape(-1, weeks)
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    for number in np.flatnonzero((week[first_places] > 0) & (shares.max(axis=1) >= NOTABLE)).tolist():
        name = traffic.named(kind, int(rows[first_places[number]])) or "unknown"
        since, of = int(week[first_places[number]]) + 1, shares[number]
        yield NewVersion(kind, name, since, float(of[-1]), float(of.max()))


def beside(weeks: range, came: Sequence[NewVersion], mixes: Sequence[MixWeek]) -> tuple[str, ...]:
    """Say what else changed in some *weeks*, or in the week before them."""
    among = range(weeks.start - 1, weeks.stop)
    versions = [
        f"{version.what} {version.name} came in week {version.week}" for version in came if version.week in among
    ]
    moves = []
    for name in NAMED:
        shares = {mix.week: getattr(mix, f"{name}s") or 0.0 for mix in mixes if mix.week in among}
        if shares and max(shares.values()) >= MOVED:
            week = max(shares, key=lambda number: shares[number])
            moves.append(f"{shares[week]:.0%} of the mix of {name}s moved by week {week}")
    return (*versions, *moves)
