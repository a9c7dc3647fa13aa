"""Values that other users were given of a slot: an answer that states one has crossed from scope to scope."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.studies.attribution.labels import answer_alone
from memgauge.studies.attribution.question import marks
from memgauge.text.normalise import fold
from memgauge.text.values import days

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.studies.attribution.question import SlotQuestion
    from memgauge.text.values import Day


@dataclass(frozen=True)
class GivenValues:
    """Every made-up value that any user was given of one slot, asked for or beside, and how to find it."""

    words: re.Pattern[str]
    by_text: Mapping[str, str]
    by_day: Mapping[Day, str]

    @classmethod
    def of(cls, values: set[str]) -> GivenValues:
        """Prepare to look for *values*."""
        by_text = {value.casefold(): value for value in sorted(values)}
        anyone = "|".join(map(re.escape, by_text)) or r"(?!)"
        by_day = {day: value for value in by_text.values() for day in _dates(value)}
        return cls(re.compile(rf"(?<![a-z0-9_])(?:{anyone})(?![a-z0-9_])"), by_text, by_day)

    def leaked(self, question: SlotQuestion, text: str) -> str:
        """Return what an answer states of other users; empty where nothing.

        What could be taken for a value of the question itself is none, and neither is a day without its year.
        """
        alone = answer_alone(text)
        stated = {self.by_text[match] for match in self.words.findall(alone.casefold())}
        stated |= {self.by_day[day] for day in _dates(alone) if day in self.by_day}
        own = {mark for value in question.values for mark in marks(value)} if stated else set()
        strange = {value for value in stated if not own & marks(value)}
        return f"{fold(alone)}\x00" if len(strange) > 1 else next(iter(strange), "")


def given_by_slot(questions: Sequence[SlotQuestion]) -> dict[str, GivenValues]:
    """Return what users were given of every slot; what anybody would guess of it is none of them."""
    given: dict[str, set[str]] = {}
    for question in questions:
        given.setdefault(question.slot, set()).update({*question.values} - {question.lure})
        for item in question.beside:
            given.setdefault(item.slot, set()).add(item.value)
    return {slot: GivenValues.of(values) for slot, values in given.items()}


def _dates(text: str) -> Iterator[Day]:
    """Yield the days of a text that are said with their year."""
    for day in days(text):
        yield from (reading for reading in day.readings if None not in (reading.year, reading.month, reading.day))
