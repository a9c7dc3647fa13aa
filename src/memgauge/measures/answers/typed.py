"""Answers compared by what they state: a date as a date, a number as a number, a set as a set.

Words are a poor witness of a value: ``21 March`` and ``2026-03-21`` share no token, and ``March 210`` holds
``March 21``. An answer that states several different values of the kind asked for states none: that of ``not
March 21, I have March 12`` cannot be told without reading it. Asking for the value alone is the remedy. A value
right behind a denial (``not 212``) is not stated.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.text.denials import DENIED_WORD, FILLERS
from memgauge.text.normalise import fold
from memgauge.text.values import amounts, days, identifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.text.values import Quantity


class AnswerType(StrEnum):
    """What an accepted answer is."""

    TRUTH = "truth"
    DATE = "date"
    NUMBER = "number"
    DURATION = "duration"
    IDENTIFIER = "identifier"
    SET = "set"
    NAME = "name"


FREE = "the accepted answer is free text"
_TRUE = frozenset({"yes", "yeah", "yep", "true", "correct"})
_FALSE = frozenset({"no", "nope", "not", "false", "incorrect"})
_FILLER = frozenset(FILLERS.split())
_SEPARATOR = re.compile(r"\s*[,;]\s*(?:and\s+)?|\s+(?:and|&)\s+")
_NAME = re.compile(r"[A-Z][\w'&-]*(?:\s+(?:of\s+|the\s+)?[A-Z][\w'&-]*)*")
_NAME_WORDS = 5


def kind_of(gold: str) -> AnswerType | None:
    """Say what *gold* states; ``None`` is free text, which has no type."""
    return next((kind for kind, fits in _LOOKS.items() if fits(gold)), None)


def typed_match(answer: str, golds: Sequence[str]) -> float | str:
    """Return 1 where *answer* states the value of any of *golds* and no other of its kind, else 0.

    Where no gold has a type the value is undefined: the reason is returned. Digits that could be two dates
    (``3/4``) state either.
    """
    typed_golds = [(gold, kind) for gold in golds if (kind := kind_of(gold)) is not None]
    if not typed_golds:
        return FREE
    return float(any(_states(answer, gold, kind) and _affirms(answer, gold, kind) for gold, kind in typed_golds))


def _affirms(answer: str, gold: str, kind: AnswerType) -> bool:
    """Whether the value still stands when every word that is denied is taken out."""
    if kind is AnswerType.TRUTH or DENIED_WORD.search(gold) or not DENIED_WORD.search(answer):
        return True
    return _states(DENIED_WORD.sub(" ", answer), gold, kind)


def _states(answer: str, gold: str, kind: AnswerType) -> bool:
    if kind is AnswerType.TRUTH:
        first_words = fold(answer).split()[:1]
        return (
            bool(first_words)
            and (first_words[0] in _TRUE) == (fold(gold) in _TRUE)
            and first_words[0] in _TRUE | _FALSE
        )
    if kind is AnswerType.DATE:
        gold_readings = days(gold)[0].readings
        answer_readings = [day.readings for day in days(answer)]
        fits = [
            any(reading.states(gold_reading) for reading in readings for gold_reading in gold_readings)
            for readings in answer_readings
        ]
        return bool(fits) and all(fits)
    if kind in {AnswerType.NUMBER, AnswerType.DURATION}:
        return _one_amount(amounts(answer), amounts(gold)[0])
    if kind is AnswerType.IDENTIFIER:
        return set(identifiers(answer)) == set(identifiers(gold))
    if kind is AnswerType.SET:
        return set(_items(answer)) == set(_items(gold))
    return _one_name(answer, fold(gold))


def _one_amount(quantities: Sequence[Quantity], gold_quantity: Quantity) -> bool:
    """Whether all that is said of the kind is *wanted*; a bare number may leave a unit unsaid, if it is alone."""
    same_unit = [amount for amount in quantities if amount.unit == gold_quantity.unit]
    return bool(same_unit) and all(amount.value == gold_quantity.value for amount in same_unit)


def _one_name(answer: str, gold_name: str) -> bool:
    """Whether the names in *answer* are one; the first word of a sentence is one only if it is part of it."""
    if fold(answer) == gold_name:
        return True
    starts = {match.end() for match in re.finditer(r"(?:^|[.!?]\s+)", answer)}
    names = set()
    for match in _NAME.finditer(answer):
        name = fold(match[0])
        if match.start() in starts and name != gold_name:
            name = name.partition(" ")[2]
        names.add(name)
    return names - {""} == {gold_name}


def _items(text: str) -> list[str]:
    """Split a list at commas, semicolons and ``and``; articles and fillers do not count."""
    parts = (" ".join(w for w in fold(part).split() if w not in _FILLER) for part in _SEPARATOR.split(text))
    return [part for part in parts if part]


def _nothing_else(text: str, start: int, end: int) -> bool:
    return set(fold(text[:start] + " " + text[end:]).split()) <= _FILLER


def _is_amount(gold: str) -> bool:
    alone = len(amounts(gold)) == 1 and len(fold(gold).split()) <= _AMOUNT_WORDS
    return alone and not days(gold) and not identifiers(gold)


def _is_date(gold: str) -> bool:
    dated = days(gold)
    return len(dated) == 1 and _nothing_else(gold, *dated[0].span)


def _is_set(gold: str) -> bool:
    items = _items(gold)
    return len(items) > 1 and all(len(item.split()) <= _NAME_WORDS for item in items)


def _is_name(gold: str) -> bool:
    return len(gold.split()) <= _NAME_WORDS and bool(_NAME.fullmatch(gold.strip().rstrip(".")))


_AMOUNT_WORDS = 4
_LOOKS: Mapping[AnswerType, Callable[[str], bool]] = {
    AnswerType.TRUTH: lambda gold: fold(gold) in _TRUE | _FALSE,
    AnswerType.DATE: _is_date,
    AnswerType.DURATION: lambda gold: _is_amount(gold) and bool(amounts(gold)[0].unit),
    AnswerType.NUMBER: _is_amount,
    AnswerType.IDENTIFIER: lambda gold: len(fold(gold).split()) == 1 and bool(identifiers(gold)),
    AnswerType.SET: _is_set,
    AnswerType.NAME: _is_name,
}
"""What each kind looks like; the first that fits is it."""
