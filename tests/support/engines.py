"""Engines without weights, which are served like real ones."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.models.pieces import joined
from memgauge.models.serving import LocalServer
from memgauge.records.identities import ModelIdentity
from memgauge.retrieval.embedders import HashedEmbedder
from memgauge.systems.models.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.models.engines import Engine
    from memgauge.retrieval.embedders import Vectors


class ToyVectors(HashedEmbedder):
    """Embeds words, behind other words for each side."""

    cut = 0

    def __init__(self, query: str = "query: ", document: str = "passage: ") -> None:
        super().__init__(64)
        self.about = ModelIdentity("toy", "ab" * 32, "fp32", "toy 1.0", query, document, 64, 512)
        self.name, self.fingerprint = "toy", self.about.fingerprint
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed documents."""
        return self._embed(self.about.document_prefix, texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed queries."""
        return self._embed(self.about.query_prefix, texts)

    def _embed(self, before: str, texts: Sequence[str]) -> Vectors:
        self.asked += [before + text for text in texts]
        return super().embed([before + text for text in texts])


class ToyWriter:
    """Counts to as many words as it may."""

    def __init__(self, fails: str = "", finish: str = "length") -> None:
        self.about = ModelIdentity("toy", "cd" * 32, "Q4_1", "toy 1.0", longest=4096)
        self.bodies: list[Mapping[str, Any]] = []
        self._fails = fails
        self._finish = finish

    def chat(self, body: Mapping[str, Any], cap: int, limit_s: float) -> dict[str, Any]:
        """Write one word a token."""
        self.bodies.append({**body, "cap": cap, "limit_s": limit_s})
        if self._fails:
            raise ConfigError(self._fails)
        words = min(int(body.get("max_tokens") or cap), cap)
        pieces: list[dict[str, Any]] = [{"choices": [{"delta": {"content": f"{n} "}}]} for n in range(words)]
        pieces.append({"choices": [{"delta": {}, "finish_reason": self._finish}]})
        pieces.append({"usage": {"prompt_tokens": 5, "completion_tokens": words, "total_tokens": words + 5}})
        return joined(pieces, "toy")


@contextmanager
def serving(engine: Engine, **settings: Any) -> Iterator[LocalServer]:
    """Serve *engine* in this process."""
    with LocalServer(engine, EngineSettings("toy", "", "", **settings)) as server:
        yield server
