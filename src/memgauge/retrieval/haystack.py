"""Indexes that lie on disk in parts: built from a stream, mapped when searched, and as exact as those in memory.

Building holds the words and one part; a search reads the postings of the words that are asked and nothing else.
Scores, their rounding and the order of equal ones are those of :class:`memgauge.retrieval.bm25.BM25` and
:class:`memgauge.retrieval.dense.DenseIndex` over everything at once, to the last bit of a score.
"""

from __future__ import annotations

import json
from array import array
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.errors import DataError
from memgauge.retrieval.dense import DenseIndex
from memgauge.retrieval.lexical import LexicalIndex, Weights
from memgauge.retrieval.parts import Best
from memgauge.retrieval.terms import TermLog, TermMatrix
from memgauge.retrieval.topk import latest_first
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from memgauge.retrieval.terms import Floats, Ints, Tokenizer

    Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]

PART_TOKENS: Final = 1 << 22
"""Tokens of one part: some 100 MB while it is sorted."""
ROWS: Final = 1 << 15
"""Vectors that are multiplied at a time."""
_KINDS: Final = {"terms": "<u4", "starts": "<u8", "texts": "<u4", "counts": "<u4", "lengths": "<u4"}
_FORMAT: Final = 1


@dataclass(frozen=True)
class _Part:
    """Where a part begins in every file, and how many texts lie before it."""

    before: int
    places: dict[str, int]


