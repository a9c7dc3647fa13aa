"""Effective context: the largest length up to which a model stays good enough, as a bound and as published."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.stats.proportion import wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.stats.intervals import Interval

OWN = 0.85
"""Share of its own base accuracy that a model has to keep (NoLiMa, Modarressi et al. 2025)."""
ABSOLUTE = 0.856
"""What Llama-2-7B has at 4K, as RULER's threshold (Hsieh et al. 2024)."""
LEAST_BASE = 0.6
"""Below it, nothing says whether length or the task itself is too hard."""
ONE_SIDED = 0.9
"""Level of a two-sided interval whose lower end is a one-sided 95 % bound."""


class LengthRule(StrEnum):
    """How a length is found."""

    BOUND = "lower bound"
    """The largest length up to which every lower bound reaches the threshold."""
    FIRST = "first crossing"
    """The largest length up to which every rate reaches it."""
    PUBLISHED = "as published"
    """The largest length whose rate reaches it, whatever comes before."""


@result
@dataclass(frozen=True, slots=True)
class Count:
    """How many answers were right at one length."""

    length: int
    right: int
    n: int

    @property
    def rate(self) -> float:
        """Return the share of right answers."""
        return self.right / self.n if self.n else 0.0

    @property
    def interval(self) -> Interval:
        """Return the rate with its two-sided 95 % interval."""
        return wilson(self.right, self.n)

    @property
    def lower(self) -> float:
        """Return the one-sided 95 % lower bound."""
        return wilson(self.right, self.n, ONE_SIDED).low or 0.0


@result
@dataclass(frozen=True, slots=True)
class Length:
    """An effective length, or on which side of the grid it lies."""

    rule: LengthRule
    tokens: int | None
    """``None`` where not even the shortest length passes."""
    beyond: bool
    """Whether the longest length passes, so that only a lower limit is known."""
    shortest: int

    def __str__(self) -> str:
        if self.tokens is None:
            return f"<{self.shortest:,}"
        return f"{'≥' if self.beyond else ''}{self.tokens:,}"


@result
@dataclass(frozen=True)
class Effective:
    """The effective context of one task."""

    task: str
    type: str
    counts: tuple[Count, ...]
    base: float | None
    """Accuracy at the shortest length; ``None`` where no answer came there."""
    own: tuple[Length, ...] = ()
    """By rule, at 0.85 of the base, the lower bound first; empty where nothing can be measured."""
    absolute: tuple[Length, ...] = ()
    """By rule, at the absolute threshold; empty where too little was asked to say."""
    threshold: float = ABSOLUTE
    reason: str = ""

    @property
    def told(self) -> str:
        """Return the length to go by: the lower bound at the own threshold."""
        return str(self.own[0]) if self.own else "not measurable"


def effective(task: str, kind: str, counts: Sequence[Count], absolute: float = ABSOLUTE) -> Effective:
    """Apply every rule to *counts*, which ascend in length and begin with the base, up to where no answer came."""
    measured = tuple(takewhile(lambda count: count.n, counts))
    if not measured:
        reason = f"no answer came at {counts[0].length:,} tokens"
        return Effective(task, kind, tuple(counts), None, threshold=absolute, reason=reason)
    base = measured[0].rate
    if base < LEAST_BASE:
        reason = f"base accuracy {base:.2f} at {counts[0].length:,} tokens is below {LEAST_BASE}"
        return Effective(task, kind, tuple(counts), base, threshold=absolute, reason=reason)
    return Effective(
        task,
        kind,
        tuple(counts),
        base,
        tuple(crossing(measured, OWN * base, rule) for rule in LengthRule),
        tuple(crossing(measured, absolute, rule) for rule in LengthRule),
        absolute,
    )


def crossing(counts: Sequence[Count], threshold: float, rule: LengthRule) -> Length:
    """Find the effective length under one rule."""
    passes = [_VALUES[rule](count) >= threshold for count in counts]
    if rule is LengthRule.PUBLISHED:
        last_place = max((place for place, ok in enumerate(passes) if ok), default=-1)
    else:
        last_place = next((place for place, ok in enumerate(passes) if not ok), len(passes)) - 1
    tokens = counts[last_place].length if last_place >= 0 else None
    return Length(rule, tokens, last_place == len(counts) - 1, counts[0].length)


_VALUES: dict[LengthRule, Callable[[Count], float]] = {
    LengthRule.BOUND: lambda count: count.lower,
    LengthRule.FIRST: lambda count: count.rate,
    LengthRule.PUBLISHED: lambda count: count.rate,
}
