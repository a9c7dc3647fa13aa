"""Lexical policies: BM25 and TF-IDF cosine over the turns heard so far."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.records import ScoreKind
from memgauge.registry import named, unknown_name
from memgauge.retrieval.bm25 import BM25
from memgauge.retrieval.terms import TermLog
from memgauge.retrieval.tfidf import TfIdf
from memgauge.retrieval.topk import by_hash
from memgauge.systems.policies.indexed import IndexedPolicy
from memgauge.text.tokens import paired, tokenize
from memgauge.text.words import LUCENE_STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge import ranges
    from memgauge.records import Memory, Scope
    from memgauge.retrieval.lexical import LexicalIndex
    from memgauge.retrieval.terms import TermMatrix, Tokenizer
    from memgauge.retrieval.topk import Order

    Fit = Callable[[TermMatrix, Order], LexicalIndex]


RUNS: Final = "runs"
UNSPACED: Final = (RUNS, "pairs")
STOP_WORDS: Mapping[str, frozenset[str]] = {"none": frozenset(), "lucene": LUCENE_STOP_WORDS}

_PORTION: Final = 1 << 16
"""Characters that wait at most to be tokenised until a search: half a millisecond of it."""


class WordIndex:
    """Words of memories, tokenised once and fitted again when a search follows new ones."""

    def __init__(self, tokenizer: Tokenizer, fit: Fit) -> None:
        self._log = TermLog(tokenizer)
        self._ids: list[str] = []
        self._fit = fit
        self._fitted: LexicalIndex | None = None
        self._waiting: list[str] = []
        self._letters = 0

    def extend(self, memories: Sequence[Memory]) -> None:
        """Tokenise *memories*, as soon as there are enough of them for that to be done by columns."""
        self._fitted = None
        for memory in memories:
            self._waiting.append(memory.text)
            self._letters += len(memory.text)
            self._ids.append(memory.id)
        if self._letters >= _PORTION:
            self._tokenise()

    def _tokenise(self) -> None:
        self._log.extend(self._waiting)
        self._waiting, self._letters = [], 0

    def search(self, query: str, k: int) -> Sequence[tuple[int, float]]:
        """Return places and scores of the best *k* that share a word with the query."""
        if self._fitted is None:
            self._tokenise()
            self._fitted = self._fit(self._log.matrix(), by_hash(self._ids))
        places, scores = self._fitted.search(query, k)
        return list(zip(places.tolist(), scores.tolist(), strict=True))


@dataclass(kw_only=True, eq=False)
class LexicalPolicy(IndexedPolicy):
    """Search words in turns; turns that share none with the query are not returned."""

    score_kind = ScoreKind.SIMILARITY

    stem: str = "none"
    """Stem words by this Snowball language, unless it is ``none``."""
    stop: str = "none"
    """Drop these words first: ``none``, or ``lucene`` (33 English ones)."""
    unspaced: str = RUNS
    """What is a word in scripts without spaces: ``runs`` of letters, or ``pairs`` of neighbours."""

    def __post_init__(self) -> None:
        """Search case-folded words."""
        super().__post_init__()
        self._tokenizer = tokenizer(self.stem, self.stop, self.unspaced)

    @abstractmethod
    def _fit(self) -> Fit:
        """Return what weighs the terms of one scope.

        It does not hold this memory, which holds it: all of a conversation would lie in a circle, and stay until
        circles are looked for.
        """

    def _new_index(self, scope: Scope) -> WordIndex:  # noqa: ARG002 - the protocol of the base
        return WordIndex(self._tokenizer, self._fit())


def tokenizer(stem: str, stop: str = "none", unspaced: str = RUNS) -> Tokenizer:
    """Return the tokeniser that drops the words of *stop* and stems by the Snowball language *stem*.

    Raises:
        ConfigError: No such language, no such list, or no such way to cut what has no spaces.
    """
    if unspaced not in UNSPACED:
        raise unknown_name("way to cut what has no spaces", unspaced, UNSPACED)
    words = _spaced(stem, stop)
    return words if unspaced == RUNS else lambda text: paired(words(text))


def _spaced(stem: str, stop: str) -> Tokenizer:
    dropped = named("list of stop words", stop, STOP_WORDS)
    stems = _stemmer(stem)
    if not dropped:
        return stems
    return lambda text: stems(" ".join(word for word in tokenize(text) if word not in dropped))


def _stemmer(stem: str) -> Tokenizer:
    if stem == "none":
        return tokenize
    stems = partial(tokenize, stem=stem)
    try:
        stems("a")
    except KeyError:
        raise ConfigError(
            f"There is no stemmer called {stem!r}.", "Take none, english or another language."
        ) from None
    return stems


@dataclass(kw_only=True, eq=False)
class Bm25Policy(LexicalPolicy):
    """Ranks turns by BM25 (Lucene's formula). Tie rule: score descending, then a hash of the turn id."""

    name = "bm25"

    k1: ranges.Factor = 1.5
    b: ranges.Share = 0.75

    def _fit(self) -> Fit:
        k1, b = self.k1, self.b
        return lambda terms, order: BM25(terms, k1=k1, b=b, order=order)


class TfIdfPolicy(LexicalPolicy):
    """Ranks turns by the cosine of TF-IDF vectors. Tie rule: score descending, then a hash of the turn id."""

    name = "tfidf"

    def _fit(self) -> Fit:
        return lambda terms, order: TfIdf(terms, order=order)
