"""What else changed: who asked, how, and through what; a drift that comes with another mix may be the mix's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.results import result
from memgauge.studies.production.daily import BASELINE, WEEK
from memgauge.studies.production.hits import UNKNOWN
from memgauge.studies.production.lists import again

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import TrafficArrays

    Integers = NDArray[np.int64]


NAMED: Final = ("agent", "store", "dialect", "service", "model")
"""What searches are told apart by."""


@result
@dataclass(frozen=True)
class MixWeek:
    """The searches of one week beside those of the baseline."""

    week: int
    searches: int
    agents: float | None
    """Share of searches that would have to move for the mix of agents to be the baseline's (total variation)."""
    stores: float | None
    dialects: float | None
    services: float | None
    """The same of services with their versions."""
    models: float | None
    asked: float | None
    """k, on average."""
    repeated: float | None
    """Share of queries that were asked before in their scope, in all that was recorded."""
    newcomers: float | None
    """Share of searches in scopes that had not searched before that week."""


def mixes(traffic: TrafficArrays, weeks: int) -> tuple[MixWeek, ...]:
    """Describe every whole week."""
    rows = np.flatnonzero(traffic.searches)
    week = traffic.day[rows] // WEEK
    scope = traffic.scope[rows]
    names, first_places = np.unique(scope, return_index=True)
    newcomer = week[first_places][np.searchsorted(names, scope)] == week
    asked_before = again(scope, traffic.query[rows])
    mix_weeks = []
    for number in range(weeks):
        now = week == number
        k, has_query = traffic.asked[rows][now], traffic.query[rows] != UNKNOWN
        distances = {
            f"{name}s": _moved(getattr(traffic, name)[rows], now, week < min(BASELINE, weeks)) for name in NAMED
        }
        mix_weeks.append(
            MixWeek(
                week=number + 1,
                searches=int(now.sum()),
                **distances,
                asked=float(np.nanmean(k)) if (~np.isnan(k)).any() else None,
                repeated=_share(asked_before[now & has_query]),
                newcomers=_share(newcomer[now & (scope != UNKNOWN)]),
            )
        )
    return tuple(mix_weeks)


def _share(mask: NDArray[np.bool_]) -> float | None:
    return float(mask.mean()) if len(mask) else None


def _moved(names: Integers, now: NDArray[np.bool_], before: NDArray[np.bool_]) -> float | None:
    if not now.any() or not before.any():
        return None
    codes = np.unique(names, return_inverse=True)[1]
    width = int(codes.max()) + 1
    shares = [np.bincount(codes[part], minlength=width) / part.sum() for part in (now, before)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)
