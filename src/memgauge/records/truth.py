"""What is true, of whom, and for how long: known where a benchmark made it up, labelled elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of something that is true of somebody for a while."""

    id: str
    """Unique within its conversation."""
    conversation: str
    subject: str
    slot: str
    """What it is about: ``home city``."""
    value: str
    turns: tuple[str, ...]
    """The turns that state it."""
    functional: bool = True
    """Whether a subject has one value at a time, so that two of them contradict each other."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    """The first moment at which it no longer holds; ``None`` while nothing ended it."""
    spoken: bool = True
    """Whether the value stands in the text of its turns; where it does not, lineage alone tells who says it."""

    def holds(self, at: datetime | None) -> bool:
        """Whether it is true at a time; ``None`` is the end of time."""
        if at is None:
            return self.valid_to is None
        begun = self.valid_from is None or self.valid_from <= at
        return begun and (self.valid_to is None or at < self.valid_to)
