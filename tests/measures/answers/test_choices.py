"""Measures of choices."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures import MEASURES
from memgauge.measures.answers.choices import UNSETTLED, ChoicesMade

PICKS = st.lists(st.none() | st.integers(0, 4), min_size=2, max_size=12)


def value(name: str, made: ChoicesMade) -> float | str:
    """Compute one measure of the registry."""
    computed: float | str = MEASURES.get(name).compute(made)
    return computed


@given(PICKS, st.integers(0, 4))
def test_shares_add_up_and_guessing_is_taken_off(picks: list[int | None], right: int) -> None:
    """Right, wrong and none are all there are; each wrong one takes a quarter from five options."""
    made = ChoicesMade(5, right, tuple(picks))
    hits, none = picks.count(right), picks.count(None)
    wrong = len(picks) - hits - none
    assert value("Choice", made) == pytest.approx(hits / len(picks))
    assert value("NoChoice", made) == pytest.approx(none / len(picks))
    assert value("Choice(corrected)", made) == pytest.approx(float(Fraction(4 * hits - wrong, 4 * len(picks))))


@pytest.mark.parametrize("options", [2, 3, 4, 10])
def test_whoever_takes_each_option_once_is_worth_nothing(options: int) -> None:
    """So is a reader that always names one letter, for each option stands there once; silence is worth as much."""
    for right in range(options):
        guessed = ChoicesMade(options, right, tuple(range(options)))
        assert value("Choice(corrected)", guessed) == pytest.approx(0)
    assert value("Choice(corrected)", ChoicesMade(options, 0, (None, None))) == 0


def test_the_same_option_is_the_same_whatever_its_letter() -> None:
    """A question without a choice at some showing says nothing of orders."""
    assert value("SameChoice", ChoicesMade(4, 0, (2, 2))) == 1
    assert value("SameChoice", ChoicesMade(4, 0, (2, 1))) == 0
    assert value("SameChoice", ChoicesMade(4, 0, (2, None))) == UNSETTLED


@pytest.mark.parametrize("name", ["Choice", "Choice(corrected)", "NoChoice", "SameChoice"])
def test_less_is_better_where_the_best_reader_has_less(name: str) -> None:
    """Whoever always chooses the right option is ahead of one who is wrong, undecided and says nothing."""
    measure, best = MEASURES.get(name), value(name, ChoicesMade(4, 1, (1, 1)))
    poor = (2, 3) if name == "SameChoice" else (2, None)
    assert (best < value(name, ChoicesMade(4, 1, poor))) == measure.lower  # type: ignore[operator]
    assert (measure.unit == "share") == (name != "Choice(corrected)")  # which falls below 0
