"""What a comparison may conclude: a closed vocabulary, and the rule that no word contradicts its interval."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LEVEL: Final = 0.05
DIGITS: Final = 6
"""After the point, to which differences are told from 0: as many as data for programs has."""


class Conclusion(StrEnum):
    """Everything that is said of a difference between two systems on one measure."""

    BETTER = "better"
    WORSE = "worse"
    HIGHER = "higher, not confirmed after correction"
    LOWER = "lower, not confirmed after correction"
    OPEN = "cannot be told apart"
    EQUAL = "equal within the margin"
    SAME = "the same on every question"
    CUT = "not told: lists end at k"
    NONE = "no verdict"

    @property
    def confirmed(self) -> bool:
        """Whether a difference was shown, after correction."""
        return self in {Conclusion.BETTER, Conclusion.WORSE}

    @property
    def suspected(self) -> bool:
        """Whether this measure alone shows a difference, which correction for the others does not confirm."""
        return self in {Conclusion.HIGHER, Conclusion.LOWER}

    @property
    def turned(self) -> Conclusion:
        """Return what it is called where less is better; which value is higher does not depend on that."""
        return {Conclusion.BETTER: Conclusion.WORSE, Conclusion.WORSE: Conclusion.BETTER}.get(self, self)


@dataclass(frozen=True)
class ComputedDifference:
    """What was computed of one difference, as it is printed."""

    difference: float
    low: float | None
    high: float | None
    """95 % interval of this difference alone; ``None`` where there is none."""
    p: float | None
    p_adjusted: float | None
    """After correction for the measures compared; never below *p*."""
    margin: float | None = None
    p_equal: float | None = None
    """Of lying outside of the margin, after correction."""

    @property
    def bounded(self) -> bool:
        """Whether there is an interval."""
        return self.low is not None and self.high is not None

    @property
    def beyond(self) -> bool:
        """Whether the interval, where there is one, lies on one side of 0 with the difference, to six digits."""
        ends = [round(end, DIGITS) for end in (self.difference, self.low, self.high) if end is not None]
        return min(ends) > 0 or max(ends) < 0

    @property
    def within(self) -> bool:
        """Whether difference and interval lie within the margin."""
        margin = self.margin or 0.0
        return all(abs(end) <= margin for end in (self.difference, self.low, self.high) if end is not None)


def conclude(computed: ComputedDifference, *, same: bool = False) -> Conclusion:
    """Say what was shown of a difference of which more is better.

    Better, worse and equal need the corrected test and the interval that is printed beside them; an interval that
    leaves out 0 is never called undecided.

    Args:
        computed: What was computed.
        same: Both have the same value on every question.
    """
    if computed.margin is not None and _rejected(computed.p_equal) and computed.within:
        return Conclusion.EQUAL
    if same:
        return Conclusion.SAME
    upwards = computed.difference > 0
    if computed.beyond and _rejected(computed.p_adjusted):
        return Conclusion.BETTER if upwards else Conclusion.WORSE
    if computed.beyond and (computed.bounded or _rejected(computed.p)):
        return Conclusion.HIGHER if upwards else Conclusion.LOWER
    return Conclusion.OPEN


def _rejected(p: float | None) -> bool:
    return p is not None and p < LEVEL
