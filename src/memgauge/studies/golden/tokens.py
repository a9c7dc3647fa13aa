"""Tokens: values that nobody could guess, of the type that a slot has, and found again in any text."""

from __future__ import annotations

import re
from datetime import date, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from memgauge.text.dates import spell_date
from memgauge.text.values import days

if TYPE_CHECKING:
    from collections.abc import Iterable

KINDS = ("word", "date", "number", "code")
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"
_FIRST_DAY = date(2031, 1, 1)


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
    return f"zq{text}"


def found_in(text: str, tokens: Iterable[str]) -> set[str]:
    """Return the *tokens* that stand in *text*: words as words in any case, dates in any spelling."""
    seen = {value for value in tokens if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)}
    spelled = {value: days(value)[0].readings[0] for value in tokens if value not in seen and days(value)}
    if spelled:
        stated = [reading for found in days(text) for reading in found.readings]
        seen |= {value for value, day in spelled.items() if any(one.states(day) for one in stated)}
    return seen
