"""BM25 over any prefix of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.lexical import LexicalIndex, Weights

if TYPE_CHECKING:
    from memgauge.retrieval.terms import TermMatrix
    from memgauge.retrieval.topk import Order


class BM25(LexicalIndex):
    """BM25 as Lucene computes it.

    ``idf = ln(1 + (N - df + 0.5) / (df + 0.5))`` and ``tf / (tf + k1 (1 - b + b dl / avgdl))``, without the
    constant factor ``k1 + 1``. Source: Kamphuis et al., ECIR 2020, table 1, "Lucene (accurate)".
    """

    def __init__(self, terms: TermMatrix, *, k1: float = 1.5, b: float = 0.75, order: Order | None = None) -> None:
        super().__init__(terms, order=order)
        self.k1 = k1
        self.b = b

    def weights(self, upto: int) -> Weights:
        """Weigh postings by term frequency, and query terms by inverse document frequency, of the prefix."""
        terms = self.terms
        df = terms.ends(upto) - terms.starts[:-1]
        idf = np.where(df > 0, np.log1p((upto - df + 0.5) / (df + 0.5)), 0.0)
        mean = terms.tokens_before(upto) / max(upto, 1) or 1.0
        penalty = self.k1 * (1 - self.b + self.b * terms.lengths / mean)
        impacts = terms.counts / (terms.counts + penalty[terms.texts])
        return Weights(upto, impacts, idf)
