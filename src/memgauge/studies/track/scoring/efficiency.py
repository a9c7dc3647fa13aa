"""How many calls it took to reach the timeline and how they spread, scored as the document does."""

from __future__ import annotations

import math
from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.timeline.statistics import entropy_bits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memgauge.studies.track.play.played import PlayedInstance
    from memgauge.studies.track.play.trajectory import Call

TC_MIN = 10
"""Calls that cost nothing."""
CLASSES: Mapping[Platform, str] = {
    Platform.SLACK: "slack",
    Platform.LINEAR: "linear",
    Platform.GIT: "code",
    Platform.FILES: "code",
    Platform.MEMORY: "memory",
}
"""Git, files and the shell are one place to look: the code."""


def environment(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return the calls that count as made: all, failed ones too, but those of the agent's own memory."""
    return tuple(call for call in calls if call.platform is not Platform.MEMORY)


def efficiency(call_count: int) -> float:
    """Return 1 for up to ten calls, and e to the power of -(made - 10)/10 beyond.

    Source: MEMTRACK, section 4.2.
    """
    return 1.0 if call_count < TC_MIN else math.exp(-(call_count - TC_MIN) / TC_MIN)


def per_instance(played: PlayedInstance) -> float:
    """Score all the calls of one instance together, which is our reading of the document."""
    return efficiency(len(environment(played.calls)))


def per_question(played: PlayedInstance) -> float | None:
    """Score the calls of each question alone, and average: the other reading, which cannot be excluded."""
    call_counts = Counter(call.question for call in environment(played.calls))
    scores = [efficiency(call_counts[answer.question]) for answer in played.answers]
    return fmean(scores) if scores else None


def success_rate(played: PlayedInstance) -> float | None:
    """Return the share of calls whose tool exists, took its arguments and returned.

    A shell command that ran counts, whatever its exit code.
    """
    return sum(call.ok for call in played.calls) / len(played.calls) if played.calls else None


def tool_entropy(calls: Iterable[Call], *, memory: bool = True) -> float | None:
    """Return H(TC) over slack, linear, code and memory; ``None`` without a call of a tool that exists."""
    classes = Counter(CLASSES[call.platform] for call in calls if call.platform is not None)
    if not memory:
        del classes["memory"]
    return entropy_bits(classes.values()) if classes else None
