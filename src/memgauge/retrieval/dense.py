"""Exact vector search: products in float32 that say who can be among the best, and exact scores for these."""

from __future__ import annotations

from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.topk import best, keys, latest_first, padded, places, reached_by

if TYPE_CHECKING:
    import numpy.typing as npt

    from memgauge.retrieval.topk import Order

    Singles = npt.NDArray[np.float32]
    Doubles = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

_CELLS = 1 << 24
"""Products held at once: 64 MB. With few a matrix library lays items out for longer than it multiplies them."""


class DenseIndex:
    """Search unit vectors by inner product, in any prefix of them.

    A score is the exact sum of the products, rounded to float32, whatever a linear algebra library does to split
    its work. Ties are broken by *order* (default: the later item first).
    """

    def __init__(self, vectors: npt.ArrayLike, *, order: Order | None = None) -> None:
        table = np.asarray(vectors)
        self.vectors = table if table.dtype == np.float32 else np.asarray(table, dtype=np.float64)
        self.order = latest_first(len(self.vectors)) if order is None else order
        self._single = np.asarray(self.vectors, dtype=np.float32)
        self._longest = float(_lengths(self.vectors).max(initial=0.0))

    def search(
        self, query: npt.ArrayLike, k: int, upto: int | None = None
    ) -> tuple[npt.NDArray[np.int32], Singles]:
        """Return the best *k* of the first *upto* items for one query vector: indices and scores."""
        indices, scores = self.search_many(np.asarray(query)[np.newaxis], k, upto)
        return indices[0], scores[0]

    def search_many(
        self, queries: npt.ArrayLike, k: int, upto: int | None = None
    ) -> tuple[npt.NDArray[np.int32], Singles]:
        """Return the best *k* of the first *upto* items for each row of *queries*."""
        n = len(self.vectors)
        upto = n if upto is None else max(0, min(upto, n))
        query_rows, k = np.asarray(queries, dtype=np.float64), max(0, min(k, upto))
        indices, scores = np.zeros((len(query_rows), k), np.int32), np.zeros((len(query_rows), k), np.float32)
        order = self.order if upto == n else self.order[self.order < upto]
        place, step = places(order), max(1, _CELLS // max(upto, 1))
        table = np.empty((min(step, len(query_rows)), upto), dtype=np.float32)
        for start in range(0, len(query_rows) if k else 0, step):
            block = query_rows[start : start + step]
            np.matmul(block.astype(np.float32), self._single[:upto].T, out=table[: len(block)])
            row, item = self._near(block, table[: len(block)], k)
            exact = padded(keys(self._exact(block, row, item), place[item]), row, len(block), k)
            indices[start : start + step], scores[start : start + step] = best(exact, k, order)
        return indices, scores

    def _near(self, queries: Doubles, table: Singles, k: int) -> tuple[Ints, Ints]:
        """Return what can be among the best *k* of each row of a float32 *table*: rows, ascending, and items.

        The bound of a product holds twice: for the k-th best and for who may overtake it. What :func:`_share` adds
        to the dimension stands for rounding: of the vectors before, of the scores afterwards, and of the bound.
        """
        dim = queries.shape[1]
        slack = 2 * (_share(dim) * self._longest * _lengths(queries) + dim * 2.0**-125)
        threshold = (reached_by(table, k) - slack[:, None]).astype(np.float32)
        row, item = np.divmod(np.flatnonzero(table >= threshold), table.shape[1])
        return row, item

    def _exact(self, queries: Doubles, row: Ints, item: Ints) -> Singles:
        """Return the products of these pairs, exact sums rounded to float32."""
        sums = _products(queries, self.vectors, row, item)
        slack = ((queries.shape[1] + 8) * 2.0**-53 * self._longest * _lengths(queries))[row]
        low, high = (sums - slack).astype(np.float32), (sums + slack).astype(np.float32)
        for pair in np.flatnonzero(low != high).tolist():
            sums[pair] = fsum((queries[row[pair]] * self.vectors[item[pair]]).tolist())
        return sums.astype(np.float32)


def _share(dim: int) -> float:
    """Return how far a product of *dim* float32 numbers may be off, as a share of both lengths."""
    steps = (dim + 8) * 2.0**-24
    return steps / (1 - steps)


def _lengths(vectors: npt.NDArray[np.floating]) -> Doubles:
    """Return what no row is longer than; the rest stands for rounding and for squares too small for float32."""
    squares = np.vecdot(vectors, vectors).astype(np.float64)
    dim = vectors.shape[1]
    lengths: Doubles = np.sqrt(squares) * (1 + _share(dim)) + np.sqrt(dim) * 2.0**-62
    return lengths


def _products(queries: Doubles, vectors: npt.NDArray[np.floating], row: Ints, item: Ints) -> Doubles:
    """Multiply pairs of rows in float64, query by query, so that what is laid out stays in the cache."""
    starts, sums = np.searchsorted(row, np.arange(len(queries) + 1)).tolist(), np.empty(len(row))
    for query, (start, end) in zip(queries, pairwise(starts), strict=True):
        np.dot(vectors.take(item[start:end], axis=0), query, out=sums[start:end])
    return sums
