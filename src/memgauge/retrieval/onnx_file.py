"""Sentence vectors of any encoder in an ONNX file, with its tokeniser beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.errors import ConfigError
from memgauge.records.identities import ModelIdentity
from memgauge.retrieval.encoding import BatchEncoder, digest_of, open_session, require_libraries, runtime
from memgauge.text.cards import Prefixes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.retrieval.embedders import Vectors
    from memgauge.retrieval.encoding import Ids

POOLINGS = ("mean", "cls")


class OnnxFile:
    """An encoder whose graph takes ``input_ids`` and ``attention_mask`` and gives hidden states, or sentences.

    Hidden states are averaged over the mask, or their first is taken; rows have unit length. A query goes behind
    what the model's card puts before one.
    """

    def __init__(
        self,
        graph: Path,
        tokenizer: Path,
        *,
        name: str = "",
        quantisation: str = "",
        pooling: str = "mean",
        longest: int = 256,
        prefixes: Prefixes = Prefixes(),  # noqa: B008 - it is frozen
        threads: int = 0,
    ) -> None:
        """Load it; nothing but the two files is read.

        Raises:
            MissingExtraError: Packages are absent.
            ConfigError: A file is absent, or the graph is no encoder of texts.
        """
        require_libraries("onnxruntime", "tokenizers")
        for path in (graph, tokenizer):
            if not path.is_file():
                raise ConfigError(f"{path} is not there.", "Put model and tokenizer.json into one folder.")
        if pooling not in POOLINGS:
            raise ConfigError(f"There is no pooling {pooling!r}.", f"Take {' or '.join(POOLINGS)}.")
        self._session: Any = open_session(graph, threads)
        self._inputs = {node.name for node in self._session.get_inputs()}
        output = self._session.get_outputs()[0]
        if not {"input_ids", "attention_mask"} <= self._inputs or not isinstance(output.shape[-1], int):
            raise ConfigError(f"{graph} is no encoder of texts.", "It takes input_ids and attention_mask.")
        self._pooling = pooling if len(output.shape) == 3 else ""
        self._prefixes = prefixes
        self.dim: int = output.shape[-1]
        self.name = name or graph.stem
        self.about = ModelIdentity(
            self.name,
            _digest(graph, tokenizer),
            quantisation,
            runtime(),
            prefixes.query,
            prefixes.document,
            self.dim,
            longest,
        )
        self.fingerprint = f"onnx-1:{self.about.fingerprint}:{pooling}"
        self._encoder = BatchEncoder(tokenizer, longest, self.dim, self._run)

    @property
    def identity(self) -> str:
        """Name weights, quantisation and runtime."""
        return self.about.label

    @property
    def cut(self) -> int:
        """How many texts were longer than what it reads."""
        return self._encoder.cut

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a document."""
        return self._encoder.encode([self._prefixes.document + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a query."""
        return self._encoder.encode([self._prefixes.query + text for text in texts])

    def _run(self, ids: Ids, mask: Ids) -> Vectors:
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states = self._session.run(None, {name: value for name, value in feed.items() if name in self._inputs})[0]
        if self._pooling == "mean":
            states = (states * mask[..., np.newaxis]).sum(axis=1)  # its length does not matter
        elif self._pooling == "cls":
            states = states[:, 0]
        rows = np.asarray(states, dtype=np.float64)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units: Vectors = np.divide(rows, lengths, out=rows, where=lengths > 0).astype(np.float32)
        return units


def _digest(*files: Path) -> str:
    """Hash the weights; what else decides a vector is hashed behind them."""
    digests = [digest_of(path) for path in files]
    return digests[0] if len(digests) == 1 else "+".join(digests)
