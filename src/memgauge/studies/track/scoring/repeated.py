"""What an answer repeats of its question: such values compete with nothing, unless one of them was to be given.

A date, a number, a person, a name of code or a denial of the question is *told again* where it stands beside the
same word as there (``door 0``, ``PR #15``, ``from 2025-06-20``). Where it stands beside other words the answer may
mean it otherwise (``Ines replaced Kato``), and where a denial is told again, who knows of what: rules do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.measures.answers.typed import AnswerType, kind_of
from memgauge.studies.track.scoring.rivals import AMOUNTS, CODE, HEDGES, LISTED, value_kind
from memgauge.studies.track.scoring.spelling import holds, words
from memgauge.text.values import Span, amounts, days

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

PLACEHOLDER = " what was asked about "
"""Stands where a value was: of four words, so that no list of brief items has it among them."""

_TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|[^\W_]+(?:[.'\u2019/+#_-]+[^\W_]+)*")
_COUNTED = re.compile(r"[\d,]*\.?\d+|[^\W\d]+")
"""Tokens that can be numbers, in digits or a word; versions are none."""
_ANYWHERE = frozenset({"a", "an", "the", "is", "are", "was", "were", "of", "on", "in", "and", "or"})
"""Words that stand beside anything: what is meant tells the next one."""
_DENIALS = HEDGES | {"other", "rather", "instead", "apart"}


@dataclass(frozen=True, slots=True)
class RepeatedValues:
    """An answer without the values of its question."""

    answer: str
    told_again: bool
    """Whether every one of them stands beside a word that it stands beside in the question, and none denies."""


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or a date, by what it means."""

    key: object
    span: Span


def without_values(answer: str, question: str, gold: str, people: Collection[str]) -> RepeatedValues | None:
    """Take the values of *question* out of *answer*; ``None`` where none are there, or it names *gold*."""
    if _names(question, gold):
        return None
    values = _values(question, people)
    answer_tokens, question_tokens = _tokens(answer), _tokens(question)
    places = [place for place, token in enumerate(answer_tokens) if token.key in values]
    if not places:
        return None
    asked_beside = {beside for place in range(len(question_tokens)) for beside in _beside(question_tokens, place)}
    told_again = all(
        not _denies(answer_tokens[place]) and not asked_beside.isdisjoint(_beside(answer_tokens, place))
        for place in places
    )
    for place in reversed(places):
        start, end = answer_tokens[place].span
        answer = answer[:start] + PLACEHOLDER + answer[end:]
    return RepeatedValues(answer, told_again)


def _names(question: str, gold: str) -> bool:
    """Whether the question names what is to be given, or an item of it: it asks which of its values is right."""
    items = [item for item in LISTED.split(gold) if words(item)]
    question_words, question_amounts = words(question), set(amounts(question))
    asked_days = {reading for day in days(question) for reading in day.readings}
    return any(
        holds(question_words, words(item))
        or (value_kind(item) in AMOUNTS and not question_amounts.isdisjoint(amounts(item)))
        or any(asked_days.intersection(day.readings) for day in days(item) if kind_of(item) is AnswerType.DATE)
        for item in items
    )


def _values(question: str, people: Collection[str]) -> set[object]:
    """Return what of the question could be a value: dates, whatever has digits, people, code, denials."""
    question_words = words(question)
    named_words = {word for name in map(words, people) if holds(question_words, name) for word in name}
    named_words |= {token.casefold() for token in CODE.findall(question)}
    return {
        token.key
        for token in _tokens(question)
        if not isinstance(token.key, str)
        or token.key in named_words
        or _denies(token)
        or any(map(str.isdigit, token.key))
    }


def _denies(token: _Token) -> bool:
    """Whether a word denies, or leaves out: what it is about, rules cannot tell."""
    return isinstance(token.key, str) and (token.key in _DENIALS or token.key.endswith(("n't", "n\u2019t")))


def _tokens(text: str) -> list[_Token]:
    return list(_read(text))


def _read(text: str) -> Iterator[_Token]:
    """Yield words, and dates as what they are however they are spelled; numbers too, in words or digits."""
    day_spans = days(text)
    start = 0
    for day in [*day_spans, None]:
        end = len(text) if day is None else day.span.start
        for match in _TOKEN.finditer(text, start, end):
            counted = amounts(match[0]) if _COUNTED.fullmatch(match[0]) else []
            key = counted[0] if len(counted) == 1 else match[0].casefold()
            yield _Token(key, Span(*match.span()))
        if day is not None:
            yield _Token(frozenset(day.readings), day.span)
            start = day.span.end


def _beside(tokens: Sequence[_Token], place: int) -> Iterator[tuple[object, ...]]:
    """Yield what stands at a place with the nearest word that tells something, on its left and on its right."""
    for step in (-1, 1):
        run = [step, tokens[place].key]
        for token in tokens[place + step :: step] if place + step >= 0 else ():
            run.append(token.key)
            if token.key not in _ANYWHERE:
                yield tuple(run)
                break
