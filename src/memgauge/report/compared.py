"""What a comparison of two runs says in words, the same on the terminal and in the viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.scoring.compare import BETTER, NO_VERDICT, OPEN, WORSE
from memgauge.show.numbers import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.scoring.compare import Comparison, Difference


def p_value(value: float | None) -> str:
    """Write a p-value."""
    return "undefined" if value is None else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def around(low: float | None, high: float | None) -> str:
    """Write the interval of a difference, or nothing."""
    return "" if low is None or high is None else f"[{low:+.3f}, {high:+.3f}]"


def verdict_sentence(first: Difference, a: str, b: str) -> str:
    """Say what was shown of one measure."""
    shown = {
        BETTER: f"{b} is better than {a} on {first.measure}",
        WORSE: f"{b} is worse than {a} on {first.measure}",
        OPEN: f"{b} and {a} are not told apart on {first.measure}",
        NO_VERDICT: f"Nothing can be said of {b} beside {a} on {first.measure}, because {first.reason}",
    }.get(first.verdict, f"{b} and {a} are {first.verdict} on {first.measure}")
    ends = around(first.low, first.high)
    return f"{shown}: {first.difference:+.3f}{f' {ends}' if ends else ''} over {first.n:,} shared questions."


def notes(made: Comparison) -> Iterator[str]:
    """Yield what a reader has to know of tests, power and equality."""
    first = made.differences[0]
    if first.clusters < 2:
        yield f"No interval and no test: {first.reason}."
        return
    yield (
        f"Intervals and tests are over {plural(first.clusters, 'conversation')}, paired by question "
        f"({first.test}); p after Holm over {plural(len(made.differences), 'measure')}, intervals of each alone."
    )
    if first.minimum_detectable is None:
        yield f"What would have been seen is unknown: {first.reason}."
    else:
        yield (
            f"A true difference of {first.minimum_detectable:.3f} in {first.measure} would get a verdict with a "
            "chance of 80 %."
        )
    if made.margin is not None:
        yield f"Equal within {made.margin:g}: larger differences either way are rejected at 5 %, after Holm."
    elif any(difference.verdict == OPEN for difference in made.differences):
        yield "Not told apart is not equal: that is tested within a margin, as in --equivalent 0.02."
