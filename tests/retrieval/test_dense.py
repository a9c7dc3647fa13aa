"""Exact vector search."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.retrieval import DenseIndex, by_hash, top_k
from memgauge.retrieval import dense as dense_module

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def assert_ranked_by_exact_sums(vectors: NDArray[np.floating], queries: NDArray[np.floating], k: int) -> None:
    """Hold places and scores against sums that are rounded once."""
    order = by_hash(map(str, range(len(vectors))))
    products = vectors.astype(np.float64)[None] * queries.astype(np.float64)[:, None]
    sums = np.array([[fsum(item) for item in row] for row in products.tolist()])
    expected = top_k(sums, k, order)
    best = DenseIndex(vectors, order=order).search_many(queries, k)
    assert best[0].tolist() == expected[0].tolist()
    assert best[1].tobytes() == expected[1].tobytes()


@given(
    st.integers(1, 400),
    st.integers(1, 70),
    st.integers(1, 48),
    st.sampled_from([0.0, 1e-9, 1e-7, 1e-4, 1.0]),
    st.sampled_from([np.float32, np.float64]),
    st.integers(0, 2**32 - 1),
)
def test_what_float32_cannot_tell_apart_is_ranked_by_exact_sums(
    n: int, k: int, dim: int, apart: float, kind: type[np.floating], seed: int
) -> None:
    """Among vectors that differ by less than a product is off, places and scores are those of exact sums."""
    rng = np.random.default_rng(seed)
    vectors = np.asarray(rng.standard_normal(dim) + apart * rng.standard_normal((n, dim)), dtype=kind)
    queries = np.asarray(rng.standard_normal((3, dim)), dtype=kind)
    assert_ranked_by_exact_sums(vectors, queries, k)


_SIZES = st.sampled_from([0.0, -0.0, 1e-45, -1e-45, 1e-39, 2e-23, 2.7e-23, -1.0, 1.0, 1 + 2.0**-23, 3e18, -3e18])
"""Nothing, too small for all digits, too small to square, neighbours, and nearly too large to square."""


@given(st.data(), st.integers(1, 40), st.integers(1, 4), st.sampled_from([np.float32, np.float64]))
def test_vectors_of_any_length_are_ranked_by_exact_sums(
    data: st.DataObject, n: int, dim: int, kind: type[np.floating]
) -> None:
    """Empty vectors, the smallest, huge ones and copies of each, with more asked for than there are."""
    rows = st.lists(st.lists(_SIZES, min_size=dim, max_size=dim), min_size=1, max_size=6)
    few, queries = (np.asarray(data.draw(rows), dtype=kind) for _ in range(2))
    assert_ranked_by_exact_sums(few[np.arange(n) % len(few)], queries, data.draw(st.integers(1, n + 3)))


def test_products_too_small_for_float32_are_added_all_the_same() -> None:
    """Each is nothing by itself, and their sum is as much as another product, so that the order breaks a tie."""
    rows, query = np.full((2, 4), 2e-23), np.full(4, 2e-23)
    rows[0] = 4e-23, 0, 0, 0
    indices, scores = DenseIndex(rows.astype(np.float32)).search(query.astype(np.float32), 1)
    assert (indices.tolist(), scores.tolist()) == ([1], [2.0**-149])


def test_a_vector_without_end_is_ranked_and_one_that_is_no_number_leaves_no_ranking() -> None:
    """The first is better or worse than all others; beside the second nothing is known of any length."""
    rows = np.eye(4, 3, dtype=np.float32)
    for end, places in ((np.inf, [1, 2, 0]), (-np.inf, [2, 0, 3])):
        rows[1, 1] = end
        with np.errstate(invalid="ignore"):
            assert DenseIndex(rows).search(np.ones(3), 3)[0].tolist() == places
    rows[1, 1] = np.nan
    with np.errstate(invalid="ignore"):
        assert DenseIndex(rows).search(np.ones(3), 3)[0].tolist() == [-1, -1, -1]


@pytest.mark.parametrize("cells", [1, 300, 1 << 24])
def test_blocks_do_not_show(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many products are held at once, places and scores are those that float64 gives."""
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((500, 64)).astype(np.float32)
    queries = rng.standard_normal((30, 64)).astype(np.float32)
    monkeypatch.setattr(dense_module, "_CELLS", cells)
    indices, scores = DenseIndex(vectors).search_many(queries, 20, 450)
    expected = top_k(queries.astype(np.float64) @ vectors[:450].astype(np.float64).T, 20, np.arange(449, -1, -1))
    assert indices.tolist() == expected[0].tolist()
    assert scores.tobytes() == expected[1].tobytes()


def test_a_sum_between_two_float32_is_added_exactly() -> None:
    """Where float64 cannot say to which side a score is rounded, the exact sum does, in whatever order it came."""
    half = 2.0**-24  # of the distance from 1 to the next float32
    query = np.ones(4, dtype=np.float32)
    above = np.array([1.0, half, 2.0**-80, 0.0], dtype=np.float32)
    rows = np.array([above, above[::-1], [1.0, half, 0, 0], [1.0, half, -(2.0**-60), 0]])
    indices, scores = DenseIndex(rows).search(query, 4)
    assert scores.tolist() == [1.0, 1.0, 1.0, 1.0]
    assert indices.tolist() == [3, 2, 1, 0]
    upward = np.array([[1.0, half, 2.0**-50, 0.0]], dtype=np.float32)
    assert DenseIndex(upward).search(query, 1)[1].tolist() == [1.0 + 2 * half]


def test_ties_follow_the_given_order() -> None:
    """Equal products are ordered by the given tie order."""
    order = by_hash(["a", "b", "c", "d"])
    assert DenseIndex(np.ones((4, 2)), order=order).search([1, 0], 3)[0].tolist() == order[:3].tolist()
