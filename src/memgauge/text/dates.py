"""The dates of benchmark files, read and written without any locale."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from functools import lru_cache

MONTHS: tuple[str, ...] = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_MONTH_NUMBERS = {name[:3].casefold(): number for number, name in enumerate(MONTHS, 1)}

_CLOCK_FIRST = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})\s*(?P<half>[ap])m\s+on\s+(?P<day>\d{1,2})\s+(?P<month>[a-z]+),?\s+(?P<year>\d{4})",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    r"(?P<month>[a-z]+)[ -](?P<day>\d{1,2})(?:,\s+|-)(?P<year>\d{4})(?:,\s+(?P<clock>\d{2}:\d{2}:\d{2}))?",
    re.IGNORECASE,
)
_WEEKDAY_INSIDE = re.compile(
    r"(?P<year>\d{4})/(?P<month>\d{1,2})/(?P<day>\d{1,2})(?:\s*\([a-z]+\))?(?:\s+(?P<hour>\d{1,2}):(?P<minute>\d{2}))?",
    re.IGNORECASE,
)


@lru_cache(maxsize=65_536)
def parse_date(text: str) -> datetime:
    """Read a naive time as LoCoMo, LongMemEval, HaluMem, BEAM or ISO 8601 write it.

    ``1:56 pm on 8 May, 2023``, ``2023/06/01 (Thu) 00:58``, ``Sep 04, 2025, 09:05:32``, ``March-15-2024`` and
    ``2023-06-01T00:58`` are understood. The weekday is not compared with the date.

    Raises:
        ValueError: *text* has none of these forms, or names a day that does not exist.
    """
    trimmed = text.strip()
    if match := _CLOCK_FIRST.fullmatch(trimmed):
        hour = int(match["hour"])
        if not 1 <= hour <= 12:
            raise ValueError(f"no such hour before or after noon: {text!r}")
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
        return datetime(int(match["year"]), _month(match["month"]), int(match["day"]), hour, int(match["minute"]))  # noqa: DTZ001 - naive on purpose
    if match := _WEEKDAY_INSIDE.fullmatch(trimmed):
        numbers = [int(match[part] or 0) for part in ("year", "month", "day", "hour", "minute")]
        return datetime(*numbers)  # type: ignore[arg-type] # noqa: DTZ001 - naive on purpose; five whole numbers
    if match := _MONTH_FIRST.fullmatch(trimmed):
        day = date(int(match["year"]), _month(match["month"]), int(match["day"]))
        return datetime.combine(day, time.fromisoformat(match["clock"] or "00:00"))
    return datetime.fromisoformat(trimmed).replace(tzinfo=None)


def spell_date(day: date) -> str:
    """Write *day* as ``8 May 2023``."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _month(name: str) -> int:
    number = _MONTH_NUMBERS.get(name[:3].casefold())
    if number is None or not MONTHS[number - 1].casefold().startswith(name.casefold()):
        raise ValueError(f"no such month: {name!r}")
    return number
