"""LoCoMo's own score of an answer, category by category: as published, and without what misbehaves.

Published (the benchmark's evaluation script): words are lower-cased, without punctuation and without *a, an, the,
and*, and stemmed by Porter; lists are split at commas; the accepted answer of an open-domain question ends at the
first semicolon; an adversarial question is right when the reply says that there is no information.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MULTI_HOP, OPEN_DOMAIN, ADVERSARIAL = "multi-hop", "open-domain", "adversarial"
_DROPPED = frozenset({"a", "an", "the", "and"})
_DECLINES = ("no information available", "not mentioned")


def score_as_published(answer: str, gold: str, category: str) -> float:
    """Score as the benchmark's script does.

    Where it misbehaves: a list earns by what it holds and loses nothing by what it adds; an adversarial reply that
    answers and also says "not mentioned" is right, and one that declines in other words, or in none, is wrong.
    """
    if category == ADVERSARIAL:
        return float(any(phrase in answer.lower() for phrase in _DECLINES))
    if category == MULTI_HOP:
        items, gold_items = _split(answer), _split(gold)
        return sum(max(_f1(item, gold_item) for item in items) for gold_item in gold_items) / len(gold_items)
    return _f1(answer, _first(gold) if category == OPEN_DOMAIN else gold)


def score(answer: str, gold: str, category: str) -> float:
    """Score like the published rule without its faults.

    A list is split at commas and at *and*, and what is added costs precision; an adversarial reply is right when
    it is empty or only declines.
    """
    if category == ADVERSARIAL:
        return float(not answer.strip() or _declines_only(answer))
    if category == MULTI_HOP:
        items, gold_items = _items(answer), _items(gold)
        recall = sum(max(_f1(item, gold_item) for item in items) for gold_item in gold_items) / len(gold_items)
        precision = sum(max(_f1(item, gold_item) for gold_item in gold_items) for item in items) / len(items)
        return 2 * recall * precision / (recall + precision) if recall + precision else 0.0
    return _f1(answer, _first(gold) if category == OPEN_DOMAIN else gold)


def _first(gold: str) -> str:
    return gold.split(";", maxsplit=1)[0].strip()


def _split(text: str) -> Sequence[str]:
    return [part.strip() for part in text.split(",")]


def _items(text: str) -> Sequence[str]:
    parts = (part.strip() for part in re.split(r",|\band\b", text))
    return [part for part in parts if part] or [""]


def _declines_only(answer: str) -> bool:
    words = fold(answer)
    return any(words in (phrase, f"{phrase} in the conversation") for phrase in _DECLINES) or words in {
        "i dont know",
        "unknown",
    }


def _f1(answer: str, gold: str) -> float:
    """Return the token F1 of stems; one empty text is 0, as the script has it, two as well."""
    answer_stems, gold_stems = _stems(answer), _stems(gold)
    common = (answer_stems & gold_stems).total()
    return 2 * common / (answer_stems.total() + gold_stems.total()) if common else 0.0


def _stems(text: str) -> Counter[str]:
    words = [word for word in fold(text.replace(",", "")).split() if word not in _DROPPED]
    return Counter(_stemmer()(words))


@cache
def _stemmer() -> Callable[[Sequence[str]], list[str]]:
    from Stemmer import Stemmer

    stem: Callable[[Sequence[str]], list[str]] = Stemmer("porter").stemWords
    return stem
