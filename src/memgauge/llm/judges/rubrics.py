"""Ways of judging: a prompt and the words that may be said."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.llm.forms import OneLabel

if TYPE_CHECKING:
    from collections.abc import Sequence


class Grade(StrEnum):
    """How an answer was judged beside a fact; every rubric shares the last three."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    INVALID = "invalid"
    """The judge did not say, or could not be understood: neither right nor wrong."""
    UNDECIDED = "undecided"
    """A panel came to no majority, or too few of its judges said anything."""
    CUT = "cut off"
    """The judge's reply was cut off before it ended, so that nothing in it counts."""


OPEN = frozenset({str(Grade.INVALID), str(Grade.UNDECIDED), str(Grade.CUT)})
"""Grades that decide nothing."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """One way of judging."""

    name: str
    prompt: str
    words: tuple[str, ...]
    """What a judge may say, best first; the grades are the same in lower case."""

    @property
    def grades(self) -> tuple[str, ...]:
        """Return the grades, best first."""
        return tuple(word.lower() for word in self.words)

    @property
    def form(self) -> OneLabel:
        """Return how a reply has to look."""
        return OneLabel(self.words)


FACT = Rubric("fact", "judge-fact", ("CORRECT", "INCORRECT"))
"""Whether an answer states the accepted fact."""
DECLINING = Rubric("declining", "judge-abstain", ("CORRECT", "INCORRECT"))
"""Whether an answer declines where nothing is known."""
OUTCOME = Rubric("outcome", "judge-outcome", ("CORRECT", "HALLUCINATION", "OMISSION"))
"""HaluMem's three outcomes of an answer."""
POINT = Rubric("point", "judge-point", ("FULL", "PARTLY", "MISSING"))
"""How far an answer meets one point of BEAM's rubric: 1, 0.5 or 0."""
CLAIM = Rubric("claim", "judge-claim", ("SUPPORTED", "UNSUPPORTED", "CONTRADICTED"))
"""Whether the memories that were shown bear out a claim."""
SUPPORT = Rubric("support", "judge-support", ("SUPPORTS", "PARTIAL", "NOT"))
"""Whether one memory holds what an answer needs."""

WHOLE = Rubric("whole", "judge-whole", ("WHOLE", "PART", "ABSENT"))
"""How far the memories of a session hold one point (HaluMem's integrity: 2, 1, 0)."""
TRUE = Rubric("true", "judge-true", ("TRUE", "PARTLY", "FALSE"))
"""Whether a memory is what its session said (HaluMem's accuracy: 2, 1, 0)."""
UPDATE = Rubric("update", "judge-update", ("CORRECT", "HALLUCINATION", "OMISSION", "OTHER"))
"""What became of an update among the memories that a search for it finds."""

BEARS = Rubric("bears", "judge-bears", ("BEARS", "LACKS"))
"""Whether a memory bears what one turn said."""


def place_of(events: int) -> Rubric:
    """Return the way of aligning one line of an answer with one of so many *events*."""
    return Rubric("place", "judge-place", (*map(str, range(1, events + 1)), "NONE"))


def decide(votes: Sequence[str], quorum: int = 1) -> str:
    """Return what more than half of the judges say that said anything, if they are at least *quorum*.

    A tie is no majority. Where nobody said anything, and somebody was cut off, that is why.
    """
    valid = [vote for vote in votes if vote not in OPEN]
    if len(valid) < max(quorum, 1):
        silent = Grade.CUT if Grade.CUT in votes else Grade.INVALID
        return Grade.UNDECIDED if valid else silent
    best = max(sorted(set(valid)), key=valid.count)
    return best if 2 * valid.count(best) > len(valid) else Grade.UNDECIDED
