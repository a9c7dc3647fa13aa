"""Second looks: a query and a text read together, slower and finer than an index."""

from __future__ import annotations

import os
from itertools import pairwise
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from memgauge.errors import MissingExtraError
from memgauge.extras import lacking
from memgauge.registry import unknown_name
from memgauge.retrieval.onnx_runtime import onnxruntime
from memgauge.text.halves import encodable
from memgauge.text.tokens import tokenize
from memgauge.text.words import LUCENE_STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

BATCH = 16
MAX_LENGTH = 512
WEIGHTS = "MEMGAUGE_RERANKER"
RERANKERS = ("best", "lexical", "cross-encoder")


class Reranker(Protocol):
    """Scores texts against a query; higher is better."""

    @property
    def name(self) -> str:
        """Name the model for reports."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text."""
        ...


class LexicalReranker:
    """A stand-in for a cross-encoder that needs no weights: rare words of the query, and pairs of them, in a text.

    Words are weighed by how few of the texts at hand hold them, so that a word which all of them share decides
    nothing; two words of the query that stand side by side in the text as they do in the query count once more.
    """

    name = "lexical (stand-in)"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the weight of the words of *query* that each text holds."""
        query_words = _words(query)
        text_words = [_words(text) for text in texts]
        word_sets = [set(words) for words in text_words]
        weight = {
            word: log(1 + (len(texts) + 1) / (1 + sum(word in words for words in word_sets)))
            for word in set(query_words)
        }
        query_pairs = set(pairwise(query_words))
        return [
            sum(weight[word] for word in sorted(weight) if word in words)
            + sum(weight[a] + weight[b] for a, b in sorted(query_pairs & set(pairwise(line))))
            for line, words in zip(text_words, word_sets, strict=True)
        ]


def _words(text: str) -> list[str]:
    return [word for word in tokenize(text, stem="english") if word not in LUCENE_STOP_WORDS]


class CrossEncoder:
    """A cross-encoder on onnxruntime, from a folder that the user has: ``model.onnx`` and ``tokenizer.json``.

    The graph takes ``input_ids``, ``attention_mask`` and perhaps ``token_type_ids`` (int64, of shape batch,
    length) and gives one logit a pair, as the usual exports of sequence classifiers do.
    """

    def __init__(self, folder: Path | None = None, *, threads: int = 0) -> None:
        """Load the model from *folder* (default: ``MEMGAUGE_RERANKER``).

        Raises:
            MissingExtraError: Packages or files are absent.
        """
        folder = find_reranker() if folder is None else _with_files(folder, str(folder))
        try:
            library = onnxruntime()
            from tokenizers import Tokenizer
        except ImportError as error:
            raise lacking("dense", f"A cross-encoder needs {error.name}.") from error
        options = library.SessionOptions()
        options.intra_op_num_threads = threads
        self.name = folder.name
        self._session: Any = library.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {node.name for node in self._session.get_inputs()}
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_LENGTH, strategy="longest_first")  # a query may be too long alone
        if self._tokenizer.padding is None:
            self._tokenizer.enable_padding()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the logit of every pair."""
        values: list[float] = []
        for start in range(0, len(texts), BATCH):
            pairs = [(encodable(query), encodable(text)) for text in texts[start : start + BATCH]]
            codes = self._tokenizer.encode_batch(pairs)
            feed = {
                "input_ids": np.array([code.ids for code in codes], dtype=np.int64),
                "attention_mask": np.array([code.attention_mask for code in codes], dtype=np.int64),
                "token_type_ids": np.array([code.type_ids for code in codes], dtype=np.int64),
            }
            feed = {name: value for name, value in feed.items() if name in self._inputs}
            logits = np.asarray(self._session.run(None, feed)[0], dtype=np.float64)
            values += logits.reshape(len(codes), -1)[:, -1].tolist()
        return values


def find_reranker() -> Path:
    """Return the folder that ``MEMGAUGE_RERANKER`` names.

    Raises:
        MissingExtraError: It is not set, or holds no model.
    """
    named_folder = os.environ.get(WEIGHTS)
    if not named_folder:
        raise MissingExtraError(
            "No cross-encoder is at hand.", f"Set {WEIGHTS} to a folder with model.onnx and tokenizer.json."
        )
    return _with_files(Path(named_folder), f"{WEIGHTS}={named_folder}")


def _with_files(folder: Path, description: str) -> Path:
    missing_files = [name for name in ("model.onnx", "tokenizer.json") if not (folder / name).is_file()]
    if missing_files:
        raise MissingExtraError(f"{description} holds no {' and no '.join(missing_files)}.")
    return folder


def open_reranker(name: str) -> Reranker:
    """Open ``lexical``, ``cross-encoder``, or with ``best`` the second where its weights are and else the first.

    Raises:
        MissingExtraError: A cross-encoder was asked for, by name or by naming its folder, and is not there.
        UnknownNameError: No such reranker.
    """
    if name not in RERANKERS:
        raise unknown_name("reranker", name, RERANKERS)
    if name == "cross-encoder" or (name == "best" and os.environ.get(WEIGHTS)):
        return CrossEncoder()
    return LexicalReranker()
