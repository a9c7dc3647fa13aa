"""Sets: how much of what belongs together came back together, and how much that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    from collections.abc import Hashable
    from collections.abc import Set as AbstractSet


def f1_of_sets(returned: AbstractSet[Hashable], wanted: AbstractSet[Hashable]) -> float | None:
    """Return the harmonic mean of precision and recall of a set; undefined where nothing is wanted."""
    if not wanted:
        return None
    return 2 * len(returned & wanted) / (len(returned) + len(wanted))


def answerability_f1(silent: int, silent_rightly: int, unanswerable: int) -> float | None:
    """Return F1 of staying silent: of *silent* replies so many rightly, of so many *unanswerable* questions.

    Undefined without an unanswerable question.
    """
    if not unanswerable:
        return None
    return 2 * silent_rightly / (silent + unanswerable)


ANSWERABILITY_F1 = Formula(
    answerability_f1, cutoff=None, reads=Reads.HANDED, undefined="every question has an answer"
)
