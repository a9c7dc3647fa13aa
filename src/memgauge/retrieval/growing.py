"""Indexes that take one text after the other and are searched in between, without being fitted again."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.topk import latest_first, top_k

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memgauge.retrieval.embedders import Embedder
    from memgauge.retrieval.terms import Tokenizer

Found = list[tuple[int, float]]
"""Places and scores, best first."""


class GrowingBM25:
    """BM25 (the formula of :class:`memgauge.retrieval.bm25.BM25`) over postings that grow with every text."""

    def __init__(self, tokenizer: Tokenizer, *, k1: float = 1.5, b: float = 0.75) -> None:
        self._tokenizer = tokenizer
        self._k1 = k1
        self._b = b
        self._texts: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
        self._counts: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
        self._lengths: array[float] = array("d")

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, text: str) -> None:
        """Take one text; its place is the number of texts before it."""
        words = self._tokenizer(text)
        place = len(self._lengths)
        for word, count in Counter(words).items():
            self._texts[word].append(place)
            self._counts[word].append(count)
        self._lengths.append(len(words))

    def search(self, query: str, k: int) -> Found:
        """Return the best *k* that share a word with *query*; of equal ones the later comes first."""
        n = len(self._lengths)
        if not n or k < 1:
            return []
        lengths = np.frombuffer(self._lengths)
        penalty = self._k1 * (1 - self._b + self._b * lengths / (lengths.mean() or 1.0))
        scores = np.zeros(n)
        for word, asked in sorted(Counter(self._tokenizer(query)).items()):
            if word not in self._texts:
                continue
            texts, counts = np.frombuffer(self._texts[word], np.int64), np.frombuffer(self._counts[word])
            idf = np.log1p((n - len(texts) + 0.5) / (len(texts) + 0.5))
            scores[texts] += asked * idf * counts / (counts + penalty[texts])
        return _best(scores, k)


class GrowingVectors:
    """Unit vectors in one table that doubles when it is full."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._table: NDArray[np.float32] = np.zeros((0, embedder.dim), dtype=np.float32)
        self._size = 0

    def add(self, texts: Sequence[str]) -> None:
        """Embed *texts* and keep them at the next places."""
        rows = self._embedder.embed(texts)
        if self._size + len(rows) > len(self._table):
            table = np.zeros((max(2 * len(self._table), self._size + len(rows)), rows.shape[1]), dtype=np.float32)
            table[: self._size] = self._table[: self._size]
            self._table = table
        self._table[self._size : self._size + len(rows)] = rows
        self._size += len(rows)

    def search(self, query: str, k: int) -> Found:
        """Return the best *k* by cosine that point anywhere near *query*."""
        if not self._size or k < 1:
            return []
        return _best((self._table[: self._size] @ self._embedder.embed([query])[0]).astype(np.float64), k)


def _best(scores: NDArray[np.float64], k: int) -> Found:
    places = np.flatnonzero(scores > 0)
    if not len(places):
        return []
    order, values = top_k(scores[np.newaxis, places], k, latest_first(len(places)))
    return list(zip(places[order[0]].tolist(), values[0].tolist(), strict=True))
