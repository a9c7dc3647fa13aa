"""Whose value an answer states: read by value, among those that the question can hold."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from memgauge.studies.attribution.cells import AnswerSource, Held
from memgauge.text.normalise import fold
from memgauge.text.values import days

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.studies.attribution.cells import Intervention
    from memgauge.studies.attribution.question import SlotQuestion
    from memgauge.text.values import Day


class FollowedSource(StrEnum):
    """Whom an answer follows; every answer has exactly one."""

    MEMORY = "memory"
    DOCUMENT = "document"
    STATE = "state"
    AGREED = "agreed"
    """The truth, where a source holds it."""
    SHARED = "shared"
    """What two sources hold against the truth."""
    GUESS = "guess"
    """What anybody would guess, where no source holds it."""
    ABSTAINED = "abstained"
    OTHER = "other"
    """Something that nothing holds."""
    SEVERAL = "several"
    """More than one of the values: no choice was made."""
    ELSEWHERE = "elsewhere"
    """A value of the slot that was given in other scopes alone, to this user or another: something has leaked."""
    UNDECIDED = "undecided"
    """Equal asks were answered differently, and none of the answers most often."""
    FAILED = "failed"


_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_UNKNOWN = re.compile(
    r"\b(?:do(?:n['\u2019]t| not)|not) (?:know|have)\b|\bunknown\b"
    r"|\b(?:no|any|enough) (?:information|records?|memory|memories|details|data|answer)\b"
    r"|\bnot (?:known|available|given|specified|mentioned|stated|sure|told)\b|\bunable to\b"
    r"|\b(?:cannot|can['\u2019]t) (?:tell|say|answer|find|determine)\b",
    re.IGNORECASE,
)
CITATION = re.compile(r"^[\s*_#>]*sources?[*_\s]*:(?P<named>.*)$", re.IGNORECASE | re.MULTILINE)
_NO_NAME = {"", "none", "and", "or", "&"}


def stated(question: SlotQuestion, text: str) -> str | None:
    """Return the one value of the question that an answer states; empty where it abstains, ``None`` otherwise."""
    plain = answer_alone(text)
    values = mentioned(plain, question.values)
    if len(values) == 1:
        return values.pop()
    return "" if not values and (not plain or _UNKNOWN.search(plain)) else None


def whose(question: SlotQuestion, cell: Intervention, text: str) -> tuple[FollowedSource, str]:
    """Say whom an answer follows, and what it states, so that two answers can be compared."""
    value = stated(question, text)
    if value is None:
        plain = answer_alone(text)
        return (
            FollowedSource.SEVERAL if mentioned(plain, question.values) else FollowedSource.OTHER
        ), f"{fold(plain)}\x00"
    if not value:
        return FollowedSource.ABSTAINED, ""
    for source in AnswerSource:
        if question.held(source, cell) == value:
            kind = cell.of(source)
            named = {Held.BASE: FollowedSource.AGREED, Held.SHARED: FollowedSource.SHARED}
            return named.get(kind, FollowedSource(source.value)), value
    return (FollowedSource.GUESS if value == question.lure else FollowedSource.ELSEWHERE), value


def named_sources(text: str) -> tuple[str, ...] | None:
    """Return what an answer names as its sources; ``None`` where it has no line for them."""
    match = CITATION.search(text)
    if match is None:
        return None
    names = (name.strip(".*_`\"'") for name in re.split(r"[,;\s\[\]()]+", match["named"]))
    return tuple(name for name in names if name.casefold() not in _NO_NAME)


def mentioned(text: str, values: Iterable[str]) -> set[str]:
    """Return the *values* that stand in *text*: words as whole words in any case, dates in any spelling."""
    folded = text.casefold()
    present: set[str] = set()
    dates: dict[str, Day] = {}
    for value in values:
        pattern, day = _form(value)
        if pattern.search(folded):
            present.add(value)
        elif day is not None:
            dates[value] = day
    if dates:
        readings = [reading for day in days(text) for reading in day.readings]
        present |= {value for value, day in dates.items() if any(reading.states(day) for reading in readings)}
    return present


@lru_cache(maxsize=16_384)
def _form(value: str) -> tuple[re.Pattern[str], Day | None]:
    """Return how to find a value, and the day that it is; a bare year may be any number, so it is none."""
    pattern = re.compile(rf"(?<![a-z0-9_]){re.escape(value.casefold())}(?![a-z0-9_])")
    dates = [reading for each in days(value) for reading in each.readings if reading.day is not None]
    return pattern, dates[0] if dates else None


def answer_alone(text: str) -> str:
    """Drop the line of sources, line ends, and what is written between thousands."""
    return " ".join(_THOUSANDS.sub("", CITATION.sub("", text)).split())
