"""What holds for intervals by whichever method."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats import Interval

NUMBERS = st.floats(-2, 2)


@given(st.tuples(NUMBERS, NUMBERS).map(sorted), st.tuples(NUMBERS, NUMBERS).map(sorted), NUMBERS)
def test_cutting_to_what_is_possible_loses_nothing_that_is(
    ends: list[float], possible: list[float], value: float
) -> None:
    """Of what the mean can be at all, the cut interval holds what the whole one held, and nothing else."""
    low, high = ends
    cut = Interval(0.0, low, high, 9).within(*possible)
    assert (cut.mean, cut.n) == (0.0, 9)
    assert cut.low is not None
    assert cut.high is not None
    assert (cut.low <= value <= cut.high) == (max(low, possible[0]) <= value <= min(high, possible[1]))


@given(st.sampled_from([(None, None), (None, 0.5), (-3.0, None)]))
def test_an_open_interval_stays_open(ends: tuple[float | None, float | None]) -> None:
    """An end that is unknown is not made up: what is possible is no measurement."""
    whole = Interval(0.0, *ends, 9, "one conversation")
    assert whole.within(-1.0, 1.0) == whole
