"""BEAM's scores: the arithmetic of rubric items that somebody has judged, and the order of events."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from memgauge.stats import Agreement, kendall

if TYPE_CHECKING:
    from collections.abc import Sequence


def rubric_score(items: Sequence[float]) -> float:
    """Return the mean over rubric items, each 0, 0.5 or 1.

    Raises:
        ValueError: No item, or one that is none of these.
    """
    _check(items)
    return sum(items) / len(items)


def rubric_score_as_published(items: Sequence[float]) -> float:
    """Return the mean as the benchmark's code computes it, which loses every half: 0.5 counts as 0.

    Raises:
        ValueError: No item, or one that is none of these.
    """
    _check(items)
    return sum(floor(item) for item in items) / len(items)


def event_order(named: Sequence[str], wanted: Sequence[str]) -> Agreement:
    """Return Kendall's tau-b of the order of events in a reply, already aligned with the rubric's names.

    Events that the reply leaves out stand last and tied; events that the rubric does not have are ignored. A reply
    without any of them is undefined.
    """
    named_events = [event for event in dict.fromkeys(named) if event in wanted]
    if not named_events:
        return Agreement(None, len(wanted), "the reply names none of the events")
    places = [named_events.index(event) if event in named_events else len(named_events) for event in wanted]
    return kendall(range(len(wanted)), places)


def _check(items: Sequence[float]) -> None:
    if not items or any(item not in {0, 0.5, 1} for item in items):
        raise ValueError(f"Rubric items are 0, 0.5 or 1, and there is at least one; not {list(items)}.")
