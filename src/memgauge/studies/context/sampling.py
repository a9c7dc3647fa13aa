"""Adaptive sampling: calls go where the bound is undecided, and end where it is not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.stats.proportion import wilson
from memgauge.studies.context.effective import LEAST_BASE, OWN, Count, LengthRule, crossing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.context.effective import Length

BATCH = 25
STRICT = 0.998
"""Level of the intervals that may end a length early: so far beyond the last look's that looking often costs
nothing worth naming (Haybittle 1971, Peto et al. 1976)."""


@dataclass(frozen=True, slots=True)
class SampleBatch:
    """The samples to ask next."""

    length: int
    start: int
    stop: int


class Planner:
    """Says what to ask next for one task, from what was answered so far.

    The shortest length is asked in full, since it sets the threshold. Then length by length: in batches, until the
    interval lies wholly above or below the threshold, or *most* samples are asked. A length that fails ends it,
    since the lower bound looks no further; so does a base that measures nothing.
    """

    def __init__(self, lengths: Sequence[int], largest_n: int, batch: int = BATCH) -> None:
        self._lengths = tuple(lengths)
        self._most = largest_n
        self._batch = batch
        self._right = dict.fromkeys(self._lengths, 0)
        self._asked = dict.fromkeys(self._lengths, 0)
        self._answered = dict.fromkeys(self._lengths, 0)

    def next(self) -> SampleBatch | None:
        """Return what to ask next; ``None`` when all is decided."""
        for place, length in enumerate(self._lengths):
            n_asked = self._asked[length]
            if place == 0 and n_asked < self._most:
                return SampleBatch(length, n_asked, self._most)
            if place == 0 and self._count(length).rate < LEAST_BASE:
                return None
            verdict = self._passed(length, final=n_asked >= self._most)
            if verdict is None:
                return SampleBatch(length, n_asked, min(n_asked + self._batch, self._most))
            if not verdict:
                return None
        return None

    def add(self, length: int, right: int, n: int, failed: int = 0) -> None:
        """Take what came of a step: *right* of *n* answers, and *failed* calls without one."""
        self._right[length] += right
        self._answered[length] += n
        self._asked[length] += n + failed

    @property
    def threshold(self) -> float:
        """Return what every length has to reach."""
        return OWN * self._count(self._lengths[0]).rate

    @property
    def spent(self) -> int:
        """Return how many samples were asked."""
        return sum(self._asked.values())

    @property
    def saved(self) -> int:
        """Return how many a full grid would have asked beyond that."""
        return self._most * len(self._lengths) - self.spent

    def counts(self) -> tuple[Count, ...]:
        """Return what was answered, as far as anything was asked."""
        return tuple(self._count(length) for length in self._lengths if self._asked[length])

    def bound(self) -> Length:
        """Return the effective length by the lower bound, as it was decided."""
        passes = []
        for place, length in enumerate(self._lengths):
            stopped_early = place > 0 and self._asked[length] < self._most
            passes.append(bool(self._asked[length]) and bool(self._passed(length, final=not stopped_early)))
        counts = [Count(length, int(ok), 1) for length, ok in zip(self._lengths, passes, strict=True)]
        return replace(crossing(counts, 1.0, LengthRule.FIRST), rule=LengthRule.BOUND)

    def _passed(self, length: int, *, final: bool) -> bool | None:
        count = self._count(length)
        if final:
            return count.lower >= self.threshold
        strict = wilson(count.right, count.n, STRICT)
        if strict.low is not None and strict.low >= self.threshold:
            return True
        return False if strict.high is not None and strict.high < self.threshold else None

    def _count(self, length: int) -> Count:
        return Count(length, self._right[length], self._answered[length])
