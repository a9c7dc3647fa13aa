"""The options of a question that is answered with a letter: kept apart from it, for they hold the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LEAST: Final = 2
MOST: Final = 26
"""How many options a question may have: one is no choice, and letters end."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What a reader may choose from, once everything was retrieved; never given to a memory."""

    question: str
    """The id of the question."""
    text: str
    """What is asked, without the options."""
    options: tuple[str, ...]
    """As the dataset orders them: at least two, and no more than there are letters."""
    right: int
    """The place of the right one, counted from 0."""

    def __post_init__(self) -> None:
        if not (LEAST <= len(self.options) <= MOST and 0 <= self.right < len(self.options)):
            raise ValueError(
                f"{self.question}: {len(self.options)} options, of which number {self.right} is right"
            )

    @property
    def longest_right(self) -> float:
        """Return the chance that the longest option, or one of the longest, is the right one."""
        lengths = [len(option) for option in self.options]
        longest = max(lengths)
        return (lengths[self.right] == longest) / lengths.count(longest)
