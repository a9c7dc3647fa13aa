"""TF-IDF of one conversation in the paper's reading, weighted anew for what has been seen.

Terms are ``[a-z']+`` of the lower-cased text; tf is 1 + ln tf; idf is ln((1 + N) / (1 + df)) + 1 over the items
that the fit has seen, copies counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    from scipy import sparse

    Floats = npt.NDArray[np.float64]

PATTERN = r"[a-z']+"


def term_counts(texts: Sequence[str], vocabulary: dict[str, int]) -> tuple[list[int], list[int]]:
    """Number the terms of *texts*, extending *vocabulary*; text ``i`` owns ``terms[ends[i]:ends[i + 1]]``."""
    terms: list[int] = []
    ends = [0]
    for text in texts:
        terms.extend(vocabulary.setdefault(word, len(vocabulary)) for word in tokenize(text, pattern=PATTERN))
        ends.append(len(terms))
    return terms, ends


def sublinear(terms: list[int], ends: list[int], width: int) -> sparse.csr_array:
    """Build the matrix of 1 + ln tf."""
    from scipy import sparse

    matrix = sparse.csr_array(
        (np.ones(len(terms)), np.array(terms, dtype=np.int64), ends), shape=(len(ends) - 1, width)
    )
    matrix.sum_duplicates()
    matrix.data = 1.0 + np.log(matrix.data)
    return matrix


@dataclass(frozen=True, eq=False)
class Weighted:
    """Unit rows of texts and queries under one idf."""

    rows: sparse.csr_array
    queries: sparse.csr_array
    idf: Floats

    def compare(self, query: int) -> Floats:
        """Return the cosine of one query to every text."""
        return np.asarray((self.rows @ self.queries[[query]].T).toarray().ravel(), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class TermVectors:
    """All texts of one conversation (its turns, then strangers) and its questions, before idf."""

    texts: sparse.csr_array
    queries: sparse.csr_array
    presence: sparse.csr_array
    """(terms, texts) 1 where a term occurs."""
    vocabulary: Mapping[str, int]

    @classmethod
    def of(cls, texts: Sequence[str], queries: Sequence[str]) -> TermVectors:
        """Count the terms of texts and questions."""
        vocabulary: dict[str, int] = {}
        matrix = sublinear(*term_counts(texts, vocabulary), len(vocabulary))
        presence = matrix.copy()
        presence.data = np.ones_like(presence.data)
        return cls(matrix, _known(queries, vocabulary), presence.T.tocsr(), vocabulary)

    def weigh(self, copies: Floats) -> Weighted:
        """Weigh everything by the idf of a store that holds each text *copies* times."""
        df = self.presence @ copies
        # A term that nothing holds yet must not even lengthen a query: it would tell of texts to come.
        idf = np.where(df > 0, np.log((1.0 + copies.sum()) / (1.0 + df)) + 1.0, 0.0)
        return Weighted(unit(self.texts, idf), unit(self.queries, idf), idf)

    def count_others(self, texts: Sequence[str]) -> sparse.csr_array:
        """Count the terms of other texts (summaries), before idf; unknown terms do not count."""
        return _known(texts, self.vocabulary)


def _known(texts: Sequence[str], vocabulary: Mapping[str, int]) -> sparse.csr_array:
    """Count the terms of *texts* that the vocabulary has; others are not even part of the norm."""
    numbered = [[vocabulary[w] for w in tokenize(text, pattern=PATTERN) if w in vocabulary] for text in texts]
    ends = np.cumsum([0, *map(len, numbered)]).tolist()
    return sublinear([term for terms in numbered for term in terms], ends, len(vocabulary))


def unit(matrix: sparse.csr_array, idf: Floats) -> sparse.csr_array:
    """Scale columns by *idf* and rows to length 1; an empty row stays empty."""
    scaled = matrix.copy().tocsr()
    scaled.data = scaled.data * idf[scaled.indices]
    row = np.repeat(np.arange(scaled.shape[0]), np.diff(scaled.indptr))
    norms = np.sqrt(np.bincount(row, weights=scaled.data**2, minlength=scaled.shape[0]))
    scaled.data /= np.maximum(norms, 1e-12)[row]
    return scaled
