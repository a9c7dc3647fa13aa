"""Shares and their intervals."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats.proportion import wilson
from memgauge.studies.attribution.share import ONE_SLOT, clustered, rate, undefined


def test_what_cannot_be_counted_is_left_out_and_named() -> None:
    """It is in no denominator."""
    found = rate([(True, "bank"), (None, "bank"), (False, "bank"), (True, "employer")])
    assert (found.hits, found.share.n, found.failed) == (2, 3, 1)
    assert found.share.mean == wilson(2, 3).mean


def test_nothing_is_undefined_with_the_reason() -> None:
    """Never 0."""
    assert clustered([], "why", 3) == undefined("why", 3)
    assert undefined("why").share.mean is None


@given(st.integers(2, 30), st.integers(1, 6), st.integers(0, 6))
def test_slots_that_are_all_alike_are_no_certainty(slots: int, rows: int, hits: int) -> None:
    """Equal slots have no spread; the interval is over as many of them and holds the share."""
    made = [(place < hits, f"slot {number}") for number in range(slots) for place in range(rows)]
    share = clustered(made, "").share
    assert share.low is not None
    assert share.high is not None
    assert share.mean is not None
    assert share.low - 1e-12 <= share.mean <= share.high + 1e-12
    assert share.low < share.high
    assert share.n == slots * rows


def test_questions_on_one_slot_are_no_independent_witnesses() -> None:
    """Ten rows of each of four slots are worth four."""
    rows = [(slot % 2 == 0, f"slot {slot}") for slot in range(4) for _ in range(10)]
    for wide in (clustered(rows, "").share, rate(rows).share):
        assert wide.low is not None
        assert wide.low < (wilson(20, 40).low or 0)


@pytest.mark.parametrize(("share", "each"), [(0.7, 4), (0.9, 4), (0.7, 40)])
def test_what_depends_on_the_slot_lies_in_19_of_20_intervals(share: float, each: int) -> None:
    """However many questions are asked on each of twelve; over four questions each 63 of 100 intervals held it."""
    dice, samples, held = Random(1), 1_000, 0  # noqa: S311 - a simulation
    for _ in range(samples):
        rows = [(hit, f"slot {slot}") for slot in range(12) for hit in [dice.random() < share] * each]
        found = rate(rows).share
        assert found.low is not None
        assert found.high is not None
        held += found.low <= share <= found.high
    assert held / samples > 0.93


def test_one_slot_with_nearly_all_questions_has_no_interval() -> None:
    """With the reason in words of the study."""
    found = rate([(place % 2 == 0, "bank") for place in range(50)] + [(True, "employer")])
    assert (found.share.low, found.share.reason) == (None, ONE_SLOT)


def test_one_slot_says_nothing_of_others() -> None:
    """However many of its questions were asked."""
    share = clustered([(place < 12, "slot") for place in range(24)], "").share
    assert (share.mean, share.low, share.high) == (0.5, None, None)
    assert "one slot" in share.reason
