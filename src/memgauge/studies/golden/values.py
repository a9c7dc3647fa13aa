"""Values as they are written: of which type they are, and where they stand in a text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from memgauge.text.values import days, identifiers

if TYPE_CHECKING:
    from memgauge.studies.golden.tokens import Kind

MEANING = frozenset({"sets", "adds", "removes", "was", "supposes", "plants"})
"""The keys of something said that name values."""
_NUMBER = re.compile(r"(?<![\w.,-])\d(?:[\d,]*\d)?(?:\.\d+)?(?![\w-])(?![.,]\d)")


def kind_of(value: str) -> Kind:
    """Return the type of a value: a date, a number, a code or a word."""
    if any((day.span.start, day.span.end) == (0, len(value)) for day in days(value)):
        return "date"
    if _NUMBER.fullmatch(value):
        return "number"
    return "code" if identifiers(value) == [value.casefold()] else "word"


@lru_cache(maxsize=4096)
def mentions(value: str) -> re.Pattern[str]:
    """Return what finds a value where it is no part of a longer word."""
    return re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)


def typed_values(text: str) -> list[str]:
    """Return the dates, codes and numbers of three digits or more in *text*, as they are written, in order."""
    values = {day.span.start: text[day.span.start : day.span.end] for day in days(text)}
    taken = [(start, start + len(value)) for start, value in values.items()]
    for code in identifiers(text):
        for match in mentions(code).finditer(text):
            values.setdefault(match.start(), match[0])
    for match in _NUMBER.finditer(text):
        inside = any(start < match.end() and match.start() < end for start, end in taken)
        if not inside and sum(map(str.isdigit, match[0])) >= 3:
            values.setdefault(match.start(), match[0])
    return [values[start] for start in sorted(values)]
