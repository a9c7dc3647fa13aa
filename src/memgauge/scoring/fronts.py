"""Who finds more for the same cost: fronts of a measure against what it takes, with the noise in mind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.scoring.compare import differences_of
from memgauge.scoring.conclusions import Conclusion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.measures import Rows
    from memgauge.scoring.score import DatasetSampling


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
    means = {key: float(values[key].values[values[key].defined].mean()) for key in costs}
    return {key: _place(key, costs, means, values, sampling) for key in costs}


def _place(
    key: str,
    costs: Mapping[str, float],
    means: Mapping[str, float],
    values: Mapping[str, Rows],
    sampling: DatasetSampling,
) -> FrontPlace:
    ahead = [
        other
        for other in costs
        if costs[other] <= costs[key]
        and (means[other], -costs[other]) > (means[key], -costs[key])
        and means[other] >= means[key]
    ]
    if not ahead:
        return FrontPlace(FrontStanding.FRONT, costs[key])
    compared, _ = differences_of([(other, values[key], values[other]) for other in ahead], sampling)
    best = max(compared, key=lambda each: (each.verdict is Conclusion.BETTER, each.difference))
    standing = FrontStanding.BEHIND if best.verdict is Conclusion.BETTER else FrontStanding.NEAR
    return FrontPlace(standing, costs[key], best.measure, best.difference, best.low, best.high)
