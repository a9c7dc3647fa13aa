"""Budgets of tokens that lists do not reach, because the harness keeps no more than k memories of a search."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.measures.measure import BUDGETS
from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from memgauge.measures import Measure
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.score import Settings
    from memgauge.scoring.spending import Spending

OFTEN: Final = 0.1
"""The share of lists that end at k before a budget, from which on it is said."""
EMPTY: Final = 0.05
"""The share of a budget that lists which end at k leave empty, from which on it is k that is seen, not the memory.

Not a share of lists: half of them may end at k a few tokens before the budget, and lack nothing. A twentieth of
the tokens is worth less than the interval of a board of ten conversations.
"""
SPARE: Final = 1.5
"""How many times as many memories as fill a budget on average are asked for, since lists differ in length."""


@result
@dataclass(frozen=True)
class ShortLists:
    """Lists of one run that end at k, and leave budgets of a measure too empty."""

    k: int
    before: int
    """The first such budget, in tokens."""
    enough: int
    """A k that would fill them all."""

    @classmethod
    def over_seeds(cls, runs: Iterable[ShortLists | None]) -> ShortLists | None:
        """Return what is to be said of the mean over runs: as much as of the worst of them."""
        short = [each for each in runs if each is not None]
        if not short:
            return None
        return cls(min(e.k for e in short), min(e.before for e in short), max(e.enough for e in short))


@dataclass(frozen=True)
class ListEnds:
    """How lists of one run end at k, by budget of tokens."""

    k: int
    shares: Mapping[int, float]
    """Of the lists, those that end at k before the budget."""
    short_of: Mapping[int, int]
    """The budgets that k leaves too empty, each with a k that would do."""

    def short_within(self, budgets: Collection[int]) -> ShortLists | None:
        """Say of some budgets which is left too empty; ``None`` where none is."""
        short = self.short_of.keys() & set(budgets)
        if not short:
            return None
        return ShortLists(self.k, min(short), max(self.short_of[budget] for budget in short))

    def notes(self) -> Iterator[str]:
        """Say how often lists end, where it is often and leaves little empty."""
        often = [budget for budget, share in self.shares.items() if share >= OFTEN and budget not in self.short_of]
        if often:
            reached = f"at k={self.k} before {max(often):,} tokens"
            yield f"{self.shares[max(often)]:.0%} of its lists end {reached}; run it with a larger --k"


def budgets_of(settings: Settings) -> tuple[int, ...]:
    """Return every budget that a board shows something of."""
    asked = (budget for measure in settings.parsed for budget in measure.budgets)
    return tuple(sorted({*BUDGETS, *asked}))


def list_ends(spending: Spending, budgets: Collection[int]) -> ListEnds:
    """Say for every budget how often the harness's own k ended lists before it was full."""
    ended = {budget: each for budget in budgets if (each := spending.ended(budget)) is not None}
    tokens = spending.lengths.tokens
    known = tokens[~np.isnan(tokens)]
    mean = float(known.mean()) if len(known) else 0.0
    return ListEnds(
        spending.kept,
        {budget: each.at_k for budget, each in ended.items()},
        {budget: _filling(budget, mean) for budget, each in ended.items() if each.empty > EMPTY and mean},
    )


def short_lists(judged: JudgedRun, measures: Iterable[Measure]) -> dict[str, ShortLists]:
    """Name the measures within budgets that k leaves too empty: a longer list could only find more of them."""
    budgeted = [measure for measure in measures if measure.budgets]
    if not budgeted:
        return {}
    ends = list_ends(judged.spending, {budget for measure in budgeted for budget in measure.budgets})
    short = ((str(measure), ends.short_within(measure.budgets)) for measure in budgeted)
    return {name: each for name, each in short if each is not None}


def _filling(budget: int, mean: float) -> int:
    """Return how many memories of *mean* tokens fill a budget with some to spare, in two digits."""
    wanted = SPARE * budget / mean
    step = int(10 ** max(int(log10(wanted)) - 1, 0))
    return ceil(wanted / step) * step
