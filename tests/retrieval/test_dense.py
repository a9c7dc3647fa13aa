"""Exact vector search."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memgauge.retrieval import DenseIndex, by_hash


@given(st.integers(0, 20), st.integers(0, 25), st.integers(0, 2**32 - 1))
def test_equals_sorting_all_products(n: int, k: int, seed: int) -> None:
    """The best k are those of a full sort, in any prefix."""
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-1, 2, (n, 3)).astype(np.float32)
    queries = rng.integers(-1, 2, (4, 3))
    upto = int(rng.integers(0, n + 1))
    indices, scores = DenseIndex(vectors).search_many(queries, k, upto)
    for query, row, values in zip(queries, indices, scores, strict=True):
        products = vectors[:upto] @ query
        expected = sorted(range(upto), key=lambda i: (-products[i], -i))[:k]
        assert row.tolist() == expected
        assert values.tolist() == [products[i] for i in expected]


def test_ties_follow_the_given_order() -> None:
    """Equal products are ordered by the given tie order."""
    order = by_hash(["a", "b", "c", "d"])
    assert DenseIndex(np.ones((4, 2)), order=order).search([1, 0], 3)[0].tolist() == order[:3].tolist()
