"""Questions about values that nobody could guess, each with one that everybody would.

Of one question everything is fixed before any cell is asked, so that cells differ in what sources hold and in
nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.dice import Dice
from memgauge.errors import ConfigError
from memgauge.studies.attribution.cells import PLACES, AnswerSource, Held
from memgauge.systems.reference.wired import GUESSES
from memgauge.text.dates import MONTHS, spell_date
from memgauge.text.values import days

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.attribution.cells import Intervention

_RARE, _CONSONANTS, _VOWELS = "jqvxz", "bdfgklmnprstvz", "aeiou"
_LETTERS = "BCDFGHJKLMNPQRSTVWXYZ"
BESIDE = 5
"""Other things that memory holds of whoever asks."""


@dataclass(frozen=True, slots=True)
class SlotMemory:
    """One memory."""

    key: str
    """What reports call it: ``memory`` is the one that is asked for."""
    id: str
    """Opaque: of the turn that states it."""
    text: str
    slot: str
    value: str
    group: str = ""
    """Items of one group say the same in other words; an item without a group is alone."""


@dataclass(frozen=True, slots=True)
class SlotQuestion:
    """One slot of one user: its truth, and a value for every source to be swapped in."""

    id: str
    slot: str
    guessable: bool
    """Whether the truth is what anybody would guess."""
    base: str
    own: tuple[str, str, str]
    """In the order of sources."""
    shared: str
    beside: tuple[SlotMemory, ...]

    @property
    def lure(self) -> str:
        """What anybody would guess."""
        return GUESSES[self.slot]

    @property
    def text(self) -> str:
        """Ask."""
        return f"What is my {self.slot}?"

    @property
    def values(self) -> tuple[str, ...]:
        """List every value that an answer could have taken from this question, each once."""
        return tuple(dict.fromkeys((self.base, *self.own, self.shared, self.lure)))

    def held(self, source: AnswerSource, cell: Intervention) -> str:
        """Return what a source holds in a cell; empty where it holds nothing."""
        return {
            Held.ABSENT: "",
            Held.BASE: self.base,
            Held.OWN: self.own[PLACES[source]],
            Held.SHARED: self.shared,
        }[cell.of(source)]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a reader is given: the question, and what memory, document and state hold; empty is absent."""

    question: SlotQuestion
    memory: tuple[SlotMemory, ...]
    document: str = ""
    state: str = ""
    sample: int = 0
    """Which of several equal asks this is."""


def shown(question: SlotQuestion, cell: Intervention, sample: int = 0) -> Shown:
    """Put a question into a cell; what memory holds beside is the same in every cell."""
    value = question.held(AnswerSource.MEMORY, cell)
    stating = (statement(question, value),) if value else ()
    middle = len(question.beside) // 2
    return Shown(
        question,
        (*question.beside[:middle], *stating, *question.beside[middle:]),
        question.held(AnswerSource.DOCUMENT, cell),
        question.held(AnswerSource.STATE, cell),
        sample,
    )


def statement(question: SlotQuestion, value: str, *, again: int = 0) -> SlotMemory:
    """Say a value of the slot that is asked for, the second time in other words."""
    key = f"memory {again + 1}" if again else "memory"
    text = f"The {question.slot} that I have is {value}." if again % 2 else f"My {question.slot} is {value}."
    return SlotMemory(key, f"{question.id}-{again}", text, question.slot, value, "truth")


def document_text(shown_: Shown) -> str:
    """Word a document that a search has found."""
    return f"From the customer file: the {shown_.question.slot} of this user is {shown_.document}."


def state_text(shown_: Shown) -> str:
    """Spell what the application holds."""
    return f'{shown_.question.slot.replace(" ", "_")} = "{shown_.state}"'


def make_questions(n: int, seed: int = 0) -> tuple[SlotQuestion, ...]:
    """Make *n* questions, every slot in turn; of half of them the truth is what anybody would guess.

    Raises:
        ConfigError: Fewer than two: one of either kind is the least.
    """
    if n < 2:
        raise ConfigError(f"{n} questions are too few.", "Take at least 2: one of each kind of truth.")
    slots = list(GUESSES)
    return tuple(
        _question(place, slots[place % len(slots)], (place + place // len(slots)) % 2 == 0, seed)
        for place in range(n)
    )


def _question(place: int, slot: str, guessable: bool, seed: int) -> SlotQuestion:
    dice = Dice("attribution", 1, seed, place)
    base, first, second, third, shared = nonces(GUESSES[slot], 5, dice)
    number = f"{dice.below(2**40):010x}"
    others = dice.sample([name for name in GUESSES if name != slot], BESIDE)
    taken = (GUESSES[slot], base, first, second, third, shared)
    beside = tuple(_beside(f"other {n}", f"{number}-x{n}", name, dice, taken) for n, name in enumerate(others, 1))
    return SlotQuestion(
        number, slot, guessable, GUESSES[slot] if guessable else base, (first, second, third), shared, beside
    )


def _beside(key: str, id_: str, slot: str, dice: Dice, taken: Sequence[str]) -> SlotMemory:
    (value,) = nonces(GUESSES[slot], 1, dice, taken)
    return SlotMemory(key, id_, f"My {slot} is {value}.", slot, value)


def nonces(like: str, n: int, dice: Dice, taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Make *n* different values as long as *like* and of its type, none of which is *like* or *taken*."""
    known = {mark for value in (like, *taken) for mark in marks(value)}
    made: list[str] = []
    while len(made) < n:
        value = _day(like, dice) if days(like) else _word(like, dice)
        if not known & marks(value):
            made.append(value)
            known |= marks(value)
    return tuple(made)


def marks(value: str) -> frozenset[str]:
    """Return what tells values apart: words, and of a date the day of the year, which may be said without one."""
    dates = [reading for day in days(value) for reading in day.readings if reading.day is not None]
    return frozenset([f"{dates[0].month}-{dates[0].day}"] if dates else value.casefold().split())


def _day(like: str, dice: Dice) -> str:
    while True:
        day = date(dice.between(2031, 2059), dice.between(1, len(MONTHS)), dice.between(1, 28))
        if len(spell_date(day)) == len(like):
            return spell_date(day)


def _word(like: str, dice: Dice) -> str:
    """Keep the shape: digits stay digits, capitals capitals, words as long; words begin as few words do."""
    words = []
    for word in like.split(" "):
        code = any(map(str.isdigit, word))
        letters = [_sign(sign, place, dice, code=code) for place, sign in enumerate(word)]
        words.append("".join(letters))
    return " ".join(words)


def _sign(sign: str, place: int, dice: Dice, *, code: bool) -> str:
    if sign.isdigit():
        return str(dice.between(1, 9))
    if not sign.isalpha():
        return sign
    if code:
        return dice.pick(_LETTERS)
    letter = dice.pick(_VOWELS if place % 2 else _CONSONANTS if place else _RARE)
    return letter.upper() if sign.isupper() else letter
