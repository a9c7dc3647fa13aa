"""Outcomes, verdicts and denominators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Denominator, Outcome, Verdict

COUNTS = st.integers(min_value=0, max_value=10_000)
REASONS = st.dictionaries(st.text(min_size=1, max_size=20), COUNTS, max_size=5)


def test_outcomes_are_a_closed_set() -> None:
    """A question ends in exactly one of six ways; one that was recorded elsewhere may have been given up."""
    played = ["ok", "empty", "error", "timeout", "unsupported", "excluded"]
    assert [o.value for o in Outcome] == [*played, "cancelled"]


def test_verdicts_are_a_closed_set() -> None:
    """A check ends in exactly one of six ways."""
    assert [v.value for v in Verdict] == ["pass", "fail", "vacuous", "unsupported", "error", "flaky"]


@pytest.mark.parametrize("outcome", Outcome)
def test_only_an_answer_is_valid(outcome: Outcome) -> None:
    """An answer counts even when it is empty; a failure never counts as one."""
    assert outcome.valid == (outcome.value in {"ok", "empty"})


@given(scored=COUNTS, excluded=REASONS)
def test_a_denominator_that_adds_up_is_accepted(scored: int, excluded: dict[str, int]) -> None:
    """Scored and excluded together are the total."""
    total = scored + sum(excluded.values())
    assert Denominator(total, scored, excluded).total == total


@given(scored=COUNTS, excluded=REASONS, off=st.integers().filter(bool))
def test_a_denominator_that_does_not_add_up_is_refused(scored: int, excluded: dict[str, int], off: int) -> None:
    """No question can vanish or count twice."""
    total = scored + sum(excluded.values())
    with pytest.raises(ValueError, match="must add up"):
        Denominator(total + off, scored, excluded)


def test_a_denominator_reads_as_scored_of_total_with_reasons() -> None:
    """Its text names who is missing and why, in the order of the reasons."""
    assert str(Denominator(10, 7, {"timeout": 1, "no evidence": 2})) == "7/10 (2 no evidence, 1 timeout)"


def test_a_full_denominator_needs_no_reasons() -> None:
    """Nothing excluded, nothing to explain."""
    assert str(Denominator(3, 3)) == "3/3"
