"""Shares with their intervals: by Wilson where a question counts once, over questions where it counts often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.results import result
from memgauge.stats import Interval, cluster_interval
from memgauge.stats.proportion import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def rate(outcomes: Sequence[bool | None]) -> CountedShare:
    """Count what was found, one entry a question; ``None`` cannot be counted."""
    known = [outcome for outcome in outcomes if outcome is not None]
    return CountedShare(wilson(sum(known), len(known)), sum(known), len(outcomes) - len(known))


def clustered(rows: Sequence[tuple[bool, str]], empty: str, failed: int = 0) -> CountedShare:
    """Count rows of which a question has several; the interval is over questions.

    Questions that are all alike say nothing of their spread: there the interval is Wilson's over them.
    """
    if not rows:
        return undefined(empty, failed)
    values = np.array([float(hit) for hit, _ in rows])
    labels = [question for _, question in rows]
    by_question: dict[str, list[bool]] = {}
    for hit, question in rows:
        by_question.setdefault(question, []).append(hit)
    if len({sum(hits) / len(hits) for hits in by_question.values()}) == 1:
        mean = float(values.mean())
        bounds = wilson(round(mean * len(by_question)), len(by_question))
        share = Interval(mean, bounds.low, bounds.high, len(rows))
    else:
        share = cluster_interval(values, labels, shares=True)
    return CountedShare(share, int(values.sum()), failed)
