"""Times that depend on when something is said, written as dates."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from memgauge.text.dates import MONTHS, spell_date

if TYPE_CHECKING:
    from datetime import date

_DAYS = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_RELATIVE = re.compile(
    rf"\b(?P<day>{'|'.join(_DAYS)})\b"
    rf"|\blast\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b"
    r"|\b(?P<which>last|this|next)\s+(?P<unit>week|weekend|month|year)\b",
    re.IGNORECASE,
)


def resolve(text: str, day: date) -> str:
    """Put the date behind every time in *text* that depends on the *day* on which it is said."""
    return _RELATIVE.sub(lambda match: f"{match[0]} ({_when(match, day)})", text)


def _when(match: re.Match[str], day: date) -> str:
    if match["day"]:
        return spell_date(day + timedelta(days=_DAYS[match["day"].casefold()]))
    if match["weekday"]:
        back = (day.weekday() - _WEEKDAYS.index(match["weekday"].casefold())) % 7 or 7
        return spell_date(day - timedelta(days=back))
    step = {"last": -1, "this": 0, "next": 1}[match["which"].casefold()]
    unit = match["unit"].casefold()
    if unit == "year":
        return str(day.year + step)
    if unit == "month":
        months = day.year * 12 + day.month - 1 + step
        return f"{MONTHS[months % 12]} {months // 12}"
    monday = day - timedelta(days=day.weekday()) + timedelta(weeks=step)
    return f"the week of {spell_date(monday)}" if unit == "week" else spell_date(monday + timedelta(days=5))
