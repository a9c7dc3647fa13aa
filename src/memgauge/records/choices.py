"""The options of a question that is answered with a letter: kept apart from it, for they hold the answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choices:
    """What a reader may choose from, once everything was retrieved; never given to a memory."""

    question: str
    """The id of the question."""
    text: str
    """What is asked, without the options."""
    options: tuple[str, ...]
    """As the dataset orders them: at least two."""
    right: int
    """The place of the right one, counted from 0."""

    def __post_init__(self) -> None:
        if len(self.options) < 2 or not 0 <= self.right < len(self.options):
            raise ValueError(
                f"{self.question}: {len(self.options)} options, of which number {self.right} is right"
            )

    @property
    def longest_right(self) -> float:
        """Return the chance that the longest option, or one of the longest, is the right one."""
        lengths = [len(option) for option in self.options]
        longest = max(lengths)
        return (lengths[self.right] == longest) / lengths.count(longest)
