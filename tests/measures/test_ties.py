"""Tie sensitivity: bounds over orders within equal scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures import Judged, parse, tie_sensitivity


def judged(gains: list[int], returned: int) -> Judged:
    """Judge one question by hand."""
    table = np.array([gains], dtype=np.float64)
    total = np.array([max(sum(gains), 1)], dtype=np.float64)
    ideal = (np.arange(len(gains)) < total[:, None]).astype(np.float64)
    return Judged(table, ideal, total, total.astype(np.int32), np.array([returned], dtype=np.int32), table)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=8),
    st.sampled_from(["MRR", "nDCG@1", "Recall@1", "MAP@1", "Hit@1", "Complete@1"]),
    st.randoms(use_true_random=False),
)
def test_orders_within_ties_stay_inside(hits: list[tuple[int, int]], text: str, random: object) -> None:
    """Keep the value of any order within ties between the two bounds."""
    ordered = sorted(hits, key=lambda hit: -hit[1])
    scores = np.array([[float(s) for _, s in ordered]])
    here = judged([g for g, _ in ordered], len(hits))
    shuffled = ordered.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    other = np.array([[float(g) for g, _ in sorted(shuffled, key=lambda hit: -hit[1])]])
    measure = parse(text)
    bounds = tie_sensitivity(measure, here, scores)
    value = measure.rows(replace(here, gains=other, covered=other)).values[0]
    assert bounds.low.values[0] <= value <= bounds.high.values[0]


def test_three_equal_scores_span_the_field() -> None:
    """Span reciprocal ranks from 1/3 to 1 when three hits tie and one is relevant."""
    bounds = tie_sensitivity(parse("MRR"), judged([0, 1, 0], 3), np.ones((1, 3)))
    assert (bounds.low.values[0], bounds.high.values[0]) == pytest.approx((1 / 3, 1.0))


def test_ranks_beyond_the_list_do_not_tie() -> None:
    """Ignore scores of hits that were not returned, and treat missing scores as distinct."""
    bounds = tie_sensitivity(parse("MRR"), judged([1, 0, 0], 1), np.zeros((1, 3)))
    assert bounds.low.values[0] == pytest.approx(1.0)
    bounds = tie_sensitivity(parse("MRR"), judged([1, 0, 0], 3), np.full((1, 3), np.nan))
    assert bounds.low.values[0] == pytest.approx(1.0)


def test_scores_must_fit() -> None:
    """Refuse scores of another shape."""
    with pytest.raises(ValueError, match="shape"):
        tie_sensitivity(parse("MRR"), judged([1], 1), np.zeros((1, 2)))
