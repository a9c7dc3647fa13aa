"""Dates, durations, numbers and identifiers in running English text, as values that can be compared.

Nothing depends on a locale. What is no date stays none: ``March 2100 units`` and ``March 210`` hold no 21 March.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memgauge.text.dates import MONTHS
from memgauge.text.number_words import LARGE, SMALL, TENS

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTH_NUMBER = {name[:3].casefold(): number for number, name in enumerate(MONTHS, 1)}
_MONTH = r"(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS) + r"|sept)\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)"
_YEAR = r"(?P<year>(?:19|20)\d{2})(?!\d)"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})(?!\d)",
        rf"(?<!\d){_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?",
        rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?",
        rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        r"(?<![\w/.])(?<!\w-)(?P<first>\d{1,2})/(?P<second>\d{1,2})(?:/(?P<year>\d{4}|\d{2}))?(?![\d/])",
        r"(?<![\d/.])(?P<first>\d{1,2})\.(?P<second>\d{1,2})\.(?P<year>\d{4})(?!\d)",
        rf"(?<![\d.,/]){_YEAR}(?![.,]?\d)",
    )
)
_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "night": 86_400, "week": 604_800}
_MONTHS_LONG = {"month": 1, "year": 12, "decade": 120}
_TIME = rf"(?:{'|'.join([*_SECONDS, *_MONTHS_LONG])})s?\b"
_WORD = "|".join([*SMALL, *TENS, *LARGE])
_MANY = "|".join(["dozen", *LARGE])
_ARTICLES = frozenset({"a", "an", "and"})
_COUNTS = SMALL | TENS
_MULTIPLES = {"dozen": SMALL["dozen"], **LARGE}
_OTHER_I = {0x130: "\u00cc", 0x131: "\u00ec"}
"""Letters of Turkish that patterns take for an i where case does not matter, and words here do not have."""
_GAP = r"[\s\u2010\u2011-]+"
_LEFT = r"(?<![\w.,])(?<!\w-)[-+]?"
_NUMBER = re.compile(
    rf"{_LEFT}(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?!\w)(?:\s+and\s+a\s+half\b)?(?:\s+(?:{_MANY})\b)*"
    rf"|\b(?:a\s+(?=(?:{_MANY})\b)|half\s+an?\s+(?=(?:{_MANY})\b))?"
    rf"(?:{_WORD})(?:{_GAP}(?:and{_GAP})?(?:{_WORD}|a{_GAP}half))*\b"
    rf"|\b(?:an?\s+)?half(?:\s+an?)?(?=[\s-]+{_TIME})|\ban?(?=\s+{_TIME}\s+and\s+a\s+half\b)",
    re.IGNORECASE,
)
_UNIT = re.compile(rf"[\s-]*({'|'.join([*_SECONDS, *_MONTHS_LONG])})s?\b(\s+and\s+a\s+half\b)?", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(?<!\w)(?=[\w-]*\d)(?=[\w-]*[a-z])[a-z0-9]+(?:[-_][a-z0-9]+)*(?!\w)", re.IGNORECASE)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Day:
    """A date, or the part of one that a text states."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def states(self, wanted: Day) -> bool:
        """Whether this says all that *wanted* says; a year may go unsaid beside a day."""
        if self.month != wanted.month and wanted.month is not None:
            return False
        if self.day != wanted.day and wanted.day is not None:
            return False
        if wanted.year is None or self.year == wanted.year:
            return True
        return self.year is None and wanted.day is not None


class Span(NamedTuple):
    """Where in a text something stands."""

    start: int
    end: int


class FoundDay(NamedTuple):
    """A date in a text; digits alone may be read in two ways (``3/4``)."""

    readings: tuple[Day, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, and what it counts where that is time: seconds, or months of unequal length."""

    value: float
    unit: str = ""


def days(text: str) -> list[FoundDay]:
    """Find the dates in *text*, in order; longer forms take the place of shorter ones inside them."""
    text, found_days = text.translate(_OTHER_I), list[FoundDay]()
    taken_places: set[int] = set()
    for pattern in _DATES:
        for match in pattern.finditer(text):
            span = Span(*match.span())
            readings = tuple(_readings({name: value for name, value in match.groupdict().items() if value}))
            if readings and taken_places.isdisjoint(range(*span)):
                taken_places.update(range(*span))
                found_days.append(FoundDay(readings, span))
    return sorted(found_days, key=lambda day: day.span)


def _readings(parts: dict[str, str]) -> Iterator[Day]:
    year = int(parts["year"]) if "year" in parts else None
    if year is not None and year < 100:
        year += 2000
    if "first" in parts:
        pairs = dict.fromkeys(
            [(int(parts["first"]), int(parts["second"])), (int(parts["second"]), int(parts["first"]))]
        )
        yield from (Day(year, month, day) for month, day in pairs if _exists(month, day))
        return
    month_text = parts.get("month", "")
    month = int(month_text) if month_text.isdigit() else _MONTH_NUMBER.get(month_text[:3].casefold())
    day = int(parts["day"]) if "day" in parts else None
    if (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31):
        yield Day(year, month, day)


def _exists(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def amounts(text: str) -> list[Quantity]:
    """Find the numbers and durations in *text* that are no part of a date, in order."""
    text = text.translate(_OTHER_I)
    day_spans = [day.span for day in days(text)]
    quantities = []
    for match in _NUMBER.finditer(text):
        if any(span.start < match.end() and match.start() < span.end for span in day_spans):
            continue
        value, unit = _value(match[0]), _UNIT.match(text, match.end())
        if unit:
            quantities.append(_timed(value + (0.5 if unit[2] else 0.0), unit[1].casefold()))
        else:
            quantities.append(Quantity(value))
    return quantities


def _timed(value: float, unit: str) -> Quantity:
    if unit in _SECONDS:
        return Quantity(value * _SECONDS[unit], "seconds")
    return Quantity(value * _MONTHS_LONG[unit], "months")


def _value(numeral: str) -> float:
    words = re.split(_GAP if numeral[0].isalpha() else r"\s+", numeral.replace(",", "").strip().casefold())
    total, part, unit = 0.0, 0.0, 1
    for word in words:
        if word == "half":
            part += unit / 2
        elif word in _MULTIPLES:
            unit = _MULTIPLES[word]
            part = (part or 1) * unit
            if unit > 100:
                total, part = total + part, 0.0
        elif word not in _ARTICLES:
            part, unit = part + (_COUNTS[word] if word in _COUNTS else float(word)), 1
    return total + part if total or part or words[0] not in _ARTICLES else 1.0


def identifiers(text: str) -> list[str]:
    """Find the tokens of letters and digits together, such as ``ORD-1234``, folded, in order."""
    day_spans = [day.span for day in days(text)]
    return [
        match[0].casefold()
        for match in _IDENTIFIER.finditer(text)
        if not _ORDINAL.fullmatch(match[0])
        and not any(span.start < match.end() and match.start() < span.end for span in day_spans)
    ]
