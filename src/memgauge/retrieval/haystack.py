"""An index of words that lies on disk in parts: it grows with a stream, and is as exact as one in memory.

Growing holds the words and one part; a search reads the postings of the words that are asked and nothing else.
Scores, their rounding and the order of equal ones are those of :class:`memgauge.retrieval.bm25.BM25` over
everything at once, to the last bit of a score. Vectors have the same in :mod:`memgauge.retrieval.stack`.
"""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.errors import DataError
from memgauge.refusals import remedy
from memgauge.retrieval.lexical import LexicalIndex, Weights
from memgauge.retrieval.parts import Best, IndexPart, latest
from memgauge.retrieval.terms import TermLog, TermMatrix
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from memgauge.retrieval.parts import Ties
    from memgauge.retrieval.terms import Floats, Ints, Tokenizer

    Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]

PART_TOKENS: Final = 1 << 22
"""Tokens of one part: some 150 MB while it is sorted."""
_KINDS: Final = {
    "terms": "<u4",
    "starts": "<u8",
    "texts": "<u4",
    "counts": "<u4",
    "lengths": "<u4",
    "ties": "<u8",
}


class HaystackIndex:
    """BM25 over texts on disk; of equal ones the later comes first, unless they were given ties."""

    def __init__(
        self,
        folder: Path,
        *,
        tokenizer: Tokenizer = tokenize,
        k1: float = 1.5,
        b: float = 0.75,
        part_tokens: int = PART_TOKENS,
    ) -> None:
        """Begin an empty index; what lay in *folder* is overwritten.

        Raises:
            DataError: It cannot be written.
        """
        self._folder = folder
        self._tokenizer, self._k1, self._b, self._part_tokens = tokenizer, k1, b, part_tokens
        self._log = TermLog(tokenizer)
        self._waiting: array[int] = array("Q")
        """The ties of the texts that are in no part yet."""
        self._df: array[int] = array("Q")
        self._parts: list[dict[str, int]] = []
        """Where each part begins in every file."""
        self._ends = dict.fromkeys(_KINDS, 0)
        self._tokens = 0
        self._tail: TermMatrix | None = None
        self._words: Mapping[str, int] = {}
        self._files: dict[str, npt.NDArray[Any]] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in _KINDS:
                (folder / name).write_bytes(b"")
        except OSError as error:
            raise _unwritten(folder, error) from error

    def __len__(self) -> int:
        return self._ends["lengths"] + len(self._log)

    def extend(self, texts: Sequence[str], ties: Ties | None = None) -> None:
        """Take texts; *ties* decide between those of equal scores, the smaller first.

        Raises:
            DataError: They cannot be written.
        """
        tie_values = latest(len(self), len(texts)) if ties is None else ties
        self._tail = None
        for text, tie in zip(texts, tie_values.tolist(), strict=True):
            self._log.append(text)
            self._waiting.append(tie)
            if self._log.tokens >= self._part_tokens:
                self._flush()

    def search(self, query: str, k: int) -> Found:
        """Return places and scores of the best *k* for one query, without padding."""
        places, scores = self.search_many([query], k)
        is_filled = places[0] >= 0
        return places[0][is_filled], scores[0][is_filled]

    def search_many(self, queries: Sequence[str], k: int) -> Found:
        """Return the best *k* for each query: places padded with -1, scores padded with 0.

        Every part is read once for all queries.
        """
        tail = self._last()
        vocabulary = self._words if tail is None else tail.vocabulary
        words = list(dict.fromkeys(w for query in queries for w in self._tokenizer(query) if w in vocabulary))
        numbers = np.array([vocabulary[word] for word in words], dtype=np.int64)
        idf, mean = self._statistics(numbers, tail)
        best = Best(len(queries), max(0, min(k, len(self))))
        encoded_queries = None
        for part, terms in self._read({word: n for n, word in enumerate(words)}, numbers, tail):
            encoded_queries = terms.encode(queries) if encoded_queries is None else encoded_queries
            index = _WeighedPart(terms, part, idf, mean, self._k1, self._b)
            best.take(*index.search_many(encoded_queries, k), part)
        return best.places, best.scores

    def _statistics(self, numbers: Ints, tail: TermMatrix | None) -> tuple[Floats, float]:
        """Return the weight of each word that is asked, and the mean length of a text, over all parts."""
        all_df = np.frombuffer(self._df, dtype=np.uint64)
        df, tokens = np.zeros(len(numbers), dtype=np.int64), self._tokens
        is_stored = numbers < len(all_df)
        df[is_stored] = all_df[numbers[is_stored]]
        if tail is not None:
            df += np.diff(tail.starts)[numbers]
            tokens += int(tail.lengths.sum())
        total = len(self)
        return np.log1p((total - df + 0.5) / (df + 0.5)), tokens / max(total, 1) or 1.0

    def _last(self) -> TermMatrix | None:
        """Return the texts that are in no part yet."""
        if self._tail is None and len(self._log):
            self._tail = self._log.matrix(live=True)
        return self._tail

    def _read(
        self, words: dict[str, int], numbers: Ints, tail: TermMatrix | None
    ) -> Iterator[tuple[IndexPart, TermMatrix]]:
        """Yield, part by part, the texts with some words as a small matrix."""
        for begin, end in pairwise([*self._parts, self._ends]):
            columns = {name: file[begin[name] : end[name]] for name, file in self._files.items()}
            at = np.searchsorted(columns["terms"], numbers)
            is_here = at < len(columns["terms"])
            is_here[is_here] = columns["terms"][at[is_here]] == numbers[is_here]
            starts, ends = np.zeros_like(numbers), np.zeros_like(numbers)
            starts[is_here], ends[is_here] = columns["starts"][at[is_here]], columns["starts"][at[is_here] + 1]
            yield self._cut(words, columns, (starts, ends), begin["lengths"])
        if tail is not None:
            columns = {
                "texts": tail.texts,
                "counts": tail.counts,
                "lengths": tail.lengths,
                "ties": np.array(self._waiting, dtype=np.uint64),
            }
            yield self._cut(
                words, columns, (tail.starts[numbers], tail.starts[numbers + 1]), self._ends["lengths"]
            )

    def _cut(
        self, words: dict[str, int], columns: dict[str, npt.NDArray[Any]], ranges: tuple[Ints, Ints], offset: int
    ) -> tuple[IndexPart, TermMatrix]:
        """Make a matrix of the texts that hold one of the words, and of no others."""
        cuts = [slice(b, e) for b, e in zip(ranges[0].tolist(), ranges[1].tolist(), strict=True)]
        holding, texts = np.unique(_joined([columns["texts"][cut] for cut in cuts], np.int64), return_inverse=True)
        matrix = TermMatrix(
            vocabulary=words,
            starts=np.concatenate(([0], np.cumsum(ranges[1] - ranges[0]))),
            texts=texts.astype(np.int64),
            counts=_joined([columns["counts"][cut] for cut in cuts], np.float64),
            lengths=columns["lengths"][holding].astype(np.int64),
            tokenizer=self._tokenizer,
        )
        return IndexPart(holding + offset, columns["ties"][holding].astype(np.uint64)), matrix

    def _flush(self) -> None:
        """Append a part to the files."""
        matrix = self._log.matrix(live=True)
        self._words = matrix.vocabulary
        df = np.diff(matrix.starts)
        terms = np.flatnonzero(df)
        self._df.extend([0] * (len(df) - len(self._df)))
        np.frombuffer(self._df, dtype=np.uint64)[terms] += df[terms].astype(np.uint64)
        columns = {
            "terms": terms,
            "starts": np.concatenate(([0], np.cumsum(df[terms]))),
            "texts": matrix.texts,
            "counts": matrix.counts,
            "lengths": matrix.lengths,
            "ties": np.array(self._waiting, dtype=np.uint64),
        }
        self._parts.append(dict(self._ends))
        try:
            for name, column in columns.items():
                with (self._folder / name).open("ab") as file:
                    file.write(column.astype(_KINDS[name]).data)  # tofile would not see a full disk
                self._ends[name] += len(column)
            self._files = {n: np.memmap(self._folder / n, dtype=kind, mode="r") for n, kind in _KINDS.items()}
        except OSError as error:
            raise _unwritten(self._folder, error) from error
        self._tokens += int(matrix.lengths.sum())
        self._log.forget()
        self._waiting, self._tail = array("Q"), None


class _WeighedPart(LexicalIndex):
    """One part, weighed by the statistics of all."""

    def __init__(self, terms: TermMatrix, part: IndexPart, idf: Floats, mean: float, k1: float, b: float) -> None:
        super().__init__(terms, order=part.order)
        self._idf, self._mean, self._k1, self._b = idf, mean, k1, b

    def weights(self, upto: int) -> Weights:
        """Weigh postings as BM25 does."""
        terms = self.terms
        penalty = self._k1 * (1 - self._b + self._b * terms.lengths / self._mean)
        return Weights(upto, terms.counts / (terms.counts + penalty[terms.texts]), self._idf)


def _joined(pieces: list[npt.NDArray[Any]], kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate(pieces).astype(kind) if pieces else np.zeros(0, dtype=kind)


def _unwritten(folder: Path, error: OSError) -> DataError:
    return DataError(f"Cannot write the index {folder}: {error.strerror}.", remedy(error))
