"""Recovery after a shift, from hits in segments."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.recovery import curve, deficit, pooled, recovery, recovery_by_segment, time_to_recover

HITS = np.array([True, False, True, True, False, False, True])
POST = np.array([False, True, True, True, True, True, True])
ORDER = np.array([1, 1, 2, 3, 1, 2, 3], dtype=np.int32)
SEGMENT = np.array([0, 1, 1, 1, 2, 2, 2], dtype=np.int32)


def test_recovery_pools_the_first_questions_of_every_segment() -> None:
    """Questions before any boundary, and later ones of a segment, do not count."""
    assert pooled(POST, ORDER, 2).tolist() == [False, True, True, False, True, True, False]
    assert recovery(HITS, POST, ORDER, 2) == 0.25
    assert recovery(HITS, POST, ORDER, 3) == 0.5
    assert recovery(HITS, ~np.ones(7, dtype=bool), ORDER, 3) is None


def test_each_segment_counts_the_same_when_averaged_by_segment() -> None:
    """A long segment does not outweigh a short one."""
    post = POST & (np.arange(7) != 6)
    assert recovery(HITS, post, ORDER, 3) == 0.4
    assert recovery_by_segment(HITS, post, ORDER, SEGMENT, 3) == (2 / 3 + 0) / 2
    assert recovery_by_segment(HITS, ~np.ones(7, dtype=bool), ORDER, SEGMENT, 3) is None


def test_deficit_is_the_area_between_two_curves() -> None:
    """Undefined places of either curve are left out; without a defined place there is no area."""
    assert deficit([0.5, 0.5, None], [0.25, 0.5, 0.1]) == 0.25
    assert deficit([None], [0.1]) is None


def test_time_to_recover_is_the_time_from_which_on_it_stays_within_reach() -> None:
    """It compares with the clean curve at the same T, and says why there is none."""
    assert time_to_recover([0.6, 0.6, 0.5], [0.2, 0.5, 0.49], 0.02).at == 3
    assert time_to_recover([0.0, 0.6, 0.6, 0.6], [0.0, 0.2, 0.59, 0.6], 0.02).at == 3
    assert time_to_recover([0.0, 0.6], [0.0, 0.2], 0.02).at is None
    never = time_to_recover([0.6], [0.2], 0.02)
    assert never.at is None
    assert "T=1" in never.reason


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(1, 10))
def test_a_curve_is_bounded_and_ends_at_the_mean(hits: list[bool], horizon: int) -> None:
    """Every value lies in [0, 1]; a horizon beyond the segment gives the mean of all."""
    array = np.array(hits)
    order = np.arange(1, len(hits) + 1, dtype=np.int32)
    post = np.ones(len(hits), dtype=bool)
    values = curve(array, post, order, horizon)
    assert all(v is not None and 0 <= v <= 1 for v in values)
    assert recovery(array, post, order, len(hits)) == array.mean()
