"""Indexes that grow: equal to those that are fitted at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.retrieval.bm25 import BM25
from memgauge.retrieval.embedders import HashedEmbedder
from memgauge.retrieval.growing import GrowingArray, GrowingBM25, GrowingVectors
from memgauge.retrieval.terms import TermMatrix
from memgauge.text.tokens import tokenize

TEXTS = st.lists(
    st.lists(st.sampled_from(["apple", "bee", "cat", "dog", "elm"]), max_size=7).map(" ".join),
    min_size=1,
    max_size=12,
)
QUERIES = st.lists(st.sampled_from(["apple", "bee", "cat", "unknown"]), max_size=5).map(" ".join)
Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


def grown(texts: list[str], **how: float) -> GrowingBM25:
    """Index *texts* one by one."""
    index = GrowingBM25(tokenize, **how)
    for text in texts:
        index.add(text)
    return index


@given(texts=TEXTS, query=QUERIES, k=st.integers(0, 15), k1=st.floats(0, 3), b=st.floats(0, 1))
def test_growing_bm25_equals_bm25(texts: list[str], query: str, k: int, k1: float, b: float) -> None:
    """After every text, places and scores are those of BM25 fitted on the texts so far, ties included."""
    index = GrowingBM25(tokenize, k1=k1, b=b)
    for upto, text in enumerate(texts, 1):
        index.add(text)
        assert len(index) == upto
        found = index.search(query, k)
        places, scores = BM25(TermMatrix.build(texts[:upto]), k1=k1, b=b).search(query, k)
        assert [place for place, _ in found] == places.tolist()
        assert [score for _, score in found] == pytest.approx(scores.tolist(), rel=1e-6)


@given(texts=TEXTS, query=QUERIES, k=st.integers(1, 15), data=st.data())
def test_a_mask_takes_out_places_and_changes_no_score(
    texts: list[str], query: str, k: int, data: st.DataObject
) -> None:
    """What is not allowed is left out of the ranking of all; it still counts for the weights."""
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))))
    index = grown(texts)
    expected = [(place, score) for place, score in index.search(query, len(texts)) if allowed[place]]
    assert index.search(query, k, allowed) == expected[:k]


@given(
    texts=TEXTS, query=QUERIES.filter(bool), k=st.integers(1, 15), cuts=st.lists(st.integers(0, 12), max_size=4)
)
def test_growing_vectors_equal_a_matrix_product(texts: list[str], query: str, k: int, cuts: list[int]) -> None:
    """However the texts come in portions, the best are those of one product, later first where equal."""
    embedder = HashedEmbedder()
    index = GrowingVectors(embedder)
    ends = sorted({0, len(texts), *(cut for cut in cuts if cut < len(texts))})
    for start, end in pairwise(ends):
        index.add(texts[start:end])
    products = (embedder.embed(texts) @ embedder.embed([query])[0]).astype(np.float32)
    near = 1e-6  # right angles are zero in one order of summing, and a billionth in another
    found = index.search(query, k)
    assert len(index) == len(texts)
    assert [score for _, score in found if score > near] == pytest.approx(
        sorted(products[products > near], reverse=True)[:k], abs=near
    )
    assert all(products[place] == pytest.approx(score, abs=near) for place, score in found)
    allowed = np.zeros(len(texts), dtype=np.bool_)
    assert index.search(query, k, allowed) == []


def test_of_equal_ones_the_later_comes_first() -> None:
    """Also across the k-th place."""
    assert [place for place, _ in grown(["same words"] * 9).search("same", 4)] == [8, 7, 6, 5]
    vectors = GrowingVectors(HashedEmbedder())
    vectors.add(["same words"] * 9)
    assert [place for place, _ in vectors.search("same", 4)] == [8, 7, 6, 5]


def test_equal_vectors_score_alike_wherever_they_lie() -> None:
    """Kernels of matrix products sum the last rows of a table otherwise than the first."""
    vectors = GrowingVectors(HashedEmbedder())
    vectors.add([" ".join(f"word{n}" for n in range(90) for _ in range(n % 7 + 1))] * 7)
    assert len({score for _, score in vectors.search(" ".join(f"word{n}" for n in range(20, 90)), 7)}) == 1


def test_a_search_does_not_hinder_growing() -> None:
    """Nothing that a search returned keeps the index from taking more."""
    index = grown(["apple"])
    kept = index.search("apple", 1)
    index.add("apple pie")
    assert [place for place, _ in kept] == [0]
    assert len(index.search("apple", 5)) == 2


def test_empty_indexes_find_nothing() -> None:
    """No text, no place."""
    assert GrowingBM25(tokenize).search("apple", 5) == GrowingVectors(HashedEmbedder()).search("apple", 5) == []
    assert grown(["", ""]).search("apple", 5) == []
    assert grown(["apple"]).search("apple", 0) == grown(["apple"]).search("", 5) == []


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(-5, 5)), max_size=300))
def test_a_grown_array_is_a_list(writes: list[tuple[int, int]]) -> None:
    """Numbers stand where they were put, whatever it grew to since; a view stays as it was long."""
    array, plain = GrowingArray(np.int64), list[int]()
    for wanted, value in writes:
        place = min(wanted, len(plain))
        plain[place:] = [value, *plain[place + 1 :]]
        array.put(place, value)
    view = array.all
    assert view.tolist() == plain
    array.put(len(plain), 7)
    assert len(view) == len(plain)
