"""What lexical search methods share: impacts of postings, summed per text, ranked exactly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.terms import Queries
from memgauge.retrieval.topk import latest_first, top_k

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from memgauge.retrieval.terms import Floats, TermMatrix
    from memgauge.retrieval.topk import Order

_BLOCK = 1 << 16
"""Cells of the score table held at once: small enough, with their postings, for the second-level cache."""


@dataclass(frozen=True)
class Weights:
    """How much each posting and each query term counts when the texts before ``upto`` are searched."""

    upto: int
    postings: Floats
    queries: Floats
    """One factor a term; zero for terms that do not occur before ``upto``."""


class LexicalIndex(ABC):
    """Search over a term matrix: any prefix of the texts, without fitting again.

    Items that share no term with the query are not returned. Ties are broken by *order* (item indices, best
    first; default: the later text first).
    """

    cosine = False
    """Whether query terms are dampened like those of texts, and a query is brought to unit length."""

    def __init__(self, terms: TermMatrix, *, order: Order | None = None) -> None:
        self.terms = terms
        self.order = latest_first(len(terms)) if order is None else order
        self._weights: Weights | None = None

    @abstractmethod
    def weights(self, upto: int) -> Weights:
        """Weigh every posting for a search of the first *upto* texts."""

    def search(
        self, query: str, k: int, upto: int | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return the best *k* of the first *upto* texts for one query: indices and scores, without padding."""
        indices, scores = self.search_many([query], k, upto)
        is_filled = indices[0] >= 0
        return indices[0][is_filled], scores[0][is_filled]

    def search_many(
        self, queries: Sequence[str] | Queries, k: int, upto: int | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return the best *k* of the first *upto* texts for each query.

        Args:
            queries: Texts, or what :meth:`TermMatrix.encode` made of them.
            k: How many to return.
            upto: Search only the texts before this index; ``None`` means all.

        Returns:
            Text indices padded with -1 and scores padded with 0, both of shape (queries, min(k, upto)).
        """
        n = len(self.terms)
        upto = n if upto is None else max(0, min(upto, n))
        encoded_queries = queries if isinstance(queries, Queries) else self.terms.encode(queries)
        width = max(0, min(k, upto))
        indices = np.full((len(encoded_queries), width), -1, dtype=np.int32)
        scores = np.zeros((len(encoded_queries), width), dtype=np.float32)
        order = self.order if upto == n else self.order[self.order < upto]
        for rows, table in self._tables(encoded_queries, upto):
            indices[rows], scores[rows] = top_k(table, k, order, positive=True)
        return indices, scores

    def scores(self, queries: Sequence[str] | Queries, upto: int | None = None) -> Floats:
        """Return the score of every one of the first *upto* texts, shape (queries, upto)."""
        upto = len(self.terms) if upto is None else upto
        encoded_queries = queries if isinstance(queries, Queries) else self.terms.encode(queries)
        return np.concatenate([table for _, table in self._tables(encoded_queries, upto)] or [np.zeros((0, upto))])

    def _tables(self, queries: Queries, upto: int) -> Iterator[tuple[slice, Floats]]:
        if self._weights is None or self._weights.upto != upto:
            self._weights = self.weights(upto)
        step = max(1, _BLOCK // max(upto, 1))
        for start in range(0, len(queries), step):
            rows = slice(start, min(start + step, len(queries)))
            yield rows, self._table(queries, rows, self._weights)

    def _table(self, queries: Queries, rows: slice, weights: Weights) -> Floats:
        """Sum the impacts of the query terms, in the order of the query, for every text before ``upto``."""
        pairs = slice(queries.starts[rows.start], queries.starts[rows.stop])
        terms = queries.terms[pairs]
        row = np.repeat(np.arange(rows.stop - rows.start), np.diff(queries.starts[rows.start : rows.stop + 1]))
        factors = queries.counts[pairs] * weights.queries[terms]
        if self.cosine:
            factors = (1 + np.log(queries.counts[pairs])) * weights.queries[terms]
            lengths = np.sqrt(np.bincount(row, factors * factors, minlength=rows.stop - rows.start))
            factors = np.divide(factors, lengths[row], out=np.zeros_like(factors), where=lengths[row] > 0)
        begin, sizes = self.terms.starts[terms], self.terms.ends(weights.upto)[terms] - self.terms.starts[terms]
        postings = np.arange(sizes.sum())
        postings += np.repeat(begin - (np.cumsum(sizes) - sizes), sizes)
        cells = np.repeat(row * weights.upto, sizes)
        cells += self.terms.texts.take(postings)
        impacts = np.repeat(factors, sizes)
        impacts *= weights.postings.take(postings)
        count = rows.stop - rows.start
        table: Floats = np.bincount(cells, impacts, minlength=count * weights.upto).astype(np.float64, copy=False)
        return table.reshape(count, weights.upto)
