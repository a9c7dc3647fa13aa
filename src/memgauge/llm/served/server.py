"""The HTTP side: chat completions, embeddings and models on loopback, one thread a request."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, ClassVar, Self

from memgauge.errors import ConfigError, MemgaugeError, ReplayMiss, RequestRefusedError
from memgauge.llm.problems import problem_of, spell_problem
from memgauge.llm.served.asked import asked_from, spell_message
from memgauge.llm.served.embedding import embed, spell_vector
from memgauge.llm.served.ledger import Called
from memgauge.llm.served.recording import RecordedReply
from memgauge.llm.served.scripts import FAMILIES, purpose_of, scripted_by
from memgauge.serving import BoundedHandler, BoundedServer
from memgauge.text.jsons import json_of
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memgauge.llm.served.asked import ChatRequest
    from memgauge.llm.served.recording import RecordedAnswers
    from memgauge.llm.served.scripts import PromptFamily

MISS = 599
"""The status of a replay that misses: no client takes it for a reply, and none retries it for long."""
_CREATED = 1_700_000_000
"""A fixed moment, so that equal requests have equal replies."""


class HttpModelServer(ABC):
    """Listens on loopback for what an OpenAI-compatible address is asked; use it in a ``with`` block."""

    def _listen(self, port: int) -> None:
        try:
            self._http = BoundedServer(("127.0.0.1", port), type("Bound", (_ModelHandler,), {"model": self}))
        except OSError as error:
            raise ConfigError(f"Cannot listen on port {port}: {error}.", "Take another one, or 0.") from None
        Thread(target=self._http.serve_forever, args=(0.05,), name="memgauge-model", daemon=True).start()

    @property
    def url(self) -> str:
        """Return the address to hand over as ``OPENAI_BASE_URL``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        """Stop listening."""
        self._http.shutdown()
        self._http.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def chat(self, body: Mapping[str, Any]) -> HttpReply:
        """Answer one chat request."""

    @abstractmethod
    def embeddings(self, body: Mapping[str, Any]) -> HttpReply:
        """Embed texts."""

    @abstractmethod
    def listed(self) -> HttpReply:
        """List models."""


class ModelServer(HttpModelServer):
    """Serves a scripted or a recorded model until it is closed."""

    def __init__(
        self,
        families: Sequence[PromptFamily] = FAMILIES,
        *,
        record: RecordedAnswers | None = None,
        models: Sequence[str] = ("scripted",),
        dimensions: int = 256,
        port: int = 0,
    ) -> None:
        """Listen on loopback.

        *families* are tried in order; where none fits, the smallest reply that fits the request is given. Replies
        come from the *record*, or are recorded on the way. ``/v1/models`` names *models*, and any name is
        answered; vectors have so many *dimensions* where a request does not say.

        Raises:
            ConfigError: The port is in use.
        """
        self.calls: list[Called] = []
        self._families = families
        self._record = record
        self._models = models
        self._dimensions = dimensions
        self._lock = Lock()
        self._listen(port)

    def chat(self, body: Mapping[str, Any]) -> HttpReply:
        """Answer one chat request."""
        asked = asked_from(body)
        purpose = purpose_of(asked, self._families)
        tokens = sum(count_tokens(message.text) for message in asked.messages)
        try:
            if self._record is not None:
                given = self._record.ask(asked, body)
            else:
                scripted = spell_message(scripted_by(asked, self._families))
                given = RecordedReply(scripted, "", "", replayed=False)
        except MemgaugeError as error:
            outcome = "miss" if isinstance(error, ReplayMiss) else "failed"
            self._note(Called("chat", purpose, asked.model, tokens, outcome=outcome))
            return _failure(error, f"It asks ({purpose}): {_beginning(asked.last)!r}")
        written = count_tokens(json.dumps(given.message.get("tool_calls") or given.message.get("content") or ""))
        outcome = "replayed" if given.replayed else "ok"
        self._note(Called("chat", purpose, asked.model, tokens, written, given.key, outcome))
        return HttpReply(HTTPStatus.OK, _completion(asked, given, tokens, written), stream=asked.stream)

    def embeddings(self, body: Mapping[str, Any]) -> HttpReply:
        """Embed texts.

        Raises:
            ConfigError: They are no texts.
        """
        texts = texts_in(body)
        length = int(body.get("dimensions") or self._dimensions)
        rows = [embed(text, length) for text in texts]
        tokens = sum(count_tokens(text) for text in texts)
        model = str(body.get("model") or "scripted")
        self._note(Called("embeddings", "embeddings", model, tokens))
        return spell_embeddings(body, model, rows, tokens)

    def listed(self) -> HttpReply:
        """List models."""
        owner = "memgauge-scripted" if self._record is None else "memgauge-recorded"
        data = [
            {"id": name, "object": "model", "created": _CREATED, "owned_by": owner, "context_window": 128_000}
            for name in self._models
        ]
        return HttpReply(HTTPStatus.OK, {"object": "list", "data": data})

    def _note(self, call: Called) -> None:
        with self._lock:
            self.calls.append(call)


