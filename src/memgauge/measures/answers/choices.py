"""Measures of what a reader chose from the options of one question, shown several times in drawn orders."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    from collections.abc import Callable

    Value = float | str
    """A value, or why there is none."""

UNSETTLED = "no choice at some showing"


@dataclass(frozen=True)
class ChoicesMade:
    """What was chosen at each showing of one question."""

    options: int
    """How many there were."""
    right: int
    picks: tuple[int | None, ...]
    """The place of the chosen option in the dataset's order; ``None`` where the reply chose none."""


def _accuracy(made: ChoicesMade) -> Value:
    return fmean(pick == made.right for pick in made.picks)


def _corrected(made: ChoicesMade) -> Value:
    penalty = -1 / (made.options - 1)
    return fmean(0.0 if pick is None else 1.0 if pick == made.right else penalty for pick in made.picks)


def _silence(made: ChoicesMade) -> Value:
    return fmean(pick is None for pick in made.picks)


def _same(made: ChoicesMade) -> Value:
    return UNSETTLED if None in made.picks else float(len(set(made.picks)) == 1)


def _of_choices(
    compute: Callable[[ChoicesMade], Value],
    says: str,
    *,
    lower: bool = False,
    undefined: str = "no options",
    unit: str = "share",
) -> Formula:
    return Formula(
        compute, cutoff=None, reads=Reads.CHOICES, lower=lower, unit=unit, undefined=undefined, says=says
    )


ACCURACY = _of_choices(_accuracy, "Return the share of showings at which the right option was chosen.")
CORRECTED = _of_choices(
    _corrected,
    "Score 1 for the right option, -1 / (options - 1) for a wrong one, 0 for no choice: guessing is worth 0.",
    unit="above guessing",
)
NO_CHOICE = _of_choices(
    _silence, "Return the share of showings at which the reply named no option, or more than one.", lower=True
)
SAME = _of_choices(
    _same, "Score 1 where the same option was chosen in every order, whatever its letter.", undefined=UNSETTLED
)
