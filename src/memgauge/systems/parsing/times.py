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


def resolve(text: str, said: date) -> str:
    """Put the date behind every time in *text* that depends on the day on which it was *said*."""
    return _RELATIVE.sub(lambda match: f"{match[0]} ({_when(match, said)})", text)


def _when(match: re.Match[str], said: date) -> str:
    if match["day"]:
        return spell_date(said + timedelta(days=_DAYS[match["day"].casefold()]))
    if match["weekday"]:
        back = (said.weekday() - _WEEKDAYS.index(match["weekday"].casefold())) % 7 or 7
        return spell_date(said - timedelta(days=back))
    step = {"last": -1, "this": 0, "next": 1}[match["which"].casefold()]
    unit = match["unit"].casefold()
    if unit == "year":
        return str(said.year + step)
    if unit == "month":
        months = said.year * 12 + said.month - 1 + step
        return f"{MONTHS[months % 12]} {months // 12}"
    monday = said - timedelta(days=said.weekday()) + timedelta(weeks=step)
    return f"the week of {spell_date(monday)}" if unit == "week" else spell_date(monday + timedelta(days=5))
