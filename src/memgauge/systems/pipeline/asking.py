"""What a question asks for beside its words: a slot, a day in the past, or a history."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from memgauge.systems.pipeline.slots import slots_in
from memgauge.text.values import days

if TYPE_CHECKING:
    from memgauge.text.values import Day

_HISTORY = re.compile(
    r"\bhow (?:many times|often)\b.*\bchang|\bhistor(?:y|ies)\b|\bprevious(?:ly)?\b|\bformer(?:ly)?\b|\bused to\b"
    r"|\bover time\b|\bso far\b|\b(?:has|have|had|did|does)\b.*\bchanged?\b"
    r"|\b(?:was|were|did|had)\b[^?.!]*\b(?:before|earlier)\b",
    re.IGNORECASE,
)
_ON = re.compile(r"\b(?:on|at|in|as of|by|around|during)(?:\s+the)?\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as a memory of facts understands it."""

    slots: tuple[str, ...]
    """Known slots that it speaks of."""
    day: date | None = None
    """The day that it asks about, where it names one; of a month or a year, the last one."""
    history: bool = False
    """Whether it asks for what was, beside what is."""

    def at(self, now: datetime | None) -> datetime | None:
        """Return the moment at which what is returned has to hold: the end of the day, or now."""
        return now if self.day is None else datetime.combine(self.day, time(23, 59, 59))


def read_question(text: str) -> ParsedQuestion:
    """Read a question."""
    named = [mention for mention in days(text) if _ON.search(text[: mention.span.start])]
    ends = [day for day in (_last(mention.readings[0]) for mention in named) if day is not None]
    return ParsedQuestion(slots_in(text), ends[-1] if ends else None, bool(_HISTORY.search(text)))


def _last(reading: Day) -> date | None:
    """Return the last day of what a text states of a date; ``None`` where there is no such day, or no year."""
    if not reading.year:
        return None
    month = reading.month or 12
    last = monthrange(reading.year, month)[1]
    day = reading.day or last
    return date(reading.year, month, day) if day <= last else None
