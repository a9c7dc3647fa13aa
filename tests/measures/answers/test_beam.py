"""BEAM's arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.answers.beam import event_order, rubric_score, rubric_score_as_published
from support import Later

scipy = Later("scipy.stats")


def test_halves_count_and_are_lost_as_published() -> None:
    """Three items, 1, 0.5 and 0: one half, or a third as the benchmark has it."""
    assert rubric_score([1, 0.5, 0]) == pytest.approx(0.5)
    assert rubric_score_as_published([1, 0.5, 0]) == pytest.approx(1 / 3)
    for wrong in ([], [0.7], [1, 0.7]):
        with pytest.raises(ValueError, match="Rubric items are"):
            rubric_score(wrong)


@given(st.permutations("abcdef"), st.integers(1, 6))
def test_the_order_is_kendalls_tau_b(said: list[str], named: int) -> None:
    """What is left out ties at the end; scipy agrees."""
    wanted = list("abcdef")
    places = [said[:named].index(event) if event in said[:named] else named for event in wanted]
    theirs = scipy.kendalltau(range(6), places).statistic
    ours = event_order([*said[:named], "elsewhere", said[0]], wanted).value
    assert ours == pytest.approx(theirs)


def test_a_reply_without_events_is_undefined() -> None:
    """There is nothing to order."""
    assert event_order(["x"], ["a", "b"]).reason == "the reply names none of the events"
