"""How figures are written, the same on every surface; an undefined one is the word for it, never 0."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal, localcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

UNDEFINED: Final = "undefined"
ABSENT: Final = "n/a"


class Kind(StrEnum):
    """What the values of a column are, and so how they are written and aligned."""

    TEXT = "text"
    """A name, a word, a short fact."""
    PROSE = "prose"
    """Sentences, which may wrap."""
    NUMBER = "number"
    """A score: three digits."""
    SIGNED = "signed"
    """A difference: three digits and its sign."""
    COARSE = "coarse"
    """What is known to two digits: a correlation, an area."""
    COUNT = "count"
    SHARE = "share"
    """A part of a whole, as a percentage."""
    MILLISECONDS = "ms"


def written(value: int | float | None, kind: Kind) -> str:  # noqa: PYI041 - a count is written without digits
    """Write a number as *kind* says."""
    match kind:
        case Kind.SIGNED:
            return signed(value)
        case Kind.COARSE:
            return UNDEFINED if value is None else f"{value:.2f}"
        case Kind.SHARE:
            return percent(value)
        case Kind.MILLISECONDS:
            return milliseconds(value)
        case Kind.COUNT:
            return ABSENT if value is None else f"{value:,.0f}"
        case _:
            return f"{value:,}" if isinstance(value, int) else number(value)


def number(value: float | None) -> str:
    """Write a score with three digits."""
    return UNDEFINED if value is None else f"{value:.3f}"


def spelled(value: float, limit: float) -> str:
    """Write a value with three digits, and with more where it would look like the limit that it is not."""
    texts = (f"{value:.{digits}f}" for digits in range(3, 18))
    side = value > limit, value < limit
    return next((text for text in texts if (float(text) > limit, float(text) < limit) == side), number(value))


def signed(value: float | None) -> str:
    """Write a difference with three digits and its sign."""
    return UNDEFINED if value is None else f"{value:+.3f}"


def between(low: float | None, high: float | None, kind: Kind = Kind.NUMBER) -> str:
    """Write an interval in brackets, or nothing where there is none."""
    if low is None or high is None:
        return ""
    return f"[{written(low, kind)}, {written(high, kind)}]"


def milliseconds(value: float | None) -> str:
    """Write a duration with about three significant digits; what takes time is never 0.00."""
    if value is None:
        return ABSENT
    if 0 < value < 0.005:
        return "<0.01"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def in_bytes(n: int) -> str:
    """Write so many bytes in megabytes; less than a tenth of one in kilobytes."""
    return f"{n / 1e6:.1f} MB" if n >= 1e5 else f"{n / 1e3:.1f} kB"


def percent(share: float | None) -> str:
    """Write a share as a percentage with one digit."""
    return ABSENT if share is None else f"{share * 100:.1f} %"


def bound(share: float) -> str:
    """Write the most that a share may be as a percentage of two digits, rounded up: a bound is never nothing."""
    with localcontext(rounding=ROUND_CEILING) as context:
        context.prec = 2
        exact = +Decimal(repr(share * 100))
    return f"{exact.normalize():f} %"


def count(n: int) -> str:
    """Write a whole number with thousands separators."""
    return f"{n:,}"


def plural(n: int, noun: str) -> str:
    """Write a count with its noun."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """Join names as a sentence does."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
