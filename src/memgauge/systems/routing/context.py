"""What a router can know when a question comes: only what it has heard itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

QUERY_BINS = (6, 11)
"""Words up to which a question is short, or middling."""
POSITION_BINS = (10, 20)
"""Turns of the running session up to which it is young, or middling."""


class ShiftSigns(NamedTuple):
    """The four signs of ShiftBench (its table 3), as far as a memory can see them."""

    boundary: bool
    """No question has been asked in the running session yet."""
    interrupted: bool
    """Something that belongs to no session was heard since the last question."""
    query: int
    """Bin of the number of words of the question."""
    position: int
    """Bin of the number of turns heard in the running session."""


@dataclass
class Hearing:
    """What was heard so far, as sessions alone; an empty session is none."""

    session: str = ""
    turns: int = 0
    asked: bool = False
    strange: bool = False

    def hear(self, sessions: Sequence[str]) -> None:
        """Hear turns of these sessions."""
        for session in sessions:
            if not session:
                self.strange = True
            elif session == self.session:
                self.turns += 1
            else:
                self.session, self.turns, self.asked = session, 1, False

    def ask(self, question: str) -> ShiftSigns:
        """Return the context of a question, and note that it was asked."""
        context = ShiftSigns(
            boundary=not self.asked,
            interrupted=self.strange,
            query=_bin(len(tokenize(question)), QUERY_BINS),
            position=_bin(self.turns, POSITION_BINS),
        )
        self.asked, self.strange = True, False
        return context


def _bin(value: int, borders: tuple[int, ...]) -> int:
    return sum(value > border for border in borders)
