"""Sentence vectors from any OpenAI-compatible address and any provider whose embeddings pydantic-ai knows."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from memgauge.errors import MemgaugeError, ModelError
from memgauge.llm.access import Backoff
from memgauge.llm.wire import ProviderClient, address, host_of, run, shielded, split_ref
from memgauge.text.cards import prefixes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from pydantic_ai.embeddings import EmbeddingModel, EmbeddingSettings
    from pydantic_ai.providers import Provider

    Vectors = npt.NDArray[np.float32]
    Side = Literal["query", "document"]


class ServedEmbedder:
    """Vectors of a served model, one unit row a text; a blank text has a zero row and is not sent.

    A query goes as one: to a provider that knows the difference by ``input_type``, and behind the words that the
    card of the model asks for.
    """

    def __init__(
        self,
        ref: str,
        *,
        base_url: str | None = None,
        dimensions: int | None = None,
        batch: int = 64,
        timeout_s: float = 60,
        backoff: Backoff | None = None,
    ) -> None:
        """Open ``provider:name``, e.g. ``openai:text-embedding-3-small`` or ``ollama:bge-m3``.

        *base_url* is another address than the provider's own, by default ``OPENAI_BASE_URL`` for ``openai``. With
        *dimensions* shorter vectors are asked for, where the model can; *batch* texts go into one call.

        Raises:
            ConfigError: *ref* names no model.
        """
        kind, model = split_ref(ref)
        host = host_of(address(kind, base_url))
        self.name = ref
        self._prefixes = prefixes_of(model)
        self.fingerprint = f"{ref}@{host or kind}:{dimensions or 'native'}{self._prefixes or ''}"
        self._dimensions = dimensions
        self._batch = batch
        self._timeout_s = timeout_s
        self._backoff = backoff or Backoff()
        self._client: ProviderClient[EmbeddingModel] = ProviderClient(
            lambda provider: _build(ref, provider), kind, base_url
        )

    def __repr__(self) -> str:
        return f"ServedEmbedder({self.name!r})"

    @cached_property
    def dim(self) -> int:
        """Say how long a vector is; asks for one, unless the length was chosen."""
        return self._dimensions or self._rows(["length"], "document").shape[1]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text.

        Raises:
            ModelError: The server gave no vectors that can be used.
            ConfigError: Its key or address is not in the environment.
            MissingExtraError: Packages are absent.
        """
        return self._embed(texts, "document")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a query; it raises what :meth:`embed` raises."""
        return self._embed(texts, "query")

    def _embed(self, texts: Sequence[str], side: Side) -> Vectors:
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        filled = [i for i, text in enumerate(texts) if text.strip()]
        for start in range(0, len(filled), self._batch):
            places = filled[start : start + self._batch]
            rows[places] = self._rows([texts[i] for i in places], side)
        return rows

    def _rows(self, texts: list[str], side: Side) -> Vectors:
        spelled = [self._prefixes.before(side) + text for text in texts]
        vectors = self._backoff.call(lambda: self._ask(spelled, side), "\0".join(spelled))
        lengths = {len(vector) for vector in vectors}
        if len(vectors) != len(texts) or lengths != {self._dimensions or max(lengths, default=0)}:
            raise ModelError(
                f"{self.name}: {len(vectors)} vectors of lengths {sorted(lengths)} for {len(texts)} texts."
            )
        rows = np.array(vectors, dtype=np.float64)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        units: Vectors = np.divide(rows, norms, out=rows, where=norms > 0).astype(np.float32)
        return units

    def _ask(self, texts: list[str], side: Side) -> Sequence[Sequence[float]]:
        """Ask once, and let nothing out that could hold a key."""

        def ask() -> Sequence[Sequence[float]]:
            model = self._client.get()
            settings: EmbeddingSettings = {"dimensions": self._dimensions} if self._dimensions else {}
            asked = model.embed(texts, input_type=side, settings=settings)
            return run(asyncio.wait_for(asked, self._timeout_s)).embeddings

        rows = shielded(ask, self._client, self.name)
        if isinstance(rows, MemgaugeError):
            raise rows
        return rows


def _build(ref: str, provider: Provider[Any]) -> EmbeddingModel:
    """Put a model on *provider*, with the SDK's own retries off: ours count."""
    from pydantic_ai.embeddings import infer_embedding_model

    if hasattr(provider.client, "max_retries"):
        provider.client.max_retries = 0
    return infer_embedding_model(ref, provider_factory=lambda _: provider)
