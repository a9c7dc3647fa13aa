"""Who finds more for the same cost: fronts of a measure against what it takes, with the noise in mind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from memgauge.scoring.conclusions import LEVEL, ComputedDifference, Conclusion, conclude
from memgauge.stats import estimates, holm
from memgauge.stats.clusters import ClusterSums

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.measures import Rows
    from memgauge.scoring.score import DatasetSampling
    from memgauge.stats import Estimate
    from memgauge.stats.clusters import Clusters


class FrontStanding(StrEnum):
    """Where a lane stands beside all that cost no more."""

    FRONT = "front"
    """None that costs no more finds more."""
    NEAR = "near"
    """One does, and these conversations cannot tell the two apart."""
    BEHIND = "behind"
    """One does, and that is no chance."""


@dataclass(frozen=True)
class FrontPlace:
    """One lane on one front."""

    standing: FrontStanding
    cost: float
    beside: str = ""
    """Who finds the most among those that cost no more, where somebody finds more."""
    difference: float | None = None
    """How much more, paired by question."""
    low: float | None = None
    high: float | None = None
    """95 % interval of the difference, over conversations."""


def front(
    costs: Mapping[str, float], values: Mapping[str, Rows], sampling: DatasetSampling
) -> Mapping[str, FrontPlace]:
    """Place every lane of *costs* on the front of *values*, which are better the higher they are.

    Args:
        costs: What each lane takes.
        values: What each question is worth, by lane.
        sampling: Of the dataset.
    """
    keys = list(costs)
    columns = _Columns.of([values[key] for key in keys], sampling)
    means = [float(values[key].values[values[key].defined].mean()) for key in keys]
    paid = [costs[key] for key in keys]
    return {key: _place(place, keys, paid, means, columns) for place, key in enumerate(keys)}


@dataclass(frozen=True, eq=False)
class _Columns:
    """The worth of every question, a column a lane, and what is known of each alone."""

    values: NDArray[np.float64]
    defined: NDArray[np.bool_]
    sums: ClusterSums | None
    """Of every column alone, which is enough where all rows are defined."""
    clusters: Clusters

    @classmethod
    def of(cls, rows: Sequence[Rows], sampling: DatasetSampling) -> _Columns:
        """Put rows beside each other."""
        if not rows:
            return cls(np.zeros((0, 0)), np.ones((0, 0), dtype=np.bool_), None, sampling.clusters)
        values = np.stack([each.values for each in rows], axis=1)
        defined = np.stack([each.defined for each in rows], axis=1)
        alike = bool((defined == defined[:, :1]).all())
        sums = ClusterSums.of(values, sampling.clusters, defined) if alike else None
        return cls(values, defined, sums, sampling.clusters)

    def ahead(self, place: int, others: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return how much more *others* find, and whether each is shown to, corrected over all of them by Holm."""
        both = self.defined[:, others] & self.defined[:, [place]]
        more = np.where(both, self.values[:, others] - self.values[:, [place]], 0.0)
        if self.sums is None:
            added = ClusterSums.of(more, self.clusters, both)
        else:
            sums = self.sums.sums[:, others] - self.sums.sums[:, [place]]
            added = ClusterSums(sums, self.sums.sizes[:, others], np.abs(more).max(axis=0, initial=0.0))
        _, p = added.tests()
        known = ~np.isnan(p)
        shown = np.zeros(len(others), dtype=np.bool_)
        shown[known] = holm(p[known]) < LEVEL
        n = both.sum(axis=0)
        return np.divide(more.sum(axis=0), n, out=np.full(len(others), -np.inf), where=n > 0), shown

    def beside(self, place: int, other: int) -> Estimate:
        """Compare two columns."""
        both = self.defined[:, [other]] & self.defined[:, [place]]
        more = np.where(both, self.values[:, [other]] - self.values[:, [place]], 0.0)
        return estimates(more, self.clusters, both)[0]


def _place(
    place: int, keys: Sequence[str], costs: Sequence[float], means: Sequence[float], columns: _Columns
) -> FrontPlace:
    ahead = [
        other
        for other in range(len(keys))
        if costs[other] <= costs[place]
        and (means[other], -costs[other]) > (means[place], -costs[place])
        and means[other] >= means[place]
    ]
    if not ahead:
        return FrontPlace(FrontStanding.FRONT, costs[place])
    more, shown = columns.ahead(place, ahead)
    order = sorted(range(len(ahead)), key=lambda at: (not shown[at], -more[at]))
    for at in order:
        if not shown[at]:
            break
        compared = columns.beside(place, ahead[at])
        if _is_better(compared):
            return _behind(FrontStanding.BEHIND, costs[place], keys[ahead[at]], compared)
    furthest = ahead[max(range(len(ahead)), key=lambda at: more[at])]
    return _behind(FrontStanding.NEAR, costs[place], keys[furthest], columns.beside(place, furthest))


def _is_better(compared: Estimate) -> bool:
    """Whether the interval bears out what the corrected test shows."""
    if compared.mean is None or compared.units < 2:
        return False
    computed = ComputedDifference(compared.mean, compared.low, compared.high, compared.p, 0.0)
    return conclude(computed) is Conclusion.BETTER


def _behind(standing: FrontStanding, cost: float, beside: str, compared: Estimate) -> FrontPlace:
    return FrontPlace(standing, cost, beside, compared.mean, compared.low, compared.high)
