"""Tokens: values that nobody could guess, of the type that a slot has, and found again in any text."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from memgauge.text.dates import spell_date
from memgauge.text.values import days

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.text.values import Day

KINDS = ("word", "date", "number", "code")
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"
_FIRST_DAY = date(2031, 1, 1)
_WORD = re.compile(r"[a-z0-9_]+")


def token(seed: str, name: str, kind: str = "word") -> str:
    """Return the value of a variable in a run with a seed: the same again, and no other's."""
    digest = int.from_bytes(blake2b(f"{seed}/{name}".encode(), digest_size=8).digest(), "big")
    if kind == "date":
        return spell_date(_FIRST_DAY + timedelta(days=digest % 20_000))
    if kind == "number":
        return str(100_000 + digest % 900_000)
    if kind == "code":
        return f"{chr(65 + digest % 26)}{chr(65 + digest // 26 % 26)}-{digest // 676 % 1_000_000:06d}"
    text = ""
    for _ in range(4):
        digest, place = divmod(digest, len(_CONSONANTS) * len(_VOWELS))
        text += _CONSONANTS[place // len(_VOWELS)] + _VOWELS[place % len(_VOWELS)]
    return f"Zq{text}"


def found_in(text: str, tokens: Iterable[str]) -> set[str]:
    """Return the *tokens* that stand in *text*: words as words in any case, dates in any spelling.

    Scripts that write no spaces may stand right beside a token.
    """
    folded = text.casefold()
    words = set(_WORD.findall(folded))
    seen: set[str] = set()
    spelled: dict[str, Day] = {}
    for value in tokens:
        plain, pattern, day = _form(value)
        if plain in words if pattern is None else plain in folded and pattern.search(folded):
            seen.add(value)
        elif day is not None:
            spelled[value] = day
    if spelled:
        stated = [reading for mention in days(text) for reading in mention.readings]
        seen |= {value for value, day in spelled.items() if any(reading.states(day) for reading in stated)}
    return seen


@lru_cache(maxsize=65_536)
def _form(value: str) -> tuple[str, re.Pattern[str] | None, Day | None]:
    """Return a token folded, how to find it where it is more than one word, and the day that it is."""
    plain = value.casefold()
    if _WORD.fullmatch(plain):
        return plain, None, None
    dates = days(value)
    pattern = re.compile(rf"(?<![a-z0-9_]){re.escape(plain)}(?![a-z0-9_])")
    return plain, pattern, dates[0].readings[0] if dates else None
