"""How much of what was said a text bears: the words of one beside the words of the other.

A memory that repeats a turn word for word bears it. Of every other one two things are asked. Is it *about* the
turn: do the rare words of both meet (:func:`likeness`)? How much of it can so short a text hold (:func:`room`)?
Calibrated on LoCoMo's observations; `memgauge reproduce witness` prints the errors.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from math import floor, log
from typing import TYPE_CHECKING, Final

from memgauge.text.number_words import NUMBER_WORDS
from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

BORNE: Final = 0.25
"""Likeness from which a text is about a turn; `reproduce witness` prints what that accepts and rejects."""
LITTLE: Final = 0.15
"""What a function word weighs beside another word as rare."""
NAME: Final = 1.5
"""What the name of a speaker weighs; a word that one turn in a hundred has weighs 4.6."""
ENOUGH: Final = 2.0
"""What the words must weigh, without names and function words, that a text shares with a turn to be about it; a
quarter of the turn's where it has little to share. A word that one turn in eight has weighs 2."""
EXACT: Final = 1.25
"""How much more a word with a digit in it weighs than another as rare."""
BEFORE: Final = 0.4
AFTER: Final = 0.25
"""What a word counts for that only the turn before, or after, has: an answer is about its question."""
TURN: Final = 0.2
"""The exponent of the share of the turn; what is left of 1 is that of the share of the text."""
ROOM: Final = 0.5
"""The power of its relative length that a text may bear of a turn."""
STEPS: Final = 1024
"""Weights and shares are whole multiples of one of so many parts, so that no sum depends on its order."""

_LANGUAGE: Final = "english"
_TEXTS: Final = 1 << 11
"""Texts whose words are remembered: a turn is looked at for every question that it answers."""
_PIECE: Final = re.compile(r"[.!?;\n]+(?=\s|$)")


@lru_cache(_TEXTS)
def plain(text: str) -> str:
    """Return the words of *text* alone, folded, with one space on either side of each."""
    return f" {' '.join(tokenize(text))} "


def holds(text: str, turn: str) -> bool:
    """Whether *text* repeats *turn*, both as :func:`plain` gives them; what has no words is held by nothing."""
    return turn in text and not turn.isspace()


@lru_cache(_TEXTS)
def words_of(text: str) -> frozenset[str]:
    """Return the words of *text*, folded and without their inflections, small numbers as digits."""
    digits = _digits()
    return frozenset(digits.get(word, word) for word in tokenize(text, stem=_LANGUAGE))


# The stemmer is no part of a product's Python, where this module may be imported and is not called.
@cache
def _digits() -> Mapping[str, str]:
    return {stem: digits for word, digits in NUMBER_WORDS.items() for stem in tokenize(word, stem=_LANGUAGE)}


@cache
def _little() -> frozenset[str]:
    return words_of(" ".join(FUNCTION_WORDS))


@dataclass(frozen=True)
class Lexicon:
    """What the words of one conversation weigh, in whole numbers."""

    weights: Mapping[str, int]
    """Words that no turn has weigh nothing: they speak neither for nor against any turn."""
    empty: frozenset[str]
    """Words that alone say nothing of a turn: names of speakers, function words."""

    @classmethod
    def of(cls, turns: Sequence[Collection[str]], names: Collection[str]) -> Lexicon:
        """Weigh words by how few of *turns* have them (inverse document frequency), *names* all alike."""
        having = Counter(word for words in turns for word in words)
        weights = {word: round(STEPS * _weight(word, n, len(turns), names)) for word, n in having.items()}
        return cls(weights, _little().union(names))

    def weigh(self, words: Iterable[str]) -> int:
        """Add up the weights of *words*."""
        return sum([self.weights.get(word, 0) for word in words])


def _weight(word: str, having: int, turns: int, names: Collection[str]) -> float:
    if word in names:
        return NAME
    rarity = log((turns + 1) / (having + 0.5))
    return rarity * (LITTLE if word in _little() else EXACT if any(c.isdigit() for c in word) else 1.0)


