"""Over how many platforms the calls spread: entropy in bits."""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.models import Platform

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memgauge.studies.track.play.trajectory import Call

CLASSES: Mapping[Platform, str] = {
    Platform.SLACK: "slack",
    Platform.LINEAR: "linear",
    Platform.GIT: "code",
    Platform.FILES: "code",
    Platform.MEMORY: "memory",
}
"""Git, files and the shell are one place to look: the code."""


def entropy(counts: Iterable[int]) -> float:
    """Return the entropy of a distribution in bits; of nothing it is 0."""
    some = [count for count in counts if count]
    total = sum(some)
    return -sum(count / total * log2(count / total) for count in some) + 0.0 if len(some) > 1 else 0.0


def tool_entropy(calls: Iterable[Call], *, memory: bool = True) -> float | None:
    """Return H(TC) over slack, linear, code and memory; ``None`` without a call of a tool that exists."""
    classes = Counter(CLASSES[call.platform] for call in calls if call.platform is not None)
    if not memory:
        del classes["memory"]
    return entropy(classes.values()) if classes else None
