"""What takes an answer back: a word that denies or hedges, and other values of the kind that was asked for.

Whoever names every candidate, or names one to deny it, has said nothing; rules have to see that, for no judge is
asked about what they find right.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.measures.answers.typed import AnswerType, kind_of
from memgauge.studies.track.scoring.spelling import holds, words
from memgauge.text.values import amounts, days

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

LISTED = re.compile(r"\s*[,;\n]\s*(?:and\s+)?|\s+and\s+|\s+&\s+")
"""What stands between the items of a list."""

HEDGES = frozenset(
    {"or", "either", "not", "neither", "nor", "maybe", "perhaps", "never", "no", "none", "nobody", "nothing"}
    | {"except", "excepting", "excluding", "besides", "without", "unlike", "cannot"}
)
_DENIED = re.compile(
    r"n['\u2019]t\b|\b(?:any|every|all|no)\s?(?:one|body|thing)?\s+(?:but|other)\b"
    r"|\b(?:other|rather)\s+than\b|\binstead\s+of\b|\bapart\s+from\b",
    re.IGNORECASE,
)
CODE = re.compile(r"(?<![./\w])(?:\w+_\w+|[A-Z][A-Z0-9]+)(?![./]?\w)")
"""Names as code has them: with underscores, or in capitals."""
AMOUNTS = frozenset({AnswerType.NUMBER, AnswerType.DURATION})
_BRIEF = 3
"""Words of an item that can be one of a list; a longer part of a sentence is none."""


_NUMBER = re.compile(r"\W*\d[\d,]*(?:\.\d+)?\W*(?:[A-Za-z%]+\W*){0,2}|\D*")


def value_kind(gold: str) -> AnswerType | None:
    """Say what the accepted answer is; versions and ranges are no numbers, whatever digits they hold."""
    kind = kind_of(gold)
    if kind in AMOUNTS and not _NUMBER.fullmatch(gold):
        return AnswerType.SET if len(LISTED.split(gold)) > 1 else None
    return kind


def hedged(answer: str, gold: str) -> bool:
    """Whether *answer* denies something, or leaves open what it means, in words that *gold* has not."""
    doubts = HEDGES & set(words(answer)) - set(words(gold))
    return bool(doubts or (_DENIED.search(answer) and not _DENIED.search(gold)))


def rivals(answer: str, golds: Sequence[str], people: Collection[str] = ()) -> frozenset[str]:
    """Return what *answer* names beside *golds* that could stand in the place of one of them.

    *people* are the names of whoever could have been meant.
    """
    return frozenset(
        (*_other_days(answer, golds), *_other_amounts(answer, golds), *_other_words(answer, golds, people))
    )


def recited(answer: str, gold: str) -> bool:
    """Whether *gold* is one item of a list of its like."""
    items = [words(item) for item in LISTED.split(answer)]
    wanted = words(gold)
    return wanted in items and any(len(item) == len(wanted) and item != wanted for item in items)


def surplus(answer: str, golds: Sequence[str]) -> int:
    """Count the brief items of a list beyond one more than were asked for."""
    items = {item for item in map(words, LISTED.split(answer)) if 0 < len(item) <= _BRIEF}
    return max(0, len(items) - len(golds) - 1)


def _other_days(answer: str, golds: Sequence[str]) -> Iterator[str]:
    wanted = [day for gold in golds if kind_of(gold) is AnswerType.DATE for day in days(gold)]
    for day in days(answer) if wanted else ():
        if not any(
            reading.states(gold_reading)
            for reading in day.readings
            for gold_day in wanted
            for gold_reading in gold_day.readings
        ):
            yield answer[slice(*day.span)]


def _other_amounts(answer: str, golds: Sequence[str]) -> Iterator[str]:
    wanted = [amount for gold in golds if value_kind(gold) in AMOUNTS for amount in amounts(gold)]
    units = {amount.unit for amount in wanted}
    for amount in amounts(answer):
        if amount.unit in units and amount not in wanted:
            yield f"{amount.value:g} {amount.unit}".strip()


def _other_words(answer: str, golds: Sequence[str], people: Collection[str]) -> Iterator[str]:
    """Yield other people where one is asked for, other names of code where one is."""
    folded_people, wanted, answer_words = set(map(words, people)), set(map(words, golds)), words(answer)
    if folded_people & wanted:
        others = {name for name in folded_people if not any(holds(gold, name) for gold in wanted)}
        yield from (" ".join(name) for name in others if holds(answer_words, name))
    forms = {"_" in gold for gold in golds if CODE.fullmatch(gold)}
    for token in CODE.findall(answer) if forms else ():
        if ("_" in token) in forms and words(token) not in wanted:
            yield token
