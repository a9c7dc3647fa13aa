"""Two methods on the same instances: paired differences, with histories as clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import IdentityError
from memgauge.results import result
from memgauge.stats import Clusters, Interval, estimates, holm
from memgauge.studies.track.scoring.method import OF_ANSWERS, instance_values, no_verdicts

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
    """After Holm, over all measures compared that are not the same as one before them."""
    histories: int = 0
    """Distinct ones: the units of interval and test."""
    same_as: str = ""
    """The measure before it that has the same values in both runs: the two are one test."""


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

    @property
    def tests(self) -> int:
        """Count what Holm's correction is over."""
        return sum(difference.p is not None and not difference.same_as for difference in self.differences)


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
    other_histories = {card.instance: card.history for card in second}
    if histories != other_histories:
        lone = sorted(
            name for name in {*histories, *other_histories} if histories.get(name) != other_histories.get(name)
        )
        raise IdentityError(
            f"The runs differ in their instances: {', '.join(lone)}.", "Compare runs over the same instances."
        )
    differences = [_difference(name, first, second, histories) for name in COMPARED]
    same_as = _copies(
        [difference.measure for difference in differences if difference.p is not None], first, second
    )
    return _adjusted(
        [replace(difference, same_as=same_as.get(difference.measure, "")) for difference in differences]
    )


def _adjusted(differences: Sequence[MethodDifference]) -> tuple[MethodDifference, ...]:
    """Correct for the number of tests, in which measures with the same values are one."""
    tested = {
        difference.measure: difference.p
        for difference in differences
        if difference.p is not None and not difference.same_as
    }
    adjusted_p = dict(zip(tested, holm(list(tested.values())).tolist(), strict=True))
    return tuple(
        replace(difference, p_adjusted=adjusted_p.get(difference.same_as or difference.measure))
        for difference in differences
    )


def _copies(names: Sequence[str], first: Sequence[InstanceCard], second: Sequence[InstanceCard]) -> dict[str, str]:
    """Name the measures whose values are those of one before them, instance by instance and in both runs."""
    originals: dict[tuple[float | None, ...], str] = {}
    copies = {}
    for name in names:
        values = (*instance_values(first, name).values(), *instance_values(second, name).values())
        original = originals.setdefault(values, name)
        if original != name:
            copies[name] = original
    return copies


def _difference(
    name: str, first: Sequence[InstanceCard], second: Sequence[InstanceCard], histories: Mapping[str, str]
) -> MethodDifference:
    first_values, second_values = instance_values(first, name), instance_values(second, name)
    shared_instances = [
        instance
        for instance in histories
        if first_values[instance] is not None and second_values[instance] is not None
    ]
    unjudged = (no_verdicts(first) or no_verdicts(second)) if name in OF_ANSWERS else ""
    if unjudged or not shared_instances:
        reason = unjudged or "no instance has a value in both"
        return MethodDifference(name, None, None, Interval(None, None, None, 0, reason), None, None)
    firsts = [first_values[instance] or 0.0 for instance in shared_instances]
    seconds = [second_values[instance] or 0.0 for instance in shared_instances]
    change = np.array(seconds) - np.array(firsts)
    estimate = estimates(change[:, None], Clusters.of([histories[instance] for instance in shared_instances]))[0]
    return MethodDifference(
        name,
        sum(firsts) / len(shared_instances),
        sum(seconds) / len(shared_instances),
        estimate.interval,
        estimate.p,
        None,
        estimate.units,
    )
