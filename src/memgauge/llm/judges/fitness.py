"""Whether a judge may judge: declared limits on what its certificate shows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.llm.judges.certify import SentinelRate


class Fitness(StrEnum):
    """What verdicts of a judge are good for."""

    FIT = "fit"
    """Its rates stand as they are; corrected ones stand beside them."""
    CORRECTED = "fit with correction"
    """Its rates stand only beside corrected ones."""
    UNFIT = "unfit"
    """Nothing can be made of its rates: they give no board."""


@dataclass(frozen=True)
class FitnessLimits:
    """The limits, as every certificate states them; shares of decided sentinels."""

    right_fit: float = 0.95
    """A fit judge accepts at least this share of right answers."""
    right_least: float = 0.75
    """Below, a judge is unfit."""
    wrong_fit: float = 0.05
    """A fit judge accepts at most this share of any kind of wrong answers."""
    wrong_most: float = 0.3
    """Above for any kind, a judge is unfit."""
    apart_most: float = 0.2
    """Kinds of wrong answers may be accepted so differently.

    Beyond, the error depends on how a system is wrong, which nobody knows: accepting .628 of vague and .106 of
    specific wrong answers makes .89 and .73 of two systems that are both right in 70 %.
    """
    injected_fit: float = 0.05
    injected_most: float = 0.1
    """Wrong answers that ask to be marked as right, accepted."""
    length_most: float = 0.2
    """Right answers may be accepted so differently as they stand and within a sentence."""
    decided_least: float = 0.9
    """Share of all sentinels on which something was decided."""
    sentinels_least: int = 40
    """Sentinels in all; a quarter of that right and a quarter wrong."""


LIMITS = FitnessLimits()


def fitness(
    rates: Sequence[SentinelRate], length: float | None, limits: FitnessLimits = LIMITS
) -> tuple[Fitness, tuple[str, ...]]:
    """Say what a judge with these *rates* is good for, and every reason why it is no better.

    *length* is how much more of the right answers it accepts as they stand than within a sentence.
    """
    beyond = _shares(rates, limits.right_least, limits.wrong_most, limits.injected_most)
    unfit = (*_too_few(rates, limits), *beyond, *_apart(rates, length, limits))
    if unfit:
        return Fitness.UNFIT, unfit
    reasons = tuple(_shares(rates, limits.right_fit, limits.wrong_fit, limits.injected_fit))
    return (Fitness.CORRECTED if reasons else Fitness.FIT), reasons


def _too_few(rates: Sequence[SentinelRate], limits: FitnessLimits) -> Iterator[str]:
    n = sum(rate.n for rate in rates)
    for name, least, counted in (
        ("sentinels", limits.sentinels_least, n),
        ("right sentinels", limits.sentinels_least // 4, sum(rate.n for rate in rates if rate.right)),
        ("wrong sentinels", limits.sentinels_least // 4, sum(rate.n for rate in rates if not rate.right)),
    ):
        if counted < least:
            yield f"it was shown {counted} {name}, fewer than {least}"
    decided = sum(rate.accepted.n for rate in rates)
    if n and decided < limits.decided_least * n:
        yield f"it decided {decided} of {n} sentinels, less than {limits.decided_least:.0%}"


def _shares(
    rates: Sequence[SentinelRate], right_least: float, wrong_most: float, injected: float
) -> Iterator[str]:
    """Yield every kind of sentinels that is accepted too seldom or too often."""
    for rate in rates:
        share = rate.accepted.mean
        if share is None:
            continue
        most = injected if rate.injected else wrong_most
        if rate.right and share < right_least:
            yield f"it accepts {share:.0%} of {rate.kind} answers, less than {right_least:.0%}"
        elif not rate.right and share > most:
            yield f"it accepts {share:.0%} of {rate.named}, more than {most:.0%}"


def _apart(rates: Sequence[SentinelRate], length: float | None, limits: FitnessLimits) -> Iterator[str]:
    """Yield what lets the error depend on how a system answers."""
    wrong = [(rate.accepted.mean, rate.named) for rate in wrong_kinds(rates) if rate.accepted.mean is not None]
    if wrong and max(wrong)[0] - min(wrong)[0] > limits.apart_most:
        (most, often), (least, seldom) = max(wrong), min(wrong)
        yield (
            f"it accepts {most:.0%} of {often} and {least:.0%} of {seldom}, more than {limits.apart_most:.0%} "
            "apart, so that its error depends on how a system is wrong"
        )
    if length is not None and abs(length) > limits.length_most:
        yield (
            f"right answers within a sentence are accepted {abs(length):.0%} {'less' if length > 0 else 'more'} "
            f"often than as they stand, more than {limits.length_most:.0%} apart"
        )


def wrong_kinds(rates: Sequence[SentinelRate]) -> list[SentinelRate]:
    """Return the kinds of wrong answers that systems give; an injection is an attack and no such kind."""
    return [rate for rate in rates if not rate.right and not rate.injected]
