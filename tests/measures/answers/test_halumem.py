"""HaluMem's arithmetic."""

from __future__ import annotations

from statistics import harmonic_mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.answers.halumem import (
    HaluMemLabel,
    UpdatePoint,
    accuracy,
    answers,
    extraction_f1,
    integrity,
    interference_resistance,
    updates,
    updates_as_published,
)

POINTS = (
    UpdatePoint(3, HaluMemLabel.CORRECT),
    UpdatePoint(2, HaluMemLabel.HALLUCINATION),
    UpdatePoint(0, None),
    UpdatePoint(0, None),
    UpdatePoint(1, None),
)


def test_returning_nothing_is_an_omission_and_no_way_out() -> None:
    """Five points, two judged, two without any memory: 1 of 4 correct, or 1 of 2 as published."""
    ours, theirs = updates(POINTS), updates_as_published(POINTS)
    assert (ours.rates[HaluMemLabel.CORRECT], ours.rates[HaluMemLabel.OMISSION]) == (0.25, 0.5)
    assert str(ours.denominator) == "4/5 (1 not judged)"
    assert (theirs.rates[HaluMemLabel.CORRECT], theirs.rates[HaluMemLabel.OMISSION]) == (0.5, 0.0)
    assert str(theirs.denominator) == "2/5 (1 not judged, 2 nothing returned)"


def test_answers_have_the_rate_of_every_label() -> None:
    """Shares of what was judged; nothing judged is undefined."""
    found = answers(
        [HaluMemLabel.CORRECT, HaluMemLabel.OMISSION, HaluMemLabel.OMISSION, HaluMemLabel.HALLUCINATION]
    )
    assert found.rates == {
        HaluMemLabel.CORRECT: 0.25,
        HaluMemLabel.HALLUCINATION: 0.25,
        HaluMemLabel.OMISSION: 0.5,
        HaluMemLabel.OTHER: 0.0,
    }
    assert set(answers([]).rates.values()) == {None}


def test_only_whole_points_count_and_importance_weighs() -> None:
    """A half-extracted point is not extracted."""
    assert integrity([2, 1, 0, 2]) == 0.5
    assert integrity([2, 1], [0.75, 0.25]) == pytest.approx(0.75)
    assert integrity([]) is None
    with pytest.raises(ValueError, match="shorter"):
        integrity([2, 1], [1.0])


def test_extraction_is_integrity_and_accuracy() -> None:
    """The harmonic mean of both, 0 where both are, undefined where one is."""
    assert accuracy([2, 2, 1, 0]) == 0.5
    assert accuracy([]) is None
    assert extraction_f1(None, 1.0) is extraction_f1(1.0, None) is None


@given(st.floats(0, 1), st.floats(0, 1))
def test_f1_is_pythons_harmonic_mean(recall: float, precision: float) -> None:
    """At every pair of shares, equal ones and zeros among them."""
    for pair in ((recall, precision), (recall, recall), (0.0, 0.0)):
        assert extraction_f1(*pair) == pytest.approx(harmonic_mean(pair), abs=1e-12)


def test_an_empty_memory_resists_nothing() -> None:
    """Traps are resisted by leaving them out of what was extracted, not by extracting nothing."""
    assert interference_resistance([0, 0, 2, 1], extracted=9) == 0.5
    assert interference_resistance([0, 0], extracted=0) is None
    assert interference_resistance([], extracted=3) is None