class Haystack:
    """BM25 over texts on disk; of equal ones the later comes first."""

    def __init__(self, folder: Path, *, tokenizer: Tokenizer = tokenize, k1: float = 1.5, b: float = 0.75) -> None:
        """Open what :meth:`build` wrote.

        Raises:
            DataError: There is no index, or not a whole one.
        """
        self._tokenizer, self._k1, self._b = tokenizer, k1, b
        try:
            head = json.loads((folder / "haystack.json").read_text(encoding="utf-8"))
            words = (folder / "words.txt").read_text(encoding="utf-8", errors="surrogatepass")
            self._files = {name: _mapped(folder / name, kind) for name, kind in _KINDS.items()}
            self._df = np.fromfile(folder / "df", dtype="<u8").astype(np.int64)
        except (OSError, ValueError) as error:
            raise DataError(f"{folder} holds no index that can be read: {error}.", "Build it again.") from error
        if {name: len(file) for name, file in self._files.items()} != head["sizes"] or head["format"] != _FORMAT:
            raise DataError(f"{folder} is not as it was built.", "Build it again.")
        self._words = {word: number for number, word in enumerate(words.split("\n")[:-1])}
        self._parts = [_Part(part["before"], part["places"]) for part in head["parts"]]
        self._texts, self._tokens = int(head["texts"]), int(head["tokens"])

    def __len__(self) -> int:
        return self._texts

    @classmethod
    def build(
        cls,
        folder: Path,
        texts: Iterable[str],
        *,
        tokenizer: Tokenizer = tokenize,
        part_tokens: int = PART_TOKENS,
        k1: float = 1.5,
        b: float = 0.75,
    ) -> Haystack:
        """Write an index of *texts*, which are read once and not kept.

        Raises:
            DataError: It cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "haystack.json").unlink(missing_ok=True)
            with ExitStack() as stack:
                files = {name: stack.enter_context((folder / name).open("wb")) for name in _KINDS}
                writing = _Writing(files, TermLog(tokenizer), part_tokens)
                for text in texts:
                    writing.add(text)
                head = writing.finish()
            words = "".join(f"{word}\n" for word in writing.log.words)
            (folder / "words.txt").write_text(words, encoding="utf-8", errors="surrogatepass", newline="\n")
            np.array(writing.df, dtype="<u8").tofile(folder / "df")
            (folder / "haystack.json").write_text(json.dumps(head), encoding="utf-8")  # last: now it is whole
        except OSError as error:
            raise DataError(f"Cannot write the index {folder}: {error.strerror}.", "Make room.") from error
        return cls(folder, tokenizer=tokenizer, k1=k1, b=b)

    def search(self, query: str, k: int) -> Found:
        """Return places and scores of the best *k* for one query, without padding."""
        places, scores = self.search_many([query], k)
        found = places[0] >= 0
        return places[0][found], scores[0][found]

    def search_many(self, queries: Sequence[str], k: int) -> Found:
        """Return the best *k* for each query: places padded with -1, scores padded with 0.

        Every part is read once for all queries.
        """
        asked = list(dict.fromkeys(w for query in queries for w in self._tokenizer(query) if w in self._words))
        numbers = np.array([self._words[word] for word in asked], dtype=np.int64)
        df = self._df[numbers]
        idf = np.log1p((self._texts - df + 0.5) / (df + 0.5))
        mean = self._tokens / max(self._texts, 1) or 1.0
        best = Best(len(queries), max(0, min(k, self._texts)))
        encoded = None
        for before, terms in self._read({word: n for n, word in enumerate(asked)}, numbers):
            encoded = terms.encode(queries) if encoded is None else encoded
            index = _Weighed(terms, idf, mean, self._k1, self._b)
            best.take(*index.search_many(encoded, k), before=before)
        return best.places, best.scores

    def _read(self, words: dict[str, int], numbers: Ints) -> Iterator[tuple[int, TermMatrix]]:
        """Yield, part by part, the postings of some words as a small matrix."""
        ends = {name: len(file) for name, file in self._files.items()}
        for part, following in pairwise([*self._parts, _Part(self._texts, ends)]):
            here = {n: f[part.places[n] : following.places[n]] for n, f in self._files.items()}
            at = np.searchsorted(here["terms"], numbers)
            known = at < len(here["terms"])
            known[known] = here["terms"][at[known]] == numbers[known]
            begins, sizes = np.zeros_like(numbers), np.zeros_like(numbers)
            begins[known] = here["starts"][at[known]]
            sizes[known] = here["starts"][at[known] + 1] - here["starts"][at[known]]
            cuts = [slice(b, b + s) for b, s in zip(begins.tolist(), sizes.tolist(), strict=True)]
            yield (
                part.before,
                TermMatrix(
                    vocabulary=words,
                    starts=np.concatenate(([0], np.cumsum(sizes))),
                    texts=_joined([here["texts"][cut] for cut in cuts], np.int64),
                    counts=_joined([here["counts"][cut] for cut in cuts], np.float64),
                    lengths=here["lengths"].astype(np.int64),
                    tokenizer=self._tokenizer,
                ),
            )


class _Weighed(LexicalIndex):
    """One part, weighed by the statistics of all."""

    def __init__(self, terms: TermMatrix, idf: Floats, mean: float, k1: float, b: float) -> None:
        super().__init__(terms)
        self._idf, self._mean, self._k1, self._b = idf, mean, k1, b

    def weights(self, upto: int) -> Weights:
        """Weigh postings as BM25 does."""
        terms = self.terms
        penalty = self._k1 * (1 - self._b + self._b * terms.lengths / self._mean)
        return Weights(upto, terms.counts / (terms.counts + penalty[terms.texts]), self._idf)


class _Writing:
    """Gathers texts into parts and appends each to the files."""

    def __init__(self, files: dict[str, Any], log: TermLog, part_tokens: int) -> None:
        self._files, self.log, self._part_tokens = files, log, part_tokens
        self._sizes = dict.fromkeys(files, 0)
        self._parts: list[dict[str, Any]] = []
        self._before = self._tokens = 0
        self.df: array[int] = array("Q")

    def add(self, text: str) -> None:
        """Take one text."""
        self.log.append(text)
        if self.log.tokens >= self._part_tokens:
            self._flush()

    def finish(self) -> dict[str, Any]:
        """Write the last part, and say what there is."""
        if len(self.log) or not self._parts:
            self._flush()
        return {
            "format": _FORMAT,
            "texts": self._before,
            "tokens": self._tokens,
            "parts": self._parts,
            "sizes": self._sizes,
        }

    def _flush(self) -> None:
        matrix = self.log.matrix()
        self._parts.append({"before": self._before, "places": dict(self._sizes)})
        df = np.diff(matrix.starts)
        present = np.flatnonzero(df)
        self.df.extend([0] * (len(df) - len(self.df)))
        np.frombuffer(self.df, dtype=np.uint64)[present] += df[present].astype(np.uint64)
        columns = {
            "terms": present,
            "starts": np.concatenate(([0], np.cumsum(df[present]))),
            "texts": matrix.texts,
            "counts": matrix.counts,
            "lengths": matrix.lengths,
        }
        for name, column in columns.items():
            column.astype(_KINDS[name]).tofile(self._files[name])
            self._sizes[name] += len(column)
        self._before += len(matrix)
        self._tokens += int(matrix.lengths.sum())
        self.log.forget()


class VectorStack:
    """Unit vectors in a file, searched exactly in blocks; of equal ones the later comes first."""

    def __init__(self, path: Path, dim: int) -> None:
        """Open or make the file.

        Raises:
            DataError: It cannot be read, or holds vectors of another length.
        """
        self._path, self._dim = path, dim
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
            size, rest = divmod(path.stat().st_size, 4 * dim)
        except OSError as error:
            raise DataError(f"Cannot use {path} for vectors: {error.strerror}.", "Choose another.") from error
        if rest:
            raise DataError(f"{path} does not hold vectors of {dim} numbers.", "Build it again.")
        self._size = size

    def __len__(self) -> int:
        return self._size

    def extend(self, rows: npt.ArrayLike) -> None:
        """Append rows, float32."""
        table = np.asarray(rows, dtype="<f4").reshape(-1, self._dim)
        with self._path.open("ab") as file:
            file.write(table.tobytes())
        self._size += len(table)

    def search_many(self, queries: npt.ArrayLike, k: int, *, rows: int = ROWS) -> Found:
        """Return the best *k* for each row of *queries*; the file is read once, *rows* vectors at a time."""
        wanted = np.asarray(queries, dtype=np.float64).reshape(-1, self._dim)
        best = Best(len(wanted), max(0, min(k, self._size)))
        for start in range(0, self._size, rows):
            count = min(rows, self._size - start)
            offset = start * self._dim * 4
            block = np.fromfile(self._path, dtype="<f4", count=count * self._dim, offset=offset)
            index = DenseIndex(block.reshape(count, self._dim), order=latest_first(count))
            best.take(*index.search_many(wanted, k), before=start)
        return best.places, best.scores


def _mapped(path: Path, kind: str) -> npt.NDArray[Any]:
    """Map a file; an empty one cannot be mapped."""
    return np.memmap(path, dtype=kind, mode="r") if path.stat().st_size else np.zeros(0, dtype=kind)


def _joined(pieces: list[npt.NDArray[Any]], kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.concatenate(pieces).astype(kind) if pieces else np.zeros(0, dtype=kind)
