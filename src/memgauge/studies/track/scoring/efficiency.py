"""How many calls it took to reach the timeline, scored as the document does."""

from __future__ import annotations

import math
from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.models import Platform

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.studies.track.play.played import PlayedInstance
    from memgauge.studies.track.play.trajectory import Call

TC_MIN = 10
"""Calls that cost nothing."""


def environment(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return the calls that count as made: all, failed ones too, but those of the agent's own memory."""
    return tuple(call for call in calls if call.platform is not Platform.MEMORY)


def efficiency(made: int, free: int = TC_MIN) -> float:
    """Return 1 for up to *free* calls, and e to the power of -(made - free)/free beyond.

    Source: MEMTRACK, section 4.2.
    """
    return 1.0 if made < free else math.exp(-(made - free) / free)


def per_instance(played: PlayedInstance) -> float:
    """Score all the calls of one instance together, which is our reading of the document."""
    return efficiency(len(environment(played.calls)))


def per_question(played: PlayedInstance) -> float | None:
    """Score the calls of each question alone, and average: the other reading, which cannot be excluded."""
    made = Counter(call.question for call in environment(played.calls))
    scores = [efficiency(made[answer.question]) for answer in played.answers]
    return fmean(scores) if scores else None


def success_rate(played: PlayedInstance) -> float | None:
    """Return the share of calls whose tool exists, took its arguments and returned.

    A shell command that ran counts, whatever its exit code.
    """
    return sum(call.ok for call in played.calls) / len(played.calls) if played.calls else None
