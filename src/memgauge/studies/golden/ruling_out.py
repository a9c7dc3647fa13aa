"""Ruling out: what a text cannot lack where a value stands in it, so that most of a store need not be read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from memgauge.studies.golden.spellings import MONTHS_BY_NAME, ORDINALS, closed

if TYPE_CHECKING:
    from collections.abc import Iterable

_FOREIGN_DIGIT: Final = re.compile(r"(?![0-9])\d")
"""A digit of another script, which a day may be written in as well."""
_FULL_DAY: Final = re.compile(r"@(?P<year>\d{4})?-(?P<month>\d\d)-(?P<day>\d\d)")
_BESIDE: Final = r"(?:[\s/.,'-]|st|nd|rd|th|\u00ba|er|del?|of|the)*"
"""What may stand between a day and the name of its month."""
_APART: Final = r"[\W\u5e74\u6708]*"
"""What may stand behind a year and behind a month in digits."""


def may_bear(text: str, keys: Iterable[str]) -> bool:
    """Whether any of *keys* may be among the keys of *text* (:func:`~memgauge.studies.golden.spellings.written`).

    ``False`` is certain. Words, numbers and codes leave their letters and digits in the order in which they stand,
    whatever joins them; a day leaves its month beside it.
    """
    letters = closed(text)
    text = text.replace("-\n", "").replace("\u00ad", "")
    if not text.isascii():
        text = _FOREIGN_DIGIT.sub(lambda digit: str(int(digit[0])), text)
    return any(_may_stand(key, text, letters) for key in keys)


def _may_stand(key: str, text: str, letters: str) -> bool:
    if key.startswith("#"):
        return key[1:] in letters or "thousand" in text
    if not key.startswith("@"):
        return key.replace("_", "") in letters
    day = _day(key)
    return day is None or day.may_stand(text, letters)


@dataclass(frozen=True)
class _Day:
    """How one day may be written."""

    months: tuple[str, ...]
    """The names of its month."""
    named: re.Pattern[str]
    in_digits: tuple[re.Pattern[str], ...]

    def may_stand(self, text: str, letters: str) -> bool:
        """Say whether any of its spellings is in *text*, whose folded letters and digits alone are *letters*."""
        if any(name in letters for name in self.months) and self.named.search(text):
            return True
        return any(pattern.search(text) for pattern in self.in_digits)


@lru_cache(maxsize=4_096)
def _day(key: str) -> _Day | None:
    """Return how a day may be written; ``None``: *key* is a month, or a day in whatever year."""
    parts = _FULL_DAY.fullmatch(key)
    if parts is None:
        return None
    year, month, day = parts["year"], int(parts["month"]), int(parts["day"])
    names = tuple(name for name, number in [*MONTHS_BY_NAME.items(), ("sept", 9)] if number == month)
    months, days = "|".join(names), "|".join([str(day), *(word for word in ORDINALS if ORDINALS[word] == day)])
    named = re.compile(rf"(?:{days}){_BESIDE}(?:{months})|(?:{months}){_BESIDE}0?(?:{days})", re.IGNORECASE)
    orders = ((month, day), (day, month))
    if year is None:
        return _Day(names, named, tuple(re.compile(rf"{first}/0?{second}") for first, second in orders))
    last = rf"[./-](?:{year}|(?:00)?{year[2:]})"  # years of two digits are read as of this century
    behind = (rf"{first}[./-]0?{second}{last}" for first, second in orders)
    before = (rf"{start}{_APART}0?{a}{_APART}0?{b}" for start in (year, f"00{year[2:]}") for a, b in orders)
    return _Day(names, named, tuple(re.compile(pattern) for pattern in (*behind, *before)))
