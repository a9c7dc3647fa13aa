"""Language models in GGUF files on llama.cpp, as the package xllamacpp brings it."""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import replace
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import memgauge.models.gguf as files
from memgauge.errors import ConfigError
from memgauge.models.pieces import joined
from memgauge.records.identities import ModelIdentity
from memgauge.retrieval.encoding import digest_of
from memgauge.text.cards import Prefixes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.retrieval.embedders import Vectors
    from memgauge.systems.models.settings import EngineSettings

READ: Final = 8192
"""Tokens of context that are kept in memory, at most, unless more is asked for."""


class Llama:
    """A model in llama.cpp, with all cores and one conversation at a time."""

    def __init__(self, settings: EngineSettings) -> None:
        path = Path(settings.weights)
        head = files.gguf_head(path)
        trained_length = files.longest_of(head)
        longest = settings.longest or min(trained_length or READ, READ)
        package = import_module("xllamacpp")
        self.name = settings.name
        self.about = ModelIdentity(
            settings.name,
            digest_of(path),
            settings.quantisation or files.quantisation_of(head),
            f"xllamacpp {package.__version__}",
            longest=longest,
        )
        parameters = package.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx = longest
        parameters.n_parallel = 1
        parameters.n_predict = settings.cap
        parameters.cpuparams.n_threads = settings.threads or os.cpu_count() or 1
        parameters.offline = True
        parameters.hostnames = ["127.0.0.1"]  # it listens by itself too, for nobody who has not this key
        parameters.api_keys = [secrets.token_urlsafe(24)]
        self._open(parameters)
        self._server: Any = package.Server(parameters)

    def _open(self, parameters: Any) -> None:
        """Set what this kind of model needs."""


class LlamaWriter(Llama):
    """A model that writes; replies follow a schema by llama.cpp's grammar where one is asked for."""

    def chat(self, body: Mapping[str, Any], cap: int, limit_s: float) -> dict[str, Any]:
        """Return a chat completion, cut at the cap or the limit.

        Raises:
            ConfigError: llama.cpp refuses the request, for instance because it is too long.
        """
        token_limit = min(int(body.get(key) or cap) for key in ("max_tokens", "max_completion_tokens"))
        until, pieces = time.monotonic() + limit_s, list[Any]()

        def take(piece: Mapping[str, Any]) -> bool:
            pieces.append(piece)
            return time.monotonic() > until  # llama.cpp stops where this is true

        request = {key: value for key, value in body.items() if key not in {"model", "n", "max_completion_tokens"}}
        request |= {"max_tokens": min(token_limit, cap), "stream": True, "stream_options": {"include_usage": True}}
        try:
            self._server.handle_chat_completions({"seed": 0, **request}, take)
        except (RuntimeError, ValueError) as error:
            raise ConfigError(f"{self.name}: {error}") from error
        return joined(pieces, self.name)


class LlamaVectors(Llama):
    """A model in a GGUF file that embeds: its file says how it pools, its card what stands before a text."""

    def __init__(self, settings: EngineSettings) -> None:
        self._prefixes = Prefixes(settings.query_prefix, settings.document_prefix)
        super().__init__(settings)
        self.dim = len(self._rows([" "])[0])
        self.about = replace(
            self.about,
            query_prefix=self._prefixes.query,
            document_prefix=self._prefixes.document,
            dim=self.dim,
        )
        self.fingerprint = self.about.fingerprint

    def _open(self, parameters: Any) -> None:
        parameters.embedding = True
        parameters.n_batch = parameters.n_ubatch = parameters.n_ctx  # a text is read in one piece

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a document."""
        return self._rows([self._prefixes.document + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a query."""
        return self._rows([self._prefixes.query + text for text in texts])

    def _rows(self, texts: Sequence[str]) -> Vectors:
        answer = self._server.handle_embeddings({"input": list(texts), "encoding_format": "float"})
        if "data" not in answer:
            raise ConfigError(f"{self.name}: {answer.get('error', answer)}")
        rows = np.array([row["embedding"] for row in sorted(answer["data"], key=itemgetter("index"))], np.float32)
        units: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        return units


def llama(settings: EngineSettings) -> Llama:
    """Open a GGUF file, as what it is."""
    embedding = files.embeds(files.gguf_head(Path(settings.weights)))
    return LlamaVectors(settings) if embedding else LlamaWriter(settings)
