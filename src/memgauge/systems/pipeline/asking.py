"""What a question asks for beside its words: a slot, a day in the past, or a history."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time
from typing import TYPE_CHECKING

from memgauge.systems.pipeline.slots import slots_in
from memgauge.text.values import days

if TYPE_CHECKING:
    from datetime import date

_HISTORY = re.compile(
    r"\b(?:how (?:many times|often)|histor(?:y|ies)|previous(?:ly)?|former(?:ly)?|earlier|before|used to|ever|"
    r"changed?|so far|over time)\b",
    re.IGNORECASE,
)
_ON = re.compile(r"\b(?:on|at|in|as of|by|around|during|stood on)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a memory of facts understands it."""

    slots: tuple[str, ...]
    """Known slots that it speaks of."""
    day: date | None
    """The day that it asks about, where it names one."""
    history: bool
    """Whether it asks for what was, beside what is."""

    def at(self, now: datetime | None) -> datetime | None:
        """Return the moment at which what is returned has to hold: the end of the day, or now."""
        return now if self.day is None else datetime.combine(self.day, time(23, 59, 59))


def read_question(text: str) -> Asked:
    """Read a question."""
    day = None
    for found in days(text):
        reading = found.readings[0]
        if reading.year and reading.month and reading.day and _ON.search(text[: found.span.start]):
            day = datetime(reading.year, reading.month, reading.day).date()  # noqa: DTZ001 - a day has no zone
    return Asked(slots_in(text), day, bool(_HISTORY.search(text)))