@dataclass(frozen=True)
class Passage:
    """One turn, and what stands around it."""

    words: frozenset[str]
    """Of the turn; the name of who speaks is one of them."""
    weight: int
    """Of these words."""
    enough: int
    """What a text must share with it, in words that say something."""
    around: Mapping[str, int]
    """Words of the turns before and after, and what each counts for, of :data:`STEPS`."""


def passages(turns: Sequence[frozenset[str]], lexicon: Lexicon) -> list[Passage]:
    """Set every turn of one session, as words, between its neighbours."""
    weight_before, weight_after = round(STEPS * BEFORE), round(STEPS * AFTER)
    session_passages = []
    for place, words in enumerate(turns):
        around = dict.fromkeys(turns[place + 1], weight_after) if place + 1 < len(turns) else {}
        around |= dict.fromkeys(turns[place - 1], weight_before) if place else {}
        enough = min(round(STEPS * ENOUGH), lexicon.weigh(words - lexicon.empty) // 4)
        session_passages.append(Passage(words, lexicon.weigh(words), enough, around))
    return session_passages


def likeness(words: frozenset[str], passage: Passage, lexicon: Lexicon) -> float:
    """Say how far a text of *words* is about *passage*, 0 to 1.

    The weighted geometric mean of two shares of weight: of the turn, how much the text has; of the text, how much
    the turn has, or, counted for less, its neighbours have.
    """
    return _likeness(words, lexicon.weigh(words), passage, lexicon)


def _likeness(words: frozenset[str], text: int, passage: Passage, lexicon: Lexicon) -> float:
    shared_weight = lexicon.weigh(words & passage.words)
    if not shared_weight or not text:
        return 0.0
    weights, around = lexicon.weights, passage.around
    near = sum(
        [weights.get(word, 0) * around[word] for word in words & around.keys() if word not in passage.words]
    )
    return float((shared_weight / passage.weight) ** TURN * ((shared_weight + near / STEPS) / text) ** (1 - TURN))


class BearingText:
    """A text that is said to bear turns, and its sentences: a long one may be about each turn in another place."""

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        """Cut *text* into sentences, and note which words are in which."""
        pieces = [words for piece in _PIECE.split(text) if (words := words_of(piece))]
        self._lexicon = lexicon
        self._words = frozenset[str]().union(*pieces)
        self._weight = lexicon.weigh(self._words)
        self._pieces = [(words, lexicon.weigh(words)) for words in pieces] if len(pieces) > 1 else []
        self._having: dict[str, list[int]] = {}
        little = _little()
        for place, (words, _) in enumerate(self._pieces):
            for word in words - little:
                self._having.setdefault(word, []).append(place)

    def about(self, passage: Passage) -> bool:
        """Whether the text is about *passage*: like it, and sharing words that say something."""
        shared_words = (self._words & passage.words) - self._lexicon.empty
        enough = self._lexicon.weigh(shared_words) >= max(passage.enough, 1)
        return enough and self.likeness(passage) >= BORNE

    def likeness(self, passage: Passage) -> float:
        """Say how far the text, or that sentence of it that shares most with *passage*, is about it."""
        likeness_of_text = _likeness(self._words, self._weight, passage, self._lexicon)
        shared_weights = dict[int, int]()
        for word in passage.words & self._having.keys() if likeness_of_text else ():
            weight = self._lexicon.weights[word]
            for place in self._having[word]:
                shared_weights[place] = shared_weights.get(place, 0) + weight
        if not shared_weights:
            return likeness_of_text
        best = max(shared_weights, key=lambda place: (shared_weights[place], -place))
        return max(likeness_of_text, _likeness(*self._pieces[best], passage, self._lexicon))


def room(text: int, turns: int) -> float:
    """Say how much of *turns* characters a *text* of so many can bear: a power of their ratio, at most 1.

    With the power 1 it never pays to scatter a few words of many turns in the place of whole ones: evidence found
    among twice as many turns is less than twice as much. With 0 a word would do for a turn. One between leaves
    a short statement of a long turn more than its length.
    """
    return floor(STEPS * min(text / turns, 1.0) ** ROOM) / STEPS if turns else 1.0
