"""What every generator draws from: made-up names, codes and numbers that never meet within a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.dice import Dice
from memgauge.datasets.synthetic.names import code, word
from memgauge.studies.context.sample import VERSION, Piece

if TYPE_CHECKING:
    from collections.abc import Sequence

_USERS = 390_000
_FINE = 10_000
OWN = 100
"""The first place of the words of a filler of the sample's own kind; pieces use those before."""


class Draw:
    """Draws for one sample; the same seed, task and number give the same."""

    def __init__(self, seed: int, task: str, number: int) -> None:
        self.key = f"context/{VERSION}/{seed}/{task}/{number}"
        self.dice = Dice(self.key)
        self.number = number
        self.base = self.dice.below(_USERS)
        """The user whose words and codes are taken."""
        self._next = 0

    def word(self) -> str:
        """Return a fresh made-up name."""
        return word(self.base, self._place())

    def code(self) -> str:
        """Return a fresh identifier such as ``QD-482137``."""
        return code(self.base, self._place())

    def some(self, n: int) -> list[str]:
        """Return fresh made-up names."""
        return [self.word() for _ in range(n)]

    def numbers(self, n: int, low: int, high: int) -> list[str]:
        """Return different numbers from *low* to *high*."""
        numbers: dict[str, None] = {}
        while len(numbers) < n:
            numbers[str(self.dice.between(low, high))] = None
        return list(numbers)

    def pieces(self, texts: Sequence[str], *, evidence: bool = True) -> tuple[Piece, ...]:
        """Give *texts* places of their own, in their order."""
        places = sorted(self.dice.below(_FINE) / _FINE for _ in texts)
        return tuple(Piece(text, at, evidence) for text, at in zip(texts, places, strict=True))

    def _place(self) -> int:
        self._next += 1
        if self._next >= OWN:
            raise ValueError(f"Sample {self.key} draws more than {OWN} values.")
        return self._next


def uuid(dice: Dice) -> str:
    """Return 128 random bits, written as such keys are."""
    text = f"{dice.below(1 << 64):016x}{dice.below(1 << 64):016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
