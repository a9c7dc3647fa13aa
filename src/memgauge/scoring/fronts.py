"""Who finds more for the same cost: fronts of a measure against what it takes, with the noise in mind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from memgauge.scoring.conclusions import LEVEL, ComputedDifference, Conclusion, conclude
from memgauge.stats import estimates, holm
from memgauge.stats.clusters import ClusterSums, reach_of, squares_of
from memgauge.stats.sums import exact_sums

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

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
    """One does, and these conversations cannot tell the two apart, in what they find or in what they cost; or one
    may, since lists of one of the two end at k."""
    BEHIND = "behind"
    """One does, and that is no chance."""


@dataclass(frozen=True)
class FrontPlace:
    """One lane on one front."""

    standing: FrontStanding
    cost: float
    beside: str = ""
    """Who finds the most among those that cost no more, where somebody finds more, or may below k."""
    difference: float | None = None
    """How much more, paired by question."""
    low: float | None = None
    high: float | None = None
    """95 % interval of the difference, over conversations."""


def front(
    costs: Mapping[str, float],
    values: Mapping[str, Rows],
    sampling: DatasetSampling,
    paid: Mapping[str, Rows] | None = None,
    short: Collection[str] = (),
) -> Mapping[str, FrontPlace]:
    """Place every lane of *costs* on the front of *values*, which are better the higher they are.

    Args:
        costs: What each lane takes.
        values: What each question is worth, by lane.
        sampling: Of the dataset.
        paid: What each question takes, where that is known; a lane that costs no more on the mean is then behind
            nobody of whom these conversations do not show that it is no dearer.
        short: Lanes whose lists end at k, so that they may find more than was seen: they are behind nobody, and
            nobody who costs as much or more is surely on the front.
    """
    keys = list(costs)
    columns = _WorthColumns.of([values[key] for key in keys], sampling)
    spent = None if paid is None else _WorthColumns.of([paid[key] for key in keys], sampling)
    means = [float(values[key].values[values[key].defined].mean()) for key in keys]
    lanes = _Lanes(keys, [costs[key] for key in keys], means, columns, spent, [key in short for key in keys])
    return dict(zip(keys, lanes.placed(), strict=True))


@dataclass(frozen=True, eq=False)
class _WorthColumns:
    """The worth of every question, a column a lane, and what is known of each alone."""

    values: NDArray[np.float64]
    defined: NDArray[np.bool_]
    sums: ClusterSums | None
    """Of every column alone, which is enough where all rows are defined."""
    clusters: Clusters

    @classmethod
    def of(cls, rows: Sequence[Rows], sampling: DatasetSampling) -> _WorthColumns:
        """Put rows beside each other."""
        if not rows:
            return cls(np.zeros((0, 0)), np.ones((0, 0), dtype=np.bool_), None, sampling.clusters)
        values = np.stack([each.values for each in rows], axis=1)
        defined = np.stack([each.defined for each in rows], axis=1)
        alike = bool((defined == defined[:, :1]).all())
        sums = ClusterSums.of(values, sampling.clusters, defined) if alike else None
        return cls(values, defined, sums, sampling.clusters)

    def ahead(self, place: int, others: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how much more *others* find, and the p-values of that; NaN where nothing was seen to vary."""
        both = self.defined[:, others] & self.defined[:, [place]]
        more = np.where(both, self.values[:, others] - self.values[:, [place]], 0.0)
        if self.sums is None:
            added = ClusterSums.of(more, self.clusters, both)
        else:
            apart = self.sums.sums[:, others] - self.sums.sums[:, [place]]
            largest = np.abs(more).max(axis=0, initial=0.0)
            added = ClusterSums(apart, self.sums.sizes[:, :1], largest, squares_of(more, self.clusters))
        _, p = added.tests()
        n = both.sum(axis=0)
        sums = exact_sums(more)  # of two that find as much, rounding must put neither before the other
        return np.divide(sums, n, out=np.full(len(others), -np.inf), where=n > 0), p

    def beside(self, place: int, other: int) -> Estimate:
        """Compare two columns."""
        both = self.defined[:, [other]] & self.defined[:, [place]]
        more = np.where(both, self.values[:, [other]] - self.values[:, [place]], 0.0)
        return estimates(more, self.clusters, both)[0]

    def reach(self, place: int, other: int) -> float:
        """Return how far apart two columns can be."""
        both = self.defined[:, place] & self.defined[:, other]
        return reach_of(self.values[both, each] for each in (place, other))


