"""Shares with their intervals over slots: of one slot every question asks the same of a reader."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.stats import Interval, cluster_interval
from memgauge.stats.proportion import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

ONE_SLOT = "one slot has nearly all of them, so that nobody knows how much slots differ"


@result
@dataclass(frozen=True, slots=True)
class CountedShare:
    """A share with its interval; ``hits`` of ``share.n``, and ``failed`` that cannot be counted."""

    share: Interval
    hits: int = 0
    failed: int = 0


def undefined(reason: str, failed: int = 0) -> CountedShare:
    """Say why there is nothing."""
    return CountedShare(Interval(None, None, None, 0, reason), 0, failed)


def rate(outcomes: Sequence[tuple[bool | None, str]]) -> CountedShare:
    """Count what was found, one outcome a question with the slot that it is about; ``None`` cannot be counted."""
    known = [(outcome, slot) for outcome, slot in outcomes if outcome is not None]
    return clustered(known, "nothing was counted", len(outcomes) - len(known))


def clustered(rows: Sequence[tuple[bool, str]], empty: str, failed: int = 0) -> CountedShare:
    """Count rows with the slot that each is about; the interval is over slots, which a reader may treat unlike.

    Slots that are all alike say nothing of their spread: there the interval is Wilson's over them.
    """
    if not rows:
        return undefined(empty, failed)
    values, slots = [float(hit) for hit, _ in rows], [slot for _, slot in rows]
    by_slot: dict[str, list[float]] = {}
    for value, slot in zip(values, slots, strict=True):
        by_slot.setdefault(slot, []).append(value)
    if len(by_slot) > 1 and len({sum(hits) / len(hits) for hits in by_slot.values()}) == 1:
        mean = sum(values) / len(values)
        bounds = wilson(mean * len(by_slot), len(by_slot))
        share = Interval(mean, bounds.low, bounds.high, len(rows))
    else:
        share = cluster_interval(values, slots, shares=True)
    return CountedShare(
        share if share.low is not None else replace(share, reason=ONE_SLOT), int(sum(values)), failed
    )
