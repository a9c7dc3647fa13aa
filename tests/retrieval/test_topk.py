"""Exact top-k with ties."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memgauge.retrieval.topk import by_hash, hash_keys, latest_first, top_k


@given(
    st.lists(st.sampled_from([-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3e30]), max_size=30),
    st.integers(0, 35),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_equals_sorting_by_score_then_tie_rule(
    scores: list[float], k: int, positive: bool, random: object
) -> None:
    """The result is what sorting by (score descending, place in the tie order) gives, at every k."""
    order = list(range(len(scores)))
    random.shuffle(order)  # type: ignore[attr-defined] # Hypothesis' Random has no public type
    rank = {item: place for place, item in enumerate(order)}
    # -0.0 and 0.0 are one score
    expected = sorted(range(len(scores)), key=lambda i: (-(scores[i] + 0.0), rank[i]))
    if positive:
        expected = [i for i in expected if scores[i] > 0]
    indices, values = top_k(np.array([scores]), k, np.array(order, dtype=np.int64), positive=positive)
    found = indices[0][indices[0] >= 0].tolist()
    assert found == expected[:k]
    assert values[0][: len(found)].tolist() == [np.float32(scores[i]) for i in found]


def test_scores_that_differ_by_rounding_tie() -> None:
    """Sums that only differ in their last float64 bits are broken by the tie rule."""
    scores = np.array([[0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]])
    assert top_k(scores, 2, latest_first(2))[0].tolist() == [[1, 0]]
    assert top_k(scores, 2, np.array([0, 1]))[0].tolist() == [[0, 1]]


def test_hash_order_knows_ids_only() -> None:
    """The tie order of the same ids is the same wherever they stand, and fixed for all time."""
    ids = [f"D1:{i}" for i in range(50)]
    forward = [ids[i] for i in by_hash(ids)]
    assert forward == [ids[::-1][i] for i in by_hash(ids[::-1])]
    assert forward != ids
    assert hash_keys(["a"]).tolist() == [int.from_bytes(bytes.fromhex("40f89e395b66422f"), "big")]


def test_blocks_do_not_show() -> None:
    """More rows than one block holds give what each row gives alone."""
    scores = np.random.default_rng(0).integers(0, 5, (300, 1000)).astype(np.float64)
    indices, values = top_k(scores, 7, latest_first(1000), positive=True)
    for row in (0, 130, 131, 262, 299):
        alone = top_k(scores[[row]], 7, latest_first(1000), positive=True)
        assert (indices[row].tolist(), values[row].tolist()) == (alone[0][0].tolist(), alone[1][0].tolist())
