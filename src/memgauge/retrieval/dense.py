"""Exact vector search: one matrix product, and the same total order as lexical search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.topk import latest_first, top_k

if TYPE_CHECKING:
    import numpy.typing as npt

    from memgauge.retrieval.topk import Order


class DenseIndex:
    """Search unit vectors by inner product, in any prefix of them.

    Products are summed in float64 and rounded to float32 before they are ranked, so that the order does not depend
    on how a linear algebra library splits the work. Ties are broken by *order* (default: the later item first).
    """

    def __init__(self, vectors: npt.ArrayLike, *, order: Order | None = None) -> None:
        self.vectors = np.asarray(vectors, dtype=np.float64)
        self.order = latest_first(len(self.vectors)) if order is None else order

    def search(
        self, query: npt.ArrayLike, k: int, upto: int | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return the best *k* of the first *upto* items for one query vector: indices and scores."""
        indices, scores = self.search_many(np.asarray(query)[np.newaxis], k, upto)
        return indices[0], scores[0]

    def search_many(
        self, queries: npt.ArrayLike, k: int, upto: int | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return the best *k* of the first *upto* items for each row of *queries*."""
        n = len(self.vectors)
        upto = n if upto is None else max(0, min(upto, n))
        order = self.order if upto == n else self.order[self.order < upto]
        table = np.asarray(queries, dtype=np.float64) @ self.vectors[:upto].T
        return top_k(table, k, order)
