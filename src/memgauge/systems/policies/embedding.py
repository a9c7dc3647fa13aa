"""Embedders by their names, for the policies and studies of this package."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.metering import LOCAL
from memgauge.registry import unknown_name
from memgauge.retrieval.cache import cache_folder
from memgauge.retrieval.embedders import CachedEmbedder, EmbedderAround, HashedEmbedder
from memgauge.retrieval.minilm import MiniLM
from memgauge.systems.adapters.listing import identity_at
from memgauge.systems.adapters.vectors import ServedVectors, as_queries
from memgauge.systems.models.catalogue import local_model, model_names, names_model, settings_of
from memgauge.systems.models.lending import served_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.retrieval.embedders import Embedder, Vectors


class AskedEmbedder:
    """A model behind an OpenAI-compatible address, asked as products ask it."""

    def __init__(self, model: str, url: str, *, dim: int = 0) -> None:
        """Ask *model* at *url*, for vectors of *dim* where it can shorten them."""
        self._vectors = ServedVectors(model, url, dim=dim, noted=True)
        self.name = self._vectors.name
        about = identity_at(url, model)
        self.noted_as = f"{LOCAL}{model}" if about else self.name
        if dim and about is not None and about.dim != dim:
            raise ConfigError(f"embedder={model} has vectors of {about.dim}.", "Leave dim= out.")
        # Where a server does not say who it is, what it once gave cannot be told from what another gives there.
        self.fingerprint = f"asked-1:{about.fingerprint if about else f'{model}@{url}'}:{dim}"

    @cached_property
    def dim(self) -> int:
        """Say how long a vector is."""
        return self._vectors.dim

    @property
    def identity(self) -> str:
        """Name the model, as far as its server says."""
        return self._vectors.identity

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a document."""
        return np.array(self._vectors.embed(texts), dtype=np.float32).reshape(len(texts), -1)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a query."""
        with as_queries(self._vectors):
            return self.embed(texts)


class OneSided(EmbedderAround):
    """An embedder that takes a query for a document, as most products ask theirs."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a document."""
        return self._inner.embed(texts)


def _minilm() -> Embedder:
    """Open MiniLM in this process where that can be, with installed weights too; else where it is served."""
    try:
        return _kept(MiniLM())
    except MissingExtraError as missing:
        try:
            _, settings = settings_of(local_model("minilm"))
        except (ConfigError, MissingExtraError):
            raise missing from None
        try:
            return _kept(MiniLM(Path(settings.weights).parent))
        except MissingExtraError:
            return _installed("minilm")


def _installed(name: str, dim: int = 0) -> Embedder:
    return _kept(AskedEmbedder(local_model(name).name, served_at(name), dim=dim))


def _kept(embedder: Embedder) -> Embedder:
    return CachedEmbedder(embedder, cache_folder() / "embeddings.sqlite")


def _best() -> Embedder:
    try:
        return _minilm()
    except MissingExtraError:
        return HashedEmbedder()


EMBEDDERS: dict[str, Callable[[], Embedder]] = {"best": _best, "hashed": HashedEmbedder, "minilm": _minilm}
"""``best`` is a semantic model where its weights are at hand, else the stand-in; a run names which it was."""


def open_embedder(name: str, dim: int = 0) -> Embedder:
    """Open an embedder by name, by the path of its file, or as ``openai:NAME@ADDRESS``.

    ``openai:NAME`` is asked at ``OPENAI_BASE_URL``, and ``provider:NAME`` at its provider.

    Raises:
        UnknownNameError: No such embedder.
        MissingExtraError: Its packages or weights are absent.
        ConfigError: It has no vectors of the length *dim*.
    """
    if name not in EMBEDDERS and names_model(name):
        return _installed(name, dim)
    model, at, url = name.removeprefix("openai:").partition("@")
    if at and url.startswith(("http://", "https://")):
        return _kept(AskedEmbedder(model, url, dim=dim))
    if ":" in name:
        from memgauge.llm.embeddings import ServedEmbedder

        return _kept(ServedEmbedder(name, dimensions=dim or None))
    if name not in EMBEDDERS:
        raise unknown_name("embedder", name, {*EMBEDDERS, *model_names()})
    if name == "hashed" and dim:
        return HashedEmbedder(dim)
    return _of_length(EMBEDDERS[name](), dim)


def _of_length(embedder: Embedder, dim: int) -> Embedder:
    if dim and embedder.dim != dim:
        raise ConfigError(f"embedder={embedder.name} has vectors of {embedder.dim}.", "Leave dim= out.")
    return embedder


def stand_ins_of(embedder: Embedder) -> tuple[str, ...]:
    """Name the stand-in that *embedder* is, and what makes it real; nothing where it is a model."""
    if not isinstance(embedder, HashedEmbedder):
        return ()
    return ("vectors of hashed words (embedder=minilm or embedder=openai:MODEL makes them real)",)
