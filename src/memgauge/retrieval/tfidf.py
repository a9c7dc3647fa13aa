"""TF-IDF cosine over any prefix of a conversation."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from memgauge.retrieval.lexical import LexicalIndex, Weights

if TYPE_CHECKING:
    from memgauge.retrieval.terms import Floats, TermMatrix
    from memgauge.retrieval.topk import Order


class Fit(StrEnum):
    """From which texts document frequencies are counted."""

    PREFIX = "prefix"
    """The texts that are searched."""
    ALL = "all"
    """The whole stream, texts yet to come included: a leak, kept because published numbers rest on it."""


class TfIdf(LexicalIndex):
    """Cosine of ``(1 + ln tf) · (ln((1 + N) / (1 + df)) + 1)`` vectors; query terms are weighed alike.

    Source of the smoothed idf and sublinear tf: Manning, Raghavan, Schütze 2008, section 6.4, with one text added
    that holds every term.
    """

    cosine = True

    def __init__(self, terms: TermMatrix, *, fit: Fit | str = Fit.PREFIX, order: Order | None = None) -> None:
        super().__init__(terms, order=order)
        self.fit = Fit(fit)
        self._tf: Floats = 1 + np.log(terms.counts)

    def weights(self, upto: int) -> Weights:
        """Weigh postings by their share of the unit vector of their text."""
        terms = self.terms
        fitted_count = len(terms) if self.fit is Fit.ALL else upto
        df = terms.ends(fitted_count) - terms.starts[:-1]
        idf = np.where(df > 0, np.log((1 + fitted_count) / (1 + df)) + 1, 0.0)
        impacts = self._tf * idf[terms.term_of]
        norms = np.sqrt(np.bincount(terms.texts, impacts * impacts, minlength=len(terms)))
        lengths = norms[terms.texts]
        impacts = np.divide(impacts, lengths, out=np.zeros_like(impacts), where=lengths > 0)
        return Weights(upto, impacts, idf)
