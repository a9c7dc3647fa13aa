"""Lexical policies: BM25 and TF-IDF cosine over the turns heard so far."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.records import ScoreKind
from memgauge.retrieval.bm25 import BM25
from memgauge.retrieval.terms import TermLog
from memgauge.retrieval.tfidf import TfIdf
from memgauge.retrieval.topk import by_hash
from memgauge.systems.policies.indexed import IndexedPolicy
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.records import Memory, Scope
    from memgauge.retrieval.lexical import LexicalIndex
    from memgauge.retrieval.terms import TermMatrix, Tokenizer
    from memgauge.retrieval.topk import Order

    Fit = Callable[[TermMatrix, Order], LexicalIndex]


class WordIndex:
    """Words of memories, tokenised once and fitted again when a search follows new ones."""

    def __init__(self, tokenizer: Tokenizer, fit: Fit) -> None:
        self._log = TermLog(tokenizer)
        self._ids: list[str] = []
        self._fit = fit
        self._fitted: LexicalIndex | None = None

    def extend(self, memories: Sequence[Memory]) -> None:
        """Tokenise *memories*."""
        self._fitted = None
        for memory in memories:
            self._log.append(memory.text)
            self._ids.append(memory.id)

    def search(self, query: str, k: int) -> Sequence[tuple[int, float]]:
        """Return places and scores of the best *k* that share a word with the query."""
        if self._fitted is None:
            self._fitted = self._fit(self._log.matrix(), by_hash(self._ids))
        places, scores = self._fitted.search(query, k)
        return list(zip(places.tolist(), scores.tolist(), strict=True))


class LexicalPolicy(IndexedPolicy):
    """Search words in turns; turns that share none with the query are not returned."""

    score_kind = ScoreKind.SIMILARITY

    def __init__(self, *, stem: str = "none", speaker: bool = False, capacity: int | None = None) -> None:
        """Search case-folded words, stemmed by the Snowball language *stem* unless that is ``none``."""
        super().__init__(speaker=speaker, capacity=capacity)
        self._tokenizer = stemmer(stem)

    @abstractmethod
    def fit(self, terms: TermMatrix, order: Order) -> LexicalIndex:
        """Weigh the terms of one scope."""

    def new_index(self, scope: Scope) -> WordIndex:  # noqa: ARG002 - the protocol of the base
        """Make an empty index of words."""
        return WordIndex(self._tokenizer, self.fit)


def stemmer(stem: str) -> Tokenizer:
    """Return the tokeniser that stems by the Snowball language *stem*, or not at all for ``none``.

    Raises:
        ConfigError: No such language.
    """
    if stem == "none":
        return tokenize
    tokenizer = partial(tokenize, stem=stem)
    try:
        tokenizer("a")
    except KeyError:
        raise ConfigError(
            f"There is no stemmer called {stem!r}.", "Take none, english or another language."
        ) from None
    return tokenizer


class Bm25Policy(LexicalPolicy):
    """Ranks turns by BM25 (Lucene's formula). Tie rule: score descending, then a hash of the turn id."""

    name = "bm25"

    def __init__(
        self,
        *,
        k1: float = 1.5,
        b: float = 0.75,
        stem: str = "none",
        speaker: bool = False,
        capacity: int | None = None,
    ) -> None:
        super().__init__(stem=stem, speaker=speaker, capacity=capacity)
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
