"""Over how many platforms the calls spread: entropy in bits."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.timeline.statistics import entropy_bits

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


def tool_entropy(calls: Iterable[Call], *, memory: bool = True) -> float | None:
    """Return H(TC) over slack, linear, code and memory; ``None`` without a call of a tool that exists."""
    classes = Counter(CLASSES[call.platform] for call in calls if call.platform is not None)
    if not memory:
        del classes["memory"]
    return entropy_bits(classes.values()) if classes else None
