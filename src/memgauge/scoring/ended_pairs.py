"""What two runs show within a budget that k leaves empty for one of them, or for both.

Whoever is cut could only gain by a larger k: where a list goes on, no measure within a budget falls, but one that
is held against an ideal of k ranks. So what is seen to the advantage of the one that is cut holds all the more,
and nothing else that is seen there is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memgauge.results import result
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.ended import ShortLists

if TYPE_CHECKING:
    from memgauge.scoring.compare import Difference

_FOR_A: Final = frozenset({Conclusion.WORSE, Conclusion.LOWER})
_FOR_B: Final = frozenset({Conclusion.BETTER, Conclusion.HIGHER})
"""What is seen to the advantage of either, of *b* beside *a*."""


@result
@dataclass(frozen=True)
class EndedPair:
    """Whose lists end at k before the budget of a measure is full, and what the memories that were kept show."""

    a: ShortLists | None
    b: ShortLists | None
    shown: Conclusion
    """Of what was kept; told of the budget too where it is the verdict."""
    of_k: bool = False
    """Whether the two were to keep different numbers of memories: then k is what is compared."""


def ended_pair(
    difference: Difference,
    a: ShortLists | None,
    b: ShortLists | None,
    *,
    grows: bool = True,
    of_k: bool = False,
) -> Difference:
    """Say of a difference what may be told of it where lists of *a*, or of *b*, end at k.

    How small a difference would have been seen is known of full lists alone.

    Args:
        difference: As it was tested.
        a: What the lists of the first leave empty.
        b: Of the second.
        grows: Whether a longer list can only raise its measure.
        of_k: Whether the two were to keep different numbers of memories.
    """
    if a is None and b is None:
        return difference
    shown = difference.verdict
    pair = EndedPair(a, b, shown, of_k)
    if of_k:
        return replace(difference, ended=pair)
    tellable = {Conclusion.NONE}
    if grows:
        tellable |= (_FOR_A if b is None else set()) | (_FOR_B if a is None else set())
    verdict = shown if shown in tellable else Conclusion.CUT
    return replace(difference, verdict=verdict, minimum_detectable=None, ended=pair)
