"""Spellings: the words, numbers, codes and days of a text under keys that are equal for equal values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memgauge.text.dates import MONTHS
from memgauge.text.values import amounts, days

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WORD = re.compile(r"[a-z0-9_]+", re.IGNORECASE | re.ASCII)
_ENDINGS = ("s", "es", "n", "en", "ns", "er", "ed", "ing", "ish", "ian", "like")
_STEM, _LONG_STEM = 4, 8
"""Letters that are left of a word without its ending; the last two letters of a name are rarely one."""
_GROUPS = r"[ ,.'\u2019\u00a0\u2009\u202f_]"
_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_])(?<!\d\.)(?:\d{{1,3}}({_GROUPS})\d{{2,4}}(?:\1\d{{2,4}})*|\d+)(?![A-Za-z0-9_])"
)
_JOINT = r"[\s\-\u2010-\u2015\u2212_./:#]"
_CODE = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<letters>[A-Za-z]{{1,5}}){_JOINT}{{0,3}}(?P<digits>\d{{2,}}(?:{_JOINT}\d{{2,}})*)"
    r"(?![A-Za-z0-9_]|-\d)"
)
_MONTHS = (
    "januar enero janvier gennaio janeiro januari",
    "februar febrero f\u00e9vrier febbraio fevereiro februari",
    "m\u00e4rz marzo mars mar\u00e7o maart",
    "april abril avril aprile",
    "mai mayo maggio maio mei",
    "juni junio juin giugno junho",
    "juli julio juillet luglio julho",
    "august agosto ao\u00fbt augustus",
    "september septiembre septembre settembre setembro",
    "oktober octubre octobre ottobre outubro",
    "november noviembre novembre",
    "dezember diciembre d\u00e9cembre dicembre dezembro december",
)
MONTHS_BY_NAME = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_ENGLISH = [name.casefold() for name in MONTHS]
MONTHS_BY_NAME |= {name[:3]: number for number, name in enumerate(_ENGLISH, 1)}
MONTHS_BY_NAME |= {name: number for number, name in enumerate(_ENGLISH, 1)}
_FIRST = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
_TEENS = "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
ORDINALS = {word: n for n, word in enumerate(f"{_FIRST} {_TEENS}".split(), 1)}
ORDINALS |= {f"twenty-{word}": 20 + n for word, n in list(ORDINALS.items())[:9]}
ORDINALS |= {"thirtieth": 30, "thirty-first": 31}
_NAMES, _NTH = (
    "|".join(sorted(MONTHS_BY_NAME, key=len, reverse=True)),
    "|".join(sorted(ORDINALS, key=len, reverse=True)),
)
_NUMBERED, _OF = r"st|nd|rd|th|\.|\u00ba|er", r"de\s+|of\s+"
_THEN, _YEAR = r"(?:[\s/-]+(?:de\s+|del\s+)?|\s*')", r"(?P<year>\d{4}|\d{2})(?!\d)"
_DAYS_IN_DIGITS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\d./-])(?P<day>\d{1,2})[.-](?P<month>\d{1,2})[.-](?P<year>\d{4}|\d{2})(?![\d.-])",
        r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?!\d)",
        r"(?<!\d)(?P<year>\d{4})[./ ](?P<month>\d{1,2})[./ ](?P<day>\d{1,2})(?!\d)",
        r"(?P<year>\d{4})\s*\u5e74\s*(?P<month>\d{1,2})\s*\u6708\s*(?P<day>\d{1,2})\s*[\u65e5\u53f7]",
    )
)
_NAMED_DAYS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:{_NUMBERED})?[\s/-]*(?:{_OF})?(?P<month>{_NAMES})\.?,?{_THEN}{_YEAR}",
        rf"\b(?P<month>{_NAMES})\.?[\s/-]+(?P<day>\d{{1,2}})(?:{_NUMBERED})?[\s/,-]+'?{_YEAR}",
        rf"\b(?P<nth>{_NTH})\s+(?:of\s+)?(?P<month>{_NAMES})\b,?\s*(?P<year>\d{{4}})?",
        rf"\b(?P<month>{_NAMES})\s+(?:the\s+)?(?P<nth>{_NTH})\b,?\s*(?P<year>\d{{4}})?",
    )
)
_DIGIT = re.compile(r"\d")
_DAY_LIKE = re.compile(
    rf"\d\s?[-/.\u5e74]\s?\d|\d{{4}} \d\d? \d|\d{{8}}|(?:\b|(?<=\d))(?:{_NAMES}|sept)(?![a-z])", re.IGNORECASE
)
"""What every day in digits has, or one whose month is spelled out."""
_MONTH_NAMED = re.compile(rf"(?:{_NAMES})", re.IGNORECASE)
_NTH_DAY = re.compile(rf"\b(?:{_NTH})\b", re.IGNORECASE)


class Place(NamedTuple):
    """A value as it stands in a text."""

    key: str
    start: int
    end: int
    exact: bool = True
    """Whether it is written as it is, and not inflected, cut out of more, or a day without its year."""


@dataclass(frozen=True)
class Written:
    """Everything in a text that can be a value."""

    places: tuple[Place, ...]

    @cached_property
    def keys(self) -> frozenset[str]:
        """Return the keys alone."""
        return frozenset(place.key for place in self.places)


def written(text: str) -> Written:
    """Find everything in *text* that can be a value; of what is short it is kept."""
    return (_written_short if len(text) <= SHORT else _written_short.__wrapped__)(text)


def closed(text: str) -> str:
    """Return the letters and digits of *text* alone, folded; of a long one the last is kept."""
    return (_closed_short if len(text) <= SHORT else _closed_long)(text)


@lru_cache(maxsize=65_536)
def _closed_short(text: str) -> str:
    return _JOINTS.sub("", text.casefold())


_closed_long = lru_cache(maxsize=1)(_closed_short.__wrapped__)
_JOINTS = re.compile(r"[\W_]+")

SHORT = 1 << 12
"""Characters of a text of which is kept what stands in it: of the text of a file it would fill the memory."""


@lru_cache(maxsize=65_536)
def _written_short(text: str) -> Written:
    if "-\n" in text or "\u00ad" in text:
        text = text.replace("-\n", "").replace("\u00ad", "")
    places = list(_words(text))
    if _DIGIT.search(text):
        places += [*_numbers(text), *_codes(text)]
        if _DAY_LIKE.search(text):
            places += _days(text)
    elif _NTH_DAY.search(text):
        places += _days(text)
    if "thousand" in text:
        places += [Place(f"#{amount.value:.0f}", 0, len(text), exact=False) for amount in amounts(text)]
    return Written(tuple(places))


def _words(text: str) -> Iterator[Place]:
    for match in _WORD.finditer(text):
        word, (start, end) = match[0].casefold(), match.span()
        if word.isdigit():
            continue
        yield Place(word, start, end)
        for stem in _stems(word):
            yield Place(stem, start, end, exact=False)


@lru_cache(maxsize=65_536)
def _stems(word: str) -> tuple[str, ...]:
    """Return what *word* may be an inflection of."""
    left = ((ending, len(word) - len(ending)) for ending in _ENDINGS if word.endswith(ending))
    return tuple(word[:n] for ending, n in left if n >= (_STEM if ending in {"s", "es"} else _LONG_STEM))


def _numbers(text: str) -> Iterator[Place]:
    for match in _NUMBER.finditer(text):
        parts = match[0].split(match[1]) if match[1] else [match[0]]
        start, end = match.span()
        yield Place("#" + "".join(parts), start, end)
        if match[1] == "." and not int(parts[-1]):
            yield Place("#" + "".join(parts[:-1]), start, end, exact=False)
        if match[1] in {" ", "\u00a0"}:
            for first in range(len(parts)):
                for last in range(first + 1, len(parts) + 1):
                    yield Place("#" + "".join(parts[first:last]), start, end, exact=False)


def _codes(text: str) -> Iterator[Place]:
    for match in _CODE.finditer(text):
        groups = re.findall(r"\d+", match["digits"])
        for count in range(1, len(groups) + 1):
            key = match["letters"].casefold() + "".join(groups[:count])
            yield Place(key, match.start(), match.end(), exact=count == len(groups))


def _days(text: str) -> Iterator[Place]:
    for mention in days(text):
        for day in mention.readings:
            if day.month is None:
                continue
            if day.day is None:
                yield Place(f"@{day.year:04}-{day.month:02}", *mention.span, exact=False)
            else:
                yield from _day_places(day.year, day.month, day.day, *mention.span)
    for pattern in (*_DAYS_IN_DIGITS, *(_NAMED_DAYS if _MONTH_NAMED.search(text) else ())):
        for match in pattern.finditer(text):
            parts = match.groupdict()
            nth = _number(parts.get("nth") or parts["day"], ORDINALS)
            month = _number(parts["month"], MONTHS_BY_NAME)
            if nth is None or month is None:
                continue  # the letters i of Turkish are an i to a pattern that asks for no case
            year = int(parts["year"]) if parts["year"] else None
            year = year + 2000 if year is not None and year < 100 else year
            for first, second in {(month, nth), (nth, month)} if parts["month"].isdigit() else {(month, nth)}:
                if 1 <= first <= 12 and 1 <= second <= 31:
                    yield from _day_places(year, first, second, *match.span())


def _number(written: str, names: Mapping[str, int]) -> int | None:
    """Read digits or one of *names*; ``None`` where it is neither."""
    return int(written) if written.isdecimal() else names.get(written.casefold())


def _day_places(year: int | None, month: int, day: int, start: int, end: int) -> Iterator[Place]:
    """Yield a day under what it says, and under what whoever leaves the year out would say."""
    yield Place(f"@any-{month:02}-{day:02}", start, end, exact=False)
    if year is None:
        yield Place(f"@-{month:02}-{day:02}", start, end, exact=False)
    else:
        yield Place(f"@{year:04}-{month:02}-{day:02}", start, end)
        yield Place(f"@{year:04}-{month:02}", start, end, exact=False)


def keys_of(value: str) -> frozenset[str]:
    """Return the keys of a value; none where it is more than a word, a number, a code or a day."""
    whole = frozenset(
        place.key for place in written(value).places if place.exact and place[1:3] == (0, len(value))
    )
    stated = [mention for mention in days(value) if tuple(mention.span) == (0, len(value))]
    if not stated or stated[0].readings[0].month is None:
        return whole
    first = stated[0].readings[0]
    if first.day is None:
        return frozenset({f"@{first.year:04}-{first.month:02}"})
    if first.year is None:
        return frozenset({f"@any-{first.month:02}-{first.day:02}"})
    return frozenset({f"@{first.year:04}-{first.month:02}-{first.day:02}", f"@-{first.month:02}-{first.day:02}"})
