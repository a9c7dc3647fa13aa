"""Exact vector search and fusion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.retrieval import DenseIndex, by_hash, reciprocal_rank_fusion


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


def test_fusion_sums_reciprocal_ranks() -> None:
    """Each list gives 1 / (c + rank), and what two lists agree on wins."""
    fused = reciprocal_rank_fusion([[7, 1, 2], [1, 9]])
    assert [item for item, _ in fused] == [1, 7, 9, 2]
    assert fused[0][1] == pytest.approx(1 / 62 + 1 / 61)
    assert reciprocal_rank_fusion([]) == []


@given(st.lists(st.permutations(range(6)), max_size=5))
def test_fusion_does_not_depend_on_the_order_of_lists(rankings: list[list[int]]) -> None:
    """Reversing the lists changes neither scores nor ties."""
    assert reciprocal_rank_fusion(rankings) == reciprocal_rank_fusion(rankings[::-1])


def test_fusion_ties_follow_the_given_ranks() -> None:
    """Ties go to the later item, or to the smaller rank given."""
    assert [i for i, _ in reciprocal_rank_fusion([[0, 1], [1, 0]])] == [1, 0]
    assert [i for i, _ in reciprocal_rank_fusion([[0, 1], [1, 0]], tie_ranks=[5, 8])] == [0, 1]
