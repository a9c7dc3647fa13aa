"""Values that nobody has heard of: pronounceable, different for every user, each made without the others."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.words import POOLS
from memgauge.text.dates import spell_date

if TYPE_CHECKING:
    from memgauge.datasets.synthetic.dice import Dice

_ONSETS = (*"bdfghjklmnprstvwyz", "br", "tr")
_SYLLABLES = [onset + vowel for onset in _ONSETS for vowel in "aeiou"]
_WORDS = 100**4
_STEP = 38_196_637
"""Without a common factor with 100, so that counting by it meets every word once."""
_OF_A_USER = 256
_DIGITS = 10**6
_DIGIT_STEP = 617_273
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
PERSONA = 0
"""The place of a user's own name among the user's words."""


def word(user: int, place: int) -> str:
    """Return the *place*-th made-up word of a user: no other user and no other place has it.

    Good for 390,625 users of 256 words each.
    """
    number = ((user * _OF_A_USER + place) * _STEP + 271_828) % _WORDS
    text = ""
    for _ in range(4):
        number, syllable = divmod(number, 100)
        text += _SYLLABLES[syllable]
    return text.capitalize()


def code(user: int, place: int) -> str:
    """Return the *place*-th identifier of a user, such as ``QD-482137``; places of one user never meet."""
    row, column = divmod(user, len(_LETTERS) ** 2)
    digits = ((row * _OF_A_USER + place) * _DIGIT_STEP + 314_159) % _DIGITS
    return f"{_LETTERS[column // len(_LETTERS)]}{_LETTERS[column % len(_LETTERS)]}-{digits:06d}"


def near_miss(identifier: str, dice: Dice) -> str:
    """Swap two neighbouring digits that differ, or change the last one."""
    digits = identifier[-6:]
    places = [n for n in range(5) if digits[n] != digits[n + 1]]
    if not places:
        return identifier[:-1] + str((int(identifier[-1]) + 1) % 10)
    at = dice.pick(places)
    return identifier[:-6] + digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :]


class Names:
    """Hand out values to one user, each once."""

    def __init__(self, user: int, dice: Dice, after: date, *, plausible: bool) -> None:
        self._user = user
        self._dice = dice
        self._next = PERSONA + 1
        self._day = after
        self._pools = {pool: dice.sample(words, len(words)) for pool, words in POOLS.items()} if plausible else {}

    def draw(self, pool: str) -> str:
        """Return a fresh value of a kind; a pool of plausible ones that is used up goes on with made-up ones."""
        if pool == "day":
            self._day += timedelta(days=self._dice.between(3, 30))
            return spell_date(self._day)
        if self._pools.get(pool):
            return self._pools[pool].pop()
        place, self._next = self._next, self._next + 1
        if pool == "code":
            return code(self._user, place)
        made = word(self._user, place)
        return f"The {made}" if pool == "title" else made
