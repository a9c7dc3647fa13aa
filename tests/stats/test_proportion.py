"""Rates that were counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats import Interval
from memgauge.stats.proportion import wilson
from support import Later

proportion = Later("statsmodels.stats.proportion")


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_that_of_an_independent_implementation(counted: tuple[int, int]) -> None:
    """At every rate, 0 and 1 included."""
    found = wilson(*counted)
    low, high = proportion.proportion_confint(*counted, method="wilson")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
    assert found.mean == counted[0] / counted[1]


def test_nothing_counted_is_undefined() -> None:
    """Without a case there is no rate, and more successes than cases are refused."""
    assert wilson(0, 0) == Interval(None, None, None, 0, "nothing was counted")
    with pytest.raises(ValueError, match="no rate"):
        wilson(3, 2)
