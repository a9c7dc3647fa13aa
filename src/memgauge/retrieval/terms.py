"""The term matrix of a growing sequence of texts, as postings that any prefix can be read from."""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.retrieval.wordtable import WordTable, shared_table
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    Tokenizer = Callable[[str], list[str]]
    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]


_AT_ONCE = 40_000
"""Characters from which on texts are worth being cut by columns."""
_TEXTS = 128
"""Texts that are cut by columns at a time."""


@dataclass(frozen=True)
class Queries:
    """Queries as known terms with their counts; query ``q`` owns ``[starts[q], starts[q + 1])``."""

    starts: Ints
    terms: Ints
    counts: Floats

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True)
class TermMatrix:
    """Counts of terms in texts, stored term by term with the texts ascending.

    Terms are numbered by first occurrence, so the terms of a prefix of the texts are a prefix of the terms, and
    postings of the texts before ``h`` are found by bisection.
    """

    vocabulary: Mapping[str, int]
    starts: Ints
    """Postings of term ``t``: ``[starts[t], starts[t + 1])``."""
    texts: Ints
    counts: Floats
    lengths: Ints
    """Tokens of each text."""
    tokenizer: Tokenizer

    @classmethod
    def build(cls, texts: Iterable[str], tokenizer: Tokenizer = tokenize) -> TermMatrix:
        """Tokenise *texts* and count their terms."""
        log = TermLog(tokenizer)
        for text in texts:
            log.append(text)
        return log.matrix()

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def term_of(self) -> Ints:
        """The term of each posting."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @cached_property
    def _tokens_before(self) -> Ints:
        return np.concatenate(([0], np.cumsum(self.lengths)))

    def tokens_before(self, upto: int) -> int:
        """Count the tokens of the first *upto* texts."""
        return int(self._tokens_before[upto])

    def ends(self, upto: int) -> Ints:
        """Return where the postings of each term reach text *upto*; minus ``starts``, its document frequency."""
        if upto >= len(self):
            return self.starts[1:]
        terms = np.arange(len(self.starts) - 1, dtype=np.int64)
        return np.searchsorted(self._keys, terms * len(self) + upto)

    @cached_property
    def _keys(self) -> Ints:
        return self.term_of * len(self) + self.texts

    def encode(self, queries: Iterable[str]) -> Queries:
        """Translate *queries* into known terms; unknown words are dropped."""
        starts, terms, counts = [0], array("q"), array("d")
        number = self.vocabulary.get
        for query in queries:
            terms_known = [term for term in map(number, self.tokenizer(query)) if term is not None]
            distinct = list(dict.fromkeys(terms_known))
            terms.fromlist(distinct)
            counts.fromlist(
                [1.0] * len(terms_known)
                if len(distinct) == len(terms_known)
                else list(map(terms_known.count, distinct))
            )
            starts.append(len(terms))
        return Queries(np.array(starts, dtype=np.int64), _frozen(terms), _frozen(counts, np.float64))


class TermLog:
    """Texts appended one by one, tokenised once, turned into a :class:`TermMatrix` when one is needed."""

    def __init__(self, tokenizer: Tokenizer = tokenize) -> None:
        self._tokenizer = tokenizer
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._table: WordTable | None = None
        self._known: Ints = np.zeros(0, dtype=np.int64)
        """Terms by the number of their word in the table; -1 where it was not met here."""
        self._terms = array("q")
        self._lengths = array("q")

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def tokens(self) -> int:
        """Count the tokens of all texts."""
        return len(self._terms)

    @property
    def words(self) -> Iterable[str]:
        """Every word met so far, in the order of terms."""
        return self._numbers.keys()

    def forget(self) -> None:
        """Drop the texts, and keep the numbers of words."""
        self._terms, self._lengths = array("q"), array("q")

    def append(self, text: str) -> None:
        """Add one text at the end."""
        words = self._tokenizer(text)
        self._terms.fromlist(list(map(self._numbers.__getitem__, words)))
        self._lengths.append(len(words))

    def extend(self, texts: Sequence[str]) -> None:
        """Add texts at the end; many at once take a fraction of the time where words are cut by default."""
        if self._tokenizer is not tokenize or sum(map(len, texts)) < _AT_ONCE:
            for text in texts:
                self.append(text)
            return
        for start in range(0, len(texts), _TEXTS):
            words, lengths = self._words(texts[start : start + _TEXTS])
            self._terms.frombytes(words.tobytes())
            self._lengths.frombytes(lengths.tobytes())

    def _words(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """Return the terms of *texts*, one after the other, and how many each has."""
        table = shared_table()
        words, lengths = table.of(texts)
        if table is not self._table:
            self._table, self._known = table, np.zeros(0, dtype=np.int64)
        if len(table.words) > len(self._known):
            grown = np.full(len(table.words), -1, dtype=np.int64)
            grown[: len(self._known)] = self._known
            self._known = grown
        terms = self._known[words]
        unmet = words[terms < 0]
        if len(unmet):
            places = np.arange(len(unmet))
            first_places = np.empty(len(self._known), dtype=np.int64)
            first_places[unmet[::-1]] = places[::-1]  # of what stands twice, the last one stays: here the first
            distinct = unmet[first_places[unmet] == places]
            spelt = map(table.words.__getitem__, distinct.tolist())
            self._known[distinct] = list(map(self._numbers.__getitem__, spelt))
            terms = self._known[words]
        return terms, lengths

    def matrix(self, *, live: bool = False) -> TermMatrix:
        """Count everything appended so far; later appends do not change the result.

        With *live*, they do add to its vocabulary, which is then not copied.
        """
        lengths = _frozen(self._lengths)
        n = max(len(lengths), 1)
        keys = _frozen(self._terms) * n + np.repeat(np.arange(len(lengths)), lengths)
        keys.sort()
        first_postings = np.flatnonzero(np.diff(keys, prepend=-1))
        postings = keys[first_postings]
        terms = postings // n
        return TermMatrix(
            vocabulary=self._numbers if live else dict(self._numbers),
            starts=np.searchsorted(terms, np.arange(len(self._numbers) + 1)),
            texts=postings - terms * n,
            counts=np.diff(first_postings, append=len(keys)).astype(np.float64),
            lengths=lengths,
            tokenizer=self._tokenizer,
        )


def _frozen(values: array[Any], kind: type = np.int64) -> Any:
    """Copy *values*, so that the array may go on growing."""
    return np.array(values, dtype=kind)
