"""The server in front of an engine: OpenAI's interface on loopback, with caps, limits and an account of both."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.llm.served.server import HttpModelServer, HttpReply, spell_embeddings, texts_in
from memgauge.models.engines import Chatting, Embedding
from memgauge.retrieval.embedders import CachedEmbedder, embed_queries
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.models.engines import Engine
    from memgauge.systems.models.settings import EngineSettings

OWNER = "memgauge-local"
SIDES = {"query": True, "document": False, "passage": False}


@dataclass
class ModelAccount:
    """What was asked of a model since it was started."""

    calls: int = 0
    texts: int = 0
    capped: int = 0
    """Replies that were cut, by the cap or the limit."""
    refused: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class LocalServer(HttpModelServer):
    """Serves one engine until it is closed."""

    def __init__(self, engine: Engine, settings: EngineSettings) -> None:
        """Listen on loopback.

        Raises:
            ConfigError: The port is in use.
        """
        self._engine = engine
        self._settings = settings
        self._vectors = None
        if isinstance(engine, Embedding):
            self._vectors = CachedEmbedder(engine, Path(settings.cache)) if settings.cache else engine
        self.account = ModelAccount()
        self._one = Lock()
        """An engine takes one call at a time, with all cores."""
        self._listen(settings.port)

    def chat(self, body: Mapping[str, Any]) -> HttpReply:
        """Answer one chat request.

        Raises:
            ConfigError: The model writes nothing, or cannot answer this request.
        """
        if not isinstance(self._engine, Chatting):
            raise ConfigError(f"{self._settings.name} embeds texts and writes none.", "Ask a language model.")
        with self._one:
            self.account.calls += 1
            try:
                reply = self._engine.chat(body, self._settings.cap, self._settings.limit_s)
            except ConfigError:
                self.account.refused += 1
                raise
            self.account.capped += reply["choices"][0]["finish_reason"] == "length"
            self.account.input_tokens += int(reply["usage"]["prompt_tokens"])
            self.account.output_tokens += int(reply["usage"]["completion_tokens"])
        return HttpReply(HTTPStatus.OK, reply, stream=bool(body.get("stream")))

    def embeddings(self, body: Mapping[str, Any]) -> HttpReply:
        """Embed texts, as queries where ``input_type`` says so, else as documents.

        Raises:
            ConfigError: The model embeds nothing, or not what is asked.
        """
        if self._vectors is None:
            raise ConfigError(f"{self._settings.name} writes texts and embeds none.", "Ask an embedding model.")
        texts, side = texts_in(body), str(body.get("input_type") or "document")
        if side not in SIDES:
            raise ConfigError(f"There is no input_type {side!r}.", f"Take one of {', '.join(SIDES)}.")
        if int(body.get("dimensions") or self._vectors.dim) != self._vectors.dim:
            raise ConfigError(
                f"{self._settings.name} has vectors of {self._vectors.dim}, and cannot shorten them.",
                "Leave dim= out.",
            )
        with self._one:
            self.account.calls += 1
            self.account.texts += len(texts)
            rows = embed_queries(self._vectors, texts) if SIDES[side] else self._vectors.embed(texts)
        tokens = sum(map(count_tokens, texts))
        return spell_embeddings(body, self._settings.name, rows.tolist(), tokens)

    def listed(self) -> HttpReply:
        """List the model, who it is, and what it was asked so far."""
        about = self._engine.about
        totals = asdict(self.account) | {"cut": getattr(self._engine, "cut", 0)}
        limits = {"max_tokens": self._settings.cap, "seconds": self._settings.limit_s}
        entry = {
            "id": self._settings.name,
            "object": "model",
            "created": 0,
            "owned_by": OWNER,
            "context_window": about.longest,
            "memgauge": about.listing | {"name": self._settings.name},
            "limits": limits,
            "spent": totals,
        }
        return HttpReply(HTTPStatus.OK, {"object": "list", "data": [entry]})
