"""Lexical search: prefixes, ties, oracles."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from memgauge.retrieval import BM25, TermLog, TermMatrix, TfIdf, by_hash
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.retrieval import LexicalIndex

WORDS = st.lists(st.sampled_from(["apple", "bee", "cat", "dog", "elm", "fig"]), max_size=8).map(" ".join)
TEXTS = st.lists(WORDS, min_size=1, max_size=12)
METHODS: list[Callable[[TermMatrix], LexicalIndex]] = [BM25, TfIdf]
GARDEN = ["the beans came up", "rain and rain again", "", "beans like rain", "the the the gate"]


@pytest.mark.parametrize("method", METHODS)
@given(texts=TEXTS, queries=TEXTS, k=st.integers(0, 15), data=st.data())
def test_a_prefix_is_searched_as_if_fitted_alone(
    method: Callable[[TermMatrix], LexicalIndex], texts: list[str], queries: list[str], k: int, data: st.DataObject
) -> None:
    """Searching the first h texts equals, to the last bit, a fresh fit on them."""
    upto = data.draw(st.integers(0, len(texts)))
    found = method(TermMatrix.build(texts)).search_many([*queries, "unknown"], k, upto)
    fresh = method(TermMatrix.build(texts[:upto])).search_many([*queries, "unknown"], k)
    np.testing.assert_array_equal(found[0], fresh[0])
    np.testing.assert_array_equal(found[1], fresh[1])


@given(texts=TEXTS.filter(any), query=WORDS.filter(bool))
def test_bm25_equals_bm25s(texts: list[str], query: str) -> None:
    """Scores are those of bm25s' Lucene method, whatever the texts are."""
    oracle = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    oracle.index([tokenize(text) or ["-"] for text in texts], show_progress=False)
    known = [word for word in tokenize(query) if word in oracle.vocab_dict]
    ours = BM25(TermMatrix.build([text or "-" for text in texts], str.split))
    expected = oracle.get_scores(known) if known else np.zeros(len(texts))
    np.testing.assert_allclose(ours.scores([" ".join(known)])[0] if known else expected, expected, atol=1e-5)


@given(texts=TEXTS, query=WORDS)
def test_tfidf_equals_a_dense_computation(texts: list[str], query: str) -> None:
    """Scores are cosines of explicitly built vectors."""
    vocabulary = sorted({word for text in texts for word in text.split()})
    df = {word: sum(word in text.split() for text in texts) for word in vocabulary}

    def vector(text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        tf = Counter(text.split())
        idf = {word: math.log((1 + len(texts)) / (1 + df[word])) + 1 for word in vocabulary}
        row = np.array([(1 + math.log(tf[word])) * idf[word] if tf[word] else 0.0 for word in vocabulary])
        return row / (np.linalg.norm(row) or 1)

    expected = [float(vector(text) @ vector(query)) for text in texts]
    np.testing.assert_allclose(TfIdf(TermMatrix.build(texts)).scores([query])[0], expected, atol=1e-12)


def test_fit_all_counts_the_future() -> None:
    """With ``fit=all`` the document frequencies of later texts change a prefix search."""
    terms = TermMatrix.build(["beans rain", "gate", "rain", "rain", "rain"])
    prefix, everything = (TfIdf(terms, fit=fit).search("beans rain", 5, upto=2) for fit in ("prefix", "all"))
    assert prefix[0].tolist() == everything[0].tolist() == [0]
    assert prefix[1][0] == pytest.approx(1)
    assert TfIdf(terms, fit="all").search("rain", 5, 2)[1][0] < TfIdf(terms).search("rain", 5, 2)[1][0]


def test_texts_without_a_shared_word_are_not_returned() -> None:
    """Zero scores are dropped in a single search and padded with -1 in many."""
    index = BM25(TermMatrix.build(GARDEN))
    assert index.search("beans", 60)[0].tolist() == [3, 0]
    indices, scores = index.search_many(["beans", "nothing here"], 3)
    assert indices.tolist() == [[3, 0, -1], [-1, -1, -1]]
    assert scores[:, 2].tolist() == [0, 0]


def test_ties_follow_the_given_order() -> None:
    """Equal scores are ordered latest first, or by the hash of ids, also across the k-th place."""
    terms = TermMatrix.build(["same words"] * 9)
    assert BM25(terms).search("same", 4)[0].tolist() == [8, 7, 6, 5]
    order = by_hash([f"t{i}" for i in range(9)])
    assert BM25(terms, order=order).search("same", 4)[0].tolist() == order[:4].tolist()
    assert BM25(terms, order=order).search("same", 9, upto=5)[0].tolist() == [i for i in order if i < 5]


def test_encoded_queries_serve_every_method() -> None:
    """Queries translated once give what their texts give, in blocks or alone."""
    terms = TermMatrix.build(GARDEN)
    texts = ["beans", "rain rain the", "gate beans", ""] * 3
    encoded = terms.encode(texts)
    assert len(encoded) == 12
    for method in METHODS:
        many = method(terms).search_many(encoded, 4)[0]
        assert [[i for i in row if i >= 0] for row in many.tolist()] == [
            method(terms).search(text, 4)[0].tolist() for text in texts
        ]


def test_many_queries_cross_the_block_boundary(monkeypatch: pytest.MonkeyPatch) -> None:
    """Working in small blocks changes nothing."""
    queries = ["beans rain", "the gate", "rain"] * 5
    expected = BM25(TermMatrix.build(GARDEN)).search_many(queries, 3)[0].tolist()
    monkeypatch.setattr("memgauge.retrieval.lexical._BLOCK", 7)
    assert BM25(TermMatrix.build(GARDEN)).search_many(queries, 3)[0].tolist() == expected
    assert BM25(TermMatrix.build(GARDEN)).scores([]).shape == (0, 5)


def test_repeated_query_words_count_again() -> None:
    """BM25 adds a repeated query word twice, as Lucene does."""
    index = BM25(TermMatrix.build(GARDEN))
    assert index.scores(["rain rain"])[0] == pytest.approx(2 * index.scores(["rain"])[0])


def test_empty_collections_are_searchable() -> None:
    """No texts, no hits."""
    for method in METHODS:
        assert method(TermMatrix.build([])).search("anything", 5)[0].tolist() == []


def _counted(matrix: TermMatrix) -> list[list[float]]:
    """Return how often each term is in each text."""
    shape = (len(matrix), len(matrix.starts) - 1)
    counted = (matrix.counts, matrix.texts, matrix.starts)
    rows: list[list[float]] = csc_array(counted, shape=shape).toarray().tolist()
    return rows


def test_log_grows_without_touching_earlier_matrices() -> None:
    """A matrix taken from a growing log stays as it was."""
    log = TermLog()
    log.append("beans beans rain")
    first = log.matrix()
    log.append("rain gate")
    assert (len(log), len(first), len(log.matrix())) == (2, 1, 2)
    assert _counted(first) == [[2, 1]]
    assert _counted(log.matrix()) == [[2, 1, 0], [0, 1, 1]]
    assert dict(first.vocabulary) == {"beans": 0, "rain": 1}
