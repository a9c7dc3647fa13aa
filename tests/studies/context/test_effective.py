"""Effective context: a bound, and beside it what would have been published."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats.proportion import wilson
from memgauge.studies.context.effective import ABSOLUTE, OWN, Count, LengthRule, crossing, effective

GRID = (1_000, 2_000, 4_000, 8_000)


def counts(*rights: int, n: int = 100) -> list[Count]:
    """Answer so many of *n* rightly at each length."""
    return [Count(length, right, n) for length, right in zip(GRID, rights, strict=False)]


rates = st.lists(st.integers(0, 100), min_size=1, max_size=4).map(lambda rights: counts(*rights))


@given(rates, st.floats(0.01, 1))
def test_the_rules_are_ordered(found: list[Count], threshold: float) -> None:
    """The bound never claims more than the first crossing, and that never more than what is published."""
    bound, first, published = (crossing(found, threshold, rule).tokens or 0 for rule in LengthRule)
    assert bound <= first <= published


@given(rates, st.floats(0.01, 1))
def test_the_bound_holds_at_every_length_before(found: list[Count], threshold: float) -> None:
    """Up to the effective length every one-sided lower bound reaches the threshold, and at the next one not."""
    length = crossing(found, threshold, LengthRule.BOUND)
    passed = [count for count in found if count.length <= (length.tokens or 0)]
    assert all(count.lower >= threshold for count in passed)
    if len(passed) < len(found):
        assert found[len(passed)].lower < threshold
    assert length.beyond == (len(passed) == len(found))


@given(st.integers(1, 500), st.data())
def test_the_lower_bound_is_that_of_wilson(n: int, data: st.DataObject) -> None:
    """A one-sided 95 % bound is the lower end of the two-sided 90 % interval."""
    right = data.draw(st.integers(0, n))
    assert Count(1, right, n).lower == pytest.approx(wilson(right, n, 0.9).low or 0.0)
    assert Count(1, right, n).lower <= right / n + 1e-12


def test_the_three_rules_of_one_curve() -> None:
    """At 0.85 of the base: the bound at 1k, the first crossing at 2k, and 8k as published."""
    found = effective("kv", "recall", counts(100, 88, 80, 90))
    assert [str(length) for length in found.own] == ["1,000", "2,000", "≥8,000"]
    assert [length.rule for length in found.own] == list(LengthRule)
    assert (found.base, found.told, found.threshold) == (1.0, "1,000", ABSOLUTE)
    assert [str(length) for length in found.absolute] == ["1,000", "2,000", "≥8,000"]


def test_the_ends_of_the_grid_are_marked() -> None:
    """Where the longest length passes, only a lower limit is known; where none does, only an upper one."""
    assert str(crossing(counts(99, 99, 99, 99), 0.8, LengthRule.BOUND)) == "≥8,000"
    assert str(crossing(counts(10, 99, 99, 99), 0.8, LengthRule.FIRST)) == "<1,000"
    assert str(crossing(counts(10, 99, 9, 9), 0.8, LengthRule.PUBLISHED)) == "2,000"
    assert str(crossing(counts(99, 9), 0.8, LengthRule.PUBLISHED)) == "1,000"


def test_a_low_base_measures_nothing() -> None:
    """Below .6 at the shortest length, no length is claimed, and the reason is said."""
    found = effective("world", "multi-hop", counts(59, 59))
    assert (found.own, found.absolute, found.told) == ((), (), "not measurable")
    assert "0.59 at 1,000 tokens is below 0.6" in found.reason
    assert effective("world", "multi-hop", counts(60, 60)).own


def test_the_absolute_threshold_is_whoever_asks_for_it() -> None:
    """Beside the own base, any threshold can be asked for."""
    found = effective("kv", "recall", counts(100, 95, 80), absolute=0.92)
    assert [str(length) for length in found.absolute] == ["1,000", "2,000", "2,000"]
    assert OWN == 0.85


def test_no_answers_pass_nothing() -> None:
    """A length without answers has rate and bound 0."""
    assert (Count(1_000, 0, 0).rate, Count(1_000, 0, 0).lower) == (0.0, 0.0)
    assert str(crossing([Count(1_000, 9, 9), Count(2_000, 0, 0)], 0.5, LengthRule.BOUND)) == "1,000"
    assert Count(1_000, 90, 100).interval.high is not None
    assert all(first.length < second.length for first, second in pairwise(counts(1, 1, 1)))


def test_where_no_answer_came_nothing_is_measured() -> None:
    """Neither a base of 0 nor a length that fails: calls that failed say nothing of a model."""
    (nothing,) = counts(0, n=0)
    lost = effective("recall", "recall", [nothing])
    assert (lost.base, lost.told, lost.reason) == (None, "not measurable", "no answer came at 1,000 tokens")
    cut = effective("recall", "recall", [*counts(99, 98), Count(4_000, 0, 0), Count(8_000, 0, 0)])
    assert [str(length) for length in cut.own] == ["\u22652,000"] * len(LengthRule)