@dataclass(frozen=True)
class HttpReply:
    """What goes back over HTTP."""

    status: int
    content: Mapping[str, Any]
    stream: bool = False


class _ModelHandler(BoundedHandler):
    """Reads a request, and writes what the model says; it asks for no key, whichever is shown."""

    json_only = False
    model: ClassVar[HttpModelServer]

    def do_GET(self) -> None:  # noqa: N802 - the library's name
        self.check()
        known = self.path.partition("?")[0].startswith("/v1/models")
        self._send(self.model.listed() if known else _unknown(self.path))

    def do_POST(self) -> None:  # noqa: N802 - as above
        routes: dict[str, Callable[[Mapping[str, Any]], HttpReply]] = {
            "/v1/chat/completions": self.model.chat,
            "/v1/embeddings": self.model.embeddings,
        }
        route = routes.get(self.path.partition("?")[0])
        try:
            self.check()
            content = self.body()
            if route is None:
                self._send(_unknown(self.path))
                return
            body = json_of(content)
            self._send(route(body if isinstance(body, dict) else {}))
        except (ValueError, ConfigError) as error:
            self._send(HttpReply(HTTPStatus.BAD_REQUEST, spell_problem(str(error), "invalid_request_error")))

    def _send(self, reply: HttpReply) -> None:
        content = _streamed(reply.content) if reply.stream else json.dumps(reply.content).encode()
        kind = "text/event-stream" if reply.stream else "application/json"
        self.reply(reply.status, content, {"Content-Type": kind})

    def problem(self, status: int, why: str) -> dict[str, Any]:
        """Spell what is wrong as providers do."""
        return problem_of(status, why)


def texts_in(body: Mapping[str, Any]) -> list[str]:
    """Return what is to be embedded.

    Raises:
        ConfigError: It is no text and no list of texts.
    """
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ConfigError("The input of an embedding is a text or a list of texts.")
    return texts


def spell_embeddings(
    body: Mapping[str, Any], model: str, rows: Iterable[Sequence[float]], tokens: int
) -> HttpReply:
    """Spell vectors as they were asked for."""
    encoding = str(body.get("encoding_format", "float"))
    data = [
        {"object": "embedding", "index": place, "embedding": spell_vector(row, encoding)}
        for place, row in enumerate(rows)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return HttpReply(HTTPStatus.OK, {"object": "list", "model": model, "data": data, "usage": usage})


def _failure(error: MemgaugeError, asks: str) -> HttpReply:
    """Say why there is no reply; a request that the model's server takes for wrong is as wrong here."""
    if isinstance(error, ReplayMiss):
        return HttpReply(MISS, spell_problem(f"{error} {asks}", "miss"))
    if isinstance(error, RequestRefusedError):
        return HttpReply(error.status, spell_problem(str(error), "invalid_request_error"))
    return HttpReply(HTTPStatus.BAD_GATEWAY, spell_problem(str(error), "failed"))


def _completion(asked: ChatRequest, given: RecordedReply, tokens: int, written: int) -> dict[str, Any]:
    finish = given.finish or ("tool_calls" if given.message.get("tool_calls") else "stop")
    return {
        "id": "chatcmpl-memgauge",
        "object": "chat.completion",
        "created": _CREATED,
        "model": asked.model,
        "choices": [{"index": 0, "message": dict(given.message), "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": tokens, "completion_tokens": written, "total_tokens": tokens + written},
    }


def _streamed(content: Mapping[str, Any]) -> bytes:
    """Spell a completion as a stream of one piece."""
    choice = content["choices"][0]
    delta = dict(choice["message"])
    if delta.get("tool_calls"):
        delta["tool_calls"] = [{**call, "index": place} for place, call in enumerate(delta["tool_calls"])]
    piece = {"index": 0, "delta": delta, "finish_reason": choice["finish_reason"]}
    chunk = {**content, "object": "chat.completion.chunk", "choices": [piece]}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()


def _unknown(path: str) -> HttpReply:
    return HttpReply(HTTPStatus.NOT_FOUND, spell_problem(f"There is no {path} here.", "not_found"))


def _beginning(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 160 else f"{words[:160]}…"
