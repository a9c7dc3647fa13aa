"""Indexes that take one text after the other and are searched in between, without being fitted again."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.retrieval.embedders import embed_documents, embed_queries
from memgauge.retrieval.topk import latest_first, top_k

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memgauge.retrieval.embedders import Embedder
    from memgauge.retrieval.terms import Tokenizer

    Mask = NDArray[np.bool_]

Found = list[tuple[int, float]]
"""Places and scores, best first."""


class GrowingArray:
    """An array of numbers that doubles when it is full."""

    def __init__(self, kind: type[np.generic]) -> None:
        self._table: NDArray[Any] = np.zeros(64, dtype=kind)
        self._size = 0

    @property
    def all(self) -> NDArray[Any]:
        """A view of what it holds; it stays as it is when more comes."""
        return self._table[: self._size]

    def put(self, place: int, value: float) -> None:
        """Set the number at *place*, which is at most one behind the last."""
        if place == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        self._table[place] = value
        self._size = max(self._size, place + 1)


class GrowingBM25:
    """BM25 (the formula of :class:`memgauge.retrieval.bm25.BM25`) over postings that grow with every text."""

    def __init__(self, tokenizer: Tokenizer, *, k1: float = 1.5, b: float = 0.75) -> None:
        self._tokenizer = tokenizer
        self._k1 = k1
        self._b = b
        self._postings: dict[str, tuple[array[int], array[float]]] = {}
        self._lengths: array[float] = array("d")
        self._total = 0

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, text: str) -> None:
        """Take one text; its place is the number of texts before it."""
        words = self._tokenizer(text)
        place = len(self._lengths)
        for word, count in Counter(words).items():
            if word not in self._postings:
                self._postings[word] = array("q"), array("d")
            texts, counts = self._postings[word]
            texts.append(place)
            counts.append(count)
        self._lengths.append(len(words))
        self._total += len(words)

    def search(self, query: str, k: int, allowed: Mask | None = None) -> Found:
        """Return the best *k* that share a word with *query*; of equal ones the later comes first.

        Args:
            query: What is looked for.
            k: How many.
            allowed: Which places may be returned; all of them count for the weights of words.
        """
        n = len(self._lengths)
        if not n or k < 1:
            return []
        lengths, mean = np.frombuffer(self._lengths), self._total / n or 1.0
        scores = np.zeros(n)
        for word, query_count in sorted(Counter(self._tokenizer(query)).items()):
            if word not in self._postings:
                continue
            texts, counts = (np.frombuffer(part, part.typecode) for part in self._postings[word])
            idf = np.log1p((n - len(texts) + 0.5) / (len(texts) + 0.5))
            penalty = self._k1 * (1 - self._b + self._b * lengths[texts] / mean)
            scores[texts] += query_count * idf * counts / (counts + penalty)
        return _best(scores, k, allowed)


class GrowingVectors:
    """Unit vectors in one table that doubles when it is full."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._table: NDArray[np.float32] = np.zeros((0, 0), dtype=np.float32)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, texts: Sequence[str]) -> None:
        """Embed *texts* and keep them at the next places."""
        rows = embed_documents(self._embedder, texts)
        if self._size + len(rows) > len(self._table):
            table = np.zeros((max(2 * len(self._table), self._size + len(rows)), rows.shape[1]), dtype=np.float32)
            if self._size:
                table[: self._size] = self._table[: self._size]
            self._table = table
        self._table[self._size : self._size + len(rows)] = rows
        self._size += len(rows)

    def search(self, query: str, k: int, allowed: Mask | None = None) -> Found:
        """Return the best *k* by cosine that point anywhere near *query*, of the places that are *allowed*."""
        if not self._size or k < 1:
            return []
        # row by row: a product of matrices sums equal rows differently at different places
        cosines = np.vecdot(self._table[: self._size], embed_queries(self._embedder, [query])[0])
        return _best(cosines.astype(np.float64), k, allowed)


def _best(scores: NDArray[np.float64], k: int, allowed: Mask | None) -> Found:
    places = np.flatnonzero(scores > 0 if allowed is None else (scores > 0) & allowed)
    if not len(places):
        return []
    order, values = top_k(scores[np.newaxis, places], k, latest_first(len(places)))
    return list(zip(places[order[0]].tolist(), values[0].tolist(), strict=True))
