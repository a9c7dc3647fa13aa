"""Two methods on the same instances: paired differences, with histories as clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import IdentityError
from memgauge.results import result
from memgauge.stats import Clusters, Interval, estimates, holm
from memgauge.studies.track.scoring.method import instance_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.studies.track.scoring.card import InstanceCard
    from memgauge.studies.track.scoring.scored import ScoredRun

COMPARED = (
    "correctness",
    "strict",
    "follow_up",
    "efficiency",
    "redundancy",
    "entropy",
    "success_rate",
    "reread_rate",
)


@result
@dataclass(frozen=True, slots=True)
class MethodDifference:
    """How one measure differs."""

    measure: str
    first: float | None
    """Mean over the instances on which both methods have a value."""
    second: float | None
    difference: Interval
    """Second less first."""
    p: float | None
    """By t on errors over histories, two-sided."""
    p_adjusted: float | None
    """After Holm, over all measures compared."""
    histories: int = 0
    """Distinct ones: the units of interval and test."""


@result
@dataclass(frozen=True)
class RunComparison:
    """How the second of two runs differs from the first, measure by measure."""

    first: str
    """Label of the method."""
    second: str
    histories: int
    """Distinct ones that were played."""
    differences: tuple[MethodDifference, ...]


def compare_runs(first: ScoredRun, second: ScoredRun) -> RunComparison:
    """Compare two scored runs.

    Raises:
        IdentityError: They were not played on the same instances.
    """
    differences = compare(first.cards, second.cards)
    return RunComparison(first.method.label, second.method.label, first.method.histories, differences)


def compare(first: Sequence[InstanceCard], second: Sequence[InstanceCard]) -> tuple[MethodDifference, ...]:
    """Compare two methods, measure by measure.

    Raises:
        IdentityError: They were not played on the same instances.
    """
    histories = {card.instance: card.history for card in first}
    others = {card.instance: card.history for card in second}
    if histories != others:
        lone = sorted(name for name in {*histories, *others} if histories.get(name) != others.get(name))
        raise IdentityError(
            f"The runs differ in their instances: {', '.join(lone)}.", "Compare runs over the same instances."
        )
    differences = [_difference(name, first, second, histories) for name in COMPARED]
    adjusted = iter(holm([each.p for each in differences if each.p is not None]).tolist())
    return tuple(each if each.p is None else replace(each, p_adjusted=next(adjusted)) for each in differences)


def _difference(
    name: str, first: Sequence[InstanceCard], second: Sequence[InstanceCard], histories: Mapping[str, str]
) -> MethodDifference:
    before, after = instance_values(first, name), instance_values(second, name)
    both = [each for each in histories if before[each] is not None and after[each] is not None]
    if not both:
        reason = "no instance has a value in both"
        return MethodDifference(name, None, None, Interval(None, None, None, 0, reason), None, None)
    firsts = [before[instance] or 0.0 for instance in both]
    seconds = [after[instance] or 0.0 for instance in both]
    change = np.array(seconds) - np.array(firsts)
    estimate = estimates(change[:, None], Clusters.of([histories[instance] for instance in both]))[0]
    return MethodDifference(
        name,
        sum(firsts) / len(both),
        sum(seconds) / len(both),
        estimate.interval,
        estimate.p,
        None,
        estimate.units,
    )