@dataclass(frozen=True, eq=False)
class _Lanes:
    """All lanes of one front, by number."""

    keys: Sequence[str]
    costs: Sequence[float]
    means: Sequence[float]
    columns: _WorthColumns
    spent: _WorthColumns | None
    """What each question takes."""
    short: Sequence[bool]
    """Which may find more than was seen."""

    def placed(self) -> list[FrontPlace]:
        """Place every lane; who is shown to find more is corrected over all lanes, since all are read."""
        ahead = [self._ahead(place) for place in range(len(self.keys))]
        tested = [self.columns.ahead(place, others) for place, others in enumerate(ahead)]
        shown = iter(_shown(np.concatenate([p for _, p in tested])).tolist() if tested else ())
        return [
            self._placed(place, others, more, [next(shown) for _ in others])
            for place, (others, (more, _)) in enumerate(zip(ahead, tested, strict=True))
        ]

    def _placed(
        self, place: int, ahead: Sequence[int], more: NDArray[np.float64], shown: Sequence[bool]
    ) -> FrontPlace:
        """Place one lane beside those *ahead* of it, of which some are *shown* to find more."""
        if not ahead:
            return self._foremost(place)
        for at in sorted((at for at, is_shown in enumerate(shown) if is_shown), key=lambda at: -more[at]):
            compared = self.columns.beside(place, ahead[at])
            if not self.short[place] and _is_better(compared) and self._no_dearer(ahead[at], place):
                return self._behind(FrontStanding.BEHIND, place, ahead[at], compared)
        furthest = ahead[max(range(len(ahead)), key=lambda at: more[at])]
        return self._behind(FrontStanding.NEAR, place, furthest, self.columns.beside(place, furthest))

    def _foremost(self, place: int) -> FrontPlace:
        """Place a lane that nobody was seen to be ahead of: on the front, but where one may be below k."""
        cheap = (n for n, cost in enumerate(self.costs) if n != place and cost <= self.costs[place])
        hidden = [n for n in cheap if self.short[n]]
        if not hidden:
            return FrontPlace(FrontStanding.FRONT, self.costs[place])
        nearest = max(hidden, key=lambda n: self.means[n])
        return self._behind(FrontStanding.NEAR, place, nearest, self.columns.beside(place, nearest))

    def _ahead(self, place: int) -> list[int]:
        """List who costs no more on the mean, and finds more or costs less."""
        costs, means = self.costs, self.means
        return [
            other
            for other in range(len(self.keys))
            if costs[other] <= costs[place]
            and (means[other], -costs[other]) > (means[place], -costs[place])
            and means[other] >= means[place]
        ]

    def _no_dearer(self, other: int, place: int) -> bool:
        """Whether it is shown, as far as anybody can, that a lane costs no more than another."""
        if self.spent is None:
            return True
        less = self.spent.beside(other, place)
        low = less.mean if less.low is None else less.low  # where no conversation differs from another
        return less.se is not None and low is not None and low >= 0

    def _behind(self, standing: FrontStanding, place: int, other: int, compared: Estimate) -> FrontPlace:
        reach = self.columns.reach(place, other)
        ends = compared.interval.within(-reach, reach)
        return FrontPlace(standing, self.costs[place], self.keys[other], compared.mean, ends.low, ends.high)


def _shown(p: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which tests reject, corrected over all that could be made by Holm."""
    known = ~np.isnan(p)
    shown = np.zeros(len(p), dtype=np.bool_)
    shown[known] = holm(p[known]) < LEVEL
    return shown


def _is_better(compared: Estimate) -> bool:
    """Whether the interval bears out what the corrected test shows."""
    if compared.mean is None or compared.se is None:
        return False
    computed = ComputedDifference(compared.mean, compared.low, compared.high, compared.p, 0.0)
    return conclude(computed) is Conclusion.BETTER
