"""Two methods on the same instances: paired differences, with histories as clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import IdentityError
from memgauge.stats import Interval, PairedTest, Resamples, holm, wilcoxon
from memgauge.studies.track.scoring.method import DRAWS, SEED, instance_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.studies.track.scoring.card import Card

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


@dataclass(frozen=True, slots=True)
class Difference:
    """How one measure differs."""

    measure: str
    first: float | None
    """Mean over the instances on which both methods have a value."""
    second: float | None
    difference: Interval
    """Second less first."""
    test: PairedTest
    """Wilcoxon's signed rank test over histories."""
    p_adjusted: float | None
    """After Holm, over all measures compared."""


def compare(first: Sequence[Card], second: Sequence[Card]) -> tuple[Difference, ...]:
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
    found = [_difference(name, first, second, histories) for name in COMPARED]
    ps = [one.test.p for one in found]
    adjusted = iter(holm([p for p in ps if p is not None]).tolist())
    return tuple(
        Difference(
            one.measure, one.first, one.second, one.difference, one.test, None if p is None else next(adjusted)
        )
        for one, p in zip(found, ps, strict=True)
    )


def _difference(
    name: str, first: Sequence[Card], second: Sequence[Card], histories: Mapping[str, str]
) -> Difference:
    before, after = instance_values(first, name), instance_values(second, name)
    both = [one for one in histories if before[one] is not None and after[one] is not None]
    if not both:
        reason = "no instance has a value in both"
        return Difference(
            name, None, None, Interval(None, None, None, 0, reason), PairedTest(None, 0, 0, 0, reason), None
        )
    firsts = [before[one] or 0.0 for one in both]
    seconds = [after[one] or 0.0 for one in both]
    clusters = [histories[one] for one in both]
    resamples = Resamples.draw(len(both), SEED, DRAWS, clusters)
    return Difference(
        name,
        sum(firsts) / len(both),
        sum(seconds) / len(both),
        resamples.difference(seconds, firsts),
        wilcoxon(_by_history(seconds, clusters), _by_history(firsts, clusters)),
        None,
    )


def _by_history(values: Sequence[float], clusters: Sequence[str]) -> list[float]:
    """Return one mean for each history, which are what is independent."""
    grouped: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        grouped.setdefault(cluster, []).append(value)
    return [sum(found) / len(found) for found in grouped.values()]
