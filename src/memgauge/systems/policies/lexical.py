"""Lexical policies: BM25 and TF-IDF cosine over the turns heard so far."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import ScoreKind
from memgauge.retrieval.bm25 import BM25
from memgauge.retrieval.terms import TermLog
from memgauge.retrieval.tfidf import TfIdf
from memgauge.retrieval.topk import by_hash
from memgauge.systems.policies.policy import Policy
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.records import Memory, Scope
    from memgauge.retrieval.lexical import LexicalIndex
    from memgauge.retrieval.terms import TermMatrix
    from memgauge.retrieval.topk import Order
    from memgauge.systems.policies.store import Shelf


@dataclass
class _Indexed:
    """The index of one shelf, and what of the shelf it covers."""

    log: TermLog
    revision: int
    memories: list[Memory]
    index: LexicalIndex | None = None


class LexicalPolicy(Policy):
    """Search words in turns. Tie rule: score descending, then a hash of the turn id."""

    score_kind = ScoreKind.SIMILARITY

    def __init__(self, *, stem: str = "none", speaker: bool = False) -> None:
        """Search case-folded words, stemmed by the Snowball language *stem* unless that is ``none``."""
        super().__init__(speaker=speaker)
        self._tokenizer = tokenize if stem == "none" else partial(tokenize, stem=stem)
        self._indexed: dict[Scope, tuple[Shelf, _Indexed]] = {}

    @abstractmethod
    def fit(self, terms: TermMatrix, order: Order) -> LexicalIndex:
        """Make the index of one shelf."""

    def rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Iterator[tuple[Memory, float | None]]:
        """Order by lexical score; turns that share no word with the query are left out."""
        indexed = self._catch_up(scope, shelf)
        if indexed.index is None:
            order = by_hash(memory.id for memory in indexed.memories)
            indexed.index = self.fit(indexed.log.matrix(), order)
        places, scores = indexed.index.search(query, k)
        return ((indexed.memories[i], float(s)) for i, s in zip(places.tolist(), np.asarray(scores), strict=True))

    def _catch_up(self, scope: Scope, shelf: Shelf) -> _Indexed:
        known, indexed = self._indexed.get(scope, (None, None))
        if indexed is None or known is not shelf or indexed.revision != shelf.revision:
            indexed = _Indexed(TermLog(self._tokenizer), shelf.revision, [])
            self._indexed[scope] = (shelf, indexed)
        new = tuple(islice(shelf.memories.values(), len(indexed.memories), None))
        if new:
            indexed.index = None
        for memory in new:
            indexed.log.append(memory.text)
            indexed.memories.append(memory)
        return indexed


class Bm25Policy(LexicalPolicy):
    """Ranks turns by BM25 (Lucene's formula). Tie rule: score descending, then a hash of the turn id."""

    name = "bm25"

    def __init__(self, *, k1: float = 1.5, b: float = 0.75, stem: str = "none", speaker: bool = False) -> None:
        super().__init__(stem=stem, speaker=speaker)
        self.k1 = k1
        self.b = b

    def fit(self, terms: TermMatrix, order: Order) -> LexicalIndex:
        """Weigh terms by BM25."""
        return BM25(terms, k1=self.k1, b=self.b, order=order)


class TfIdfPolicy(LexicalPolicy):
    """Ranks turns by the cosine of TF-IDF vectors. Tie rule: score descending, then a hash of the turn id."""

    name = "tfidf"

    def fit(self, terms: TermMatrix, order: Order) -> LexicalIndex:
        """Weigh terms by TF-IDF over the turns heard so far."""
        return TfIdf(terms, order=order)
