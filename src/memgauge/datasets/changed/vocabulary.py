"""Which words of a conversation are names, and which figures are values: what can be called otherwise."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memgauge.text.dates import MONTHS
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

WORD: Final = re.compile(r"[^\W\d_]{2,}(?:[-\u2010][^\W\d_]{2,})*", re.UNICODE)
"""A word of letters; an apostrophe ends it, so that *Ann's* holds *Ann*, and *Annual* does not."""
_INSIDE: Final = re.compile(r"(?<=[a-z,;] )[^\W\d_]{2,}", re.UNICODE)
"""A word that begins no sentence: what stands there with a capital has it for its own sake."""
_RARELY: Final = 0.5
"""How often a name may be written small, beside the times that it has its capital inside a sentence."""
_FIXED: Final = frozenset(
    name.casefold()
    for name in (
        *MONTHS, *(month[:3] for month in MONTHS), "Sept",
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
        "Mon", "Tue", "Tues", "Wed", "Thu", "Thur", "Thurs", "Fri", "Sat", "Sun",
        "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "OK", "TV", "PM", "AM", "ID", "PS",
    )
)  # fmt: skip
"""Written with a capital, and no names of anybody or anything here."""
_LONG: Final = 4
"""Letters of a name that only ever begins sentences; *Yes* is shorter."""
ROLES: Final = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot"})
"""What a speaker is called that has no name."""


@dataclass
class Vocabulary:
    """The words of one conversation, by how they are written."""

    small: Counter[str] = field(default_factory=Counter)
    """Times each word is written small, by its folded form."""
    capital: Counter[str] = field(default_factory=Counter)
    """Times it has a capital inside a sentence."""
    anywhere: Counter[str] = field(default_factory=Counter)
    """Times it has a capital wherever it stands."""
    words: set[str] = field(default_factory=set)
    """All words, folded."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Vocabulary:
        """Read every text once."""
        vocabulary = cls()
        for text in texts:
            vocabulary.read(text)
        return vocabulary

    def read(self, text: str) -> None:
        """Count the words of a text."""
        for word in WORD.findall(text):
            for part in re.split(r"[-\u2010]", word):
                folded = part.casefold()
                self.words.add(folded)
                (self.small if part[0].islower() else self.anywhere)[folded] += 1
        self.capital.update(word.casefold() for word in _INSIDE.findall(text) if word[0].isupper())

    def names(self, speakers: Iterable[str], right: Vocabulary) -> list[str]:
        """Return the names, folded, in alphabetical order.

        They are those of speakers, what has a capital inside of sentences, and what begins sentences and answers,
        of which *right* has the words, and is never written small.
        """
        spoken = {
            word.casefold()
            for speaker in speakers
            if speaker.casefold() not in ROLES
            for word in _parts(speaker)
            if word[0].isupper()
        }
        proper = {word for word, times in self.capital.items() if self.small[word] <= _RARELY * times}
        stated = {
            word
            for word, times in right.anywhere.items()
            if len(word) >= _LONG and self.anywhere[word] > times and not self.small[word]
        }
        return sorted((spoken | proper | (stated - FUNCTION_WORDS)) - _FIXED - ROLES)


def _parts(name: str) -> list[str]:
    return [part for word in WORD.findall(name) for part in re.split(r"[-\u2010]", word)]
