"""The same world some years later: every time of the record, and every year that anybody names."""

from __future__ import annotations

import re
from calendar import isleap
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date
from typing import TYPE_CHECKING, Final

from memgauge.datasets.changed.entry import CaseWithGold, retimed, reworded
from memgauge.errors import DataError
from memgauge.text.dates import MONTHS

if TYPE_CHECKING:
    from datetime import datetime

_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_CENTURIES: Final = r"(?:1[89]|20)\d\d"
_WEEKDAY: Final = (
    rf"(?:\b(?P<weekday>{'|'.join(f'{name}|{name[:3]}' for name in _WEEKDAYS)})(?P<joint>,? (?:the )?))?"
)
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_MONTH: Final = rf"(?P<month>(?:{'|'.join(f'{name}|{name[:3]}' for name in MONTHS)}|Sept)\b\.?)"
_YEAR: Final = rf"(?P<year>{_CENTURIES})(?!\d)"
_DATES: Final = (
    re.compile(rf"{_WEEKDAY}(?<!\d){_DAY}(?: of)?[ -]{_MONTH},?[ -]{_YEAR}", re.IGNORECASE),
    re.compile(rf"{_WEEKDAY}(?<![a-z]){_MONTH}[ -]{_DAY}(?:,? |-){_YEAR}", re.IGNORECASE),
    re.compile(rf"(?<!\d){_YEAR}(?P<joint>[-/.])(?P<month>\d\d?)(?P=joint){_DAY}(?!\d)"),
    re.compile(rf"(?<!\d){_DAY}(?P<joint>[-/.])(?P<month>\d\d?)(?P=joint){_YEAR}"),
    re.compile(rf"(?<!\d)(?P<month>\d\d?)(?P<joint>[-/.]){_DAY}(?P=joint){_YEAR}"),
)
"""How a day is written with its year: of the last two only a leap day is certain to be what it seems."""
_NAMED_YEAR: Final = re.compile(rf"(?<![\w$€£#])(?<!\d,){_CENTURIES}(?![\w%]|,\d)")
"""A year, alone or in a date; ``the 1990s`` is none, and nor are sums of money."""
_SHORT_YEAR: Final = re.compile(r"(?:(?<!\w)['\u2019]|(?<![\d/])\d\d?/\d\d?/)(\d\d)(?![\w/])")
_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True)
class ShiftedClock:
    """Moves everything by whole years, so that days and months stay; a leap day may become the day before."""

    years: int = 1

    def entry(self, entry: CaseWithGold) -> CaseWithGold:
        """Move the times of a conversation, and the years that are named in it."""
        return reworded(retimed(entry, self.moved), self.text)

    def moved(self, at: datetime) -> datetime:
        """Move a time.

        Raises:
            DataError: There is no such year.
        """
        year = at.year + self.years
        if not MINYEAR <= year <= MAXYEAR:
            raise DataError(
                f"There is no year {year}, to which {at.date()} would be moved.", "Move by other years."
            )
        return at.replace(year=year, day=28) if _lacks(year, at.month, at.day) else at.replace(year=year)

    def text(self, text: str) -> str:
        """Move the years that a text names, and the weekdays that stand before whole dates."""
        if not _DIGIT.search(text):
            return text
        for form in _DATES:
            text = form.sub(self._day_moved, text)
        text = _SHORT_YEAR.sub(lambda match: f"{match[0][:-2]}{(int(match[1]) + self.years) % 100:02d}", text)
        return _NAMED_YEAR.sub(lambda match: str(int(match[0]) + self.years), text)

    def _day_moved(self, match: re.Match[str]) -> str:
        """Put day and weekday of a date as they are in the year that its year, which stays here, is moved to."""
        parts = match.groupdict()
        year, month, day = int(parts["year"]) + self.years, _month(parts["month"]), int(parts["day"])
        put = {"day": "28"} if _lacks(year, month, day) else {}
        if parts.get("weekday"):
            put["weekday"] = _weekday(parts["weekday"], year, month, int(put.get("day", day)))
        return _with(match, put)


def _lacks(year: int, month: int, day: int) -> bool:
    """Whether a day is a leap day that *year* does not have."""
    return (month, day) == (2, 29) and not isleap(year)


def _month(written: str) -> int:
    if written.isdecimal():
        return int(written)
    return next(place for place, name in enumerate(MONTHS, 1) if name[:3].casefold() == written[:3].casefold())


def _weekday(written: str, year: int, month: int, day: int) -> str:
    """Name the weekday of a date, as long or as short as it was *written*; a day that never is keeps its own."""
    try:
        name = _WEEKDAYS[date(year, month, day).weekday()]
    except ValueError:
        return written
    return name[:3] if len(written) == 3 else name


def _with(match: re.Match[str], put: dict[str, str]) -> str:
    """Put other texts in the place of some groups."""
    text, offset = match[0], match.start()
    for name in sorted(put, key=match.start, reverse=True):
        text = text[: match.start(name) - offset] + put[name] + text[match.end(name) - offset :]
    return text
