"""What an answer is worth: typed set-F1 with a guard against dumps, and beside it the published matcher."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.studies.context.sample import AnswerForm
from memgauge.text.tokens import tokenize
from memgauge.text.values import amounts, days
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.context.sample import Sample

LONG = 4
"""An answer so many times as long as the right one is a dump."""
PATIENCE = 160
"""Characters that any answer may have: one sentence around a value is none."""
SHARE = 0.5
"""An answer that names more than this share of all candidates, and more than are right, is a dump."""

_NUMBER = re.compile(r"(?<![\w.,])-?\d{1,3}(?:,\d{3})+(?!\d)|(?<![\w.,-])-?\d+(?:\.\d+)?(?![\w])")
_CODE = re.compile(r"(?<![\w-])(?=[\w-]*\d)[\w-]{5,}")
_CAPITAL = re.compile(r"(?<![\w'])[A-Z][\w'-]+")
_START = re.compile(r"(?:^|[.!?:]\s+|\n)\W*")
_ITEM = re.compile(r"\s*(?:[,;\n]|\band\b)\s*")


@dataclass(frozen=True, slots=True)
class Scored:
    """One answer."""

    f1: float
    right: bool
    """Whether every right value is named and no other."""
    dumped: bool
    published: float
    """RULER's ``string_match_all``: the share of right values that stand anywhere in the answer."""


def score(answer: str, sample: Sample) -> Scored:
    """Score *answer* as a set of values of the kind that is asked for."""
    published_score = string_match_all(answer, sample.gold)
    limit = max(LONG * len(", ".join(sample.gold)), PATIENCE)
    if len(answer.strip()) > limit:
        return Scored(0.0, right=False, dumped=True, published=published_score)
    gold = {_value(value, sample.form) for value in sample.gold}
    stated_values = _said(answer, sample)
    named_candidates = stated_values & {_value(value, sample.form) for value in sample.candidates}
    if len(named_candidates) > max(len(gold), SHARE * len(sample.candidates)):
        return Scored(0.0, right=False, dumped=True, published=published_score)
    f1 = 2 * len(stated_values & gold) / (len(stated_values) + len(gold))
    return Scored(f1, stated_values == gold, dumped=False, published=published_score)


def string_match_all(answer: str, gold: tuple[str, ...]) -> float:
    """Return the share of *gold* that stands in *answer*, in any case: recall alone, so an echo is always right.

    Source: RULER (Hsieh et al. 2024), ``string_match_all``.
    """
    text = answer.lower()
    return sum(value.lower() in text for value in gold) / len(gold)


def _said(answer: str, sample: Sample) -> set[str]:
    """Return the values that an answer names, known or not; other words of question and pieces are no values."""
    if sample.form is AnswerForm.NUMBER:
        numbers = {_value(match, sample.form) for match in _NUMBER.findall(answer)}
        return numbers or {f"{amount.value:.10g}" for amount in amounts(answer)}
    words = f" {_plain(answer)} "
    stated_candidates = {plain for value in sample.candidates if f" {(plain := _plain(value))} " in words}
    own_words = {
        word for text in (sample.question, *(piece.text for piece in sample.pieces)) for word in tokenize(text)
    }
    strangers = map(_plain, _strangers(answer, sample.form))
    return stated_candidates | {plain for plain in strangers if not set(plain.split()) <= own_words}


def _strangers(answer: str, form: AnswerForm) -> Iterator[str]:
    """Yield what looks like a value of *form*."""
    if form is AnswerForm.CODE:
        dates = [day.span for day in days(answer)]
        codes = (
            (m[0], any(d.start < m.end() and m.start() < d.end for d in dates)) for m in _CODE.finditer(answer)
        )
        yield from (code for code, dated in codes if not dated)
    elif form is AnswerForm.NAME:
        starts = {match.end() for match in _START.finditer(answer)}
        alone = len(answer.split()) == 1
        yield from (m[0] for m in _CAPITAL.finditer(answer) if alone or m.start() not in starts)
    else:
        items = (item.strip(" .:*-'\"`") for item in _ITEM.split(answer))
        yield from (item for item in items if item and " " not in item and item.lower() not in FUNCTION_WORDS)


def _value(text: str, form: AnswerForm) -> str:
    """Write a value so that equal ones are written alike."""
    return f"{float(text.replace(',', '')):.10g}" if form is AnswerForm.NUMBER else _plain(text)


def _plain(text: str) -> str:
    return " ".join(tokenize(text))
