"""Stands between whoever asks and the model: passes everything on as it is, and notes every request and reply.

What is noted is known by the key under which records of replies keep it. The words of prompts are not noted: they
are the products'. Equal requests are asked again, and a reply that was cut or refused is noted too, which a
record that saves calls has no use for.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, replace
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.errors import ConfigError
from memgauge.llm.served.asked import asked_from
from memgauge.llm.served.recording import Marks, request_of
from memgauge.llm.served.scripts import purpose_of
from memgauge.llm.served.server import HttpModelServer, HttpReply
from memgauge.studies.weak.quoting import without_quotes
from memgauge.studies.weak.record import Exchange
from memgauge.studies.weak.shapes import misshapen, shape_of, slim
from memgauge.text.jsons import json_of, object_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from memgauge.llm.messages import Request
    from memgauge.llm.served.asked import ChatRequest

_HEAD = 2


class ModelSource(Protocol):
    """Where replies come from."""

    def reply(self, key: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the status and the content of the reply to the request known by *key*."""

    def listed(self) -> tuple[int, dict[str, Any]]:
        """List the models."""


@dataclass(frozen=True)
class LiveModel:
    """A server that is asked."""

    url: str
    patience_s: float
    """Seconds that are waited; beyond the server's own limit."""

    def reply(self, key: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:  # noqa: ARG002 - a record needs it
        """Ask, and return what came."""
        return self._sent("chat/completions", {**body, "stream": False})

    def listed(self) -> tuple[int, dict[str, Any]]:
        """List what it lists, so that it is known whose replies these are."""
        return self._sent("models")

    def _sent(self, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - an address on loopback
            f"{self.url.rstrip('/')}/{path}", data, {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=self.patience_s) as response:  # noqa: S310 - as above
                return response.status, json_of(response.read())
        except urllib.error.HTTPError as error:
            return error.code, object_of(error.read().decode("utf-8", "replace")) or problem(str(error))
        except (OSError, ValueError) as error:
            return HTTPStatus.BAD_GATEWAY, problem(f"{type(error).__name__}: {error}")


class RecordingRelay(HttpModelServer):
    """Passes chat requests on to one source, and keeps what went to and fro."""

    def __init__(self, source: ModelSource, *, cap: int, today: date, own: Sequence[str] = ()) -> None:
        """Listen on loopback.

        *cap* is how many tokens a reply gets. *today* is no part of a request's key; *own* are texts that replies
        may quote of a prompt.
        """
        self.prompts_are_ours = False
        """Whether replies may quote all of a prompt."""
        self.during = ""
        """What is noted of exchanges from here on: the write, or the step, that they are made for."""
        self._exchanges: list[Exchange] = []
        self._waiting: dict[int, Exchange] = {}
        """Requests that have no reply yet."""
        self._source = source
        self._cap = cap
        self._today = today
        self._own = own
        self._lock = Lock()
        self._listen(0)

    def taken(self) -> tuple[Exchange, ...]:
        """Return what was noted so far, what has no reply yet too, and begin again."""
        with self._lock:
            exchanges = (*self._exchanges, *self._waiting.values())
            self._exchanges.clear()
            self._waiting.clear()
        return exchanges

    def chat(self, body: Mapping[str, Any]) -> HttpReply:
        """Pass one chat request on, and its reply back."""
        request, during, began = asked_from(body), self.during, time.monotonic()
        marks = Marks(self._today)
        exchange_begun = _begun(request, during, self._cap, request_of(request, marks))
        with self._lock:
            self._waiting[id(exchange_begun)] = exchange_begun
        status, content = self._source.reply(exchange_begun.key, body)
        exchange = _noted(exchange_begun, status, content, marks, time.monotonic() - began)
        exchange = replace(exchange, fault=misshapen(exchange))
        exchange = exchange if self.prompts_are_ours else _unquoted(exchange, request, self._own)
        with self._lock:
            if self._waiting.pop(id(exchange_begun), None):  # else it was taken without its reply
                self._exchanges.append(exchange)
        reply_shown = json_of(marks.unmask(json.dumps(content)))
        return HttpReply(status, reply_shown, stream=request.stream and status == HTTPStatus.OK)

    def embeddings(self, body: Mapping[str, Any]) -> HttpReply:  # noqa: ARG002 - it is what servers are asked
        """Refuse.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError("This model writes texts and embeds none.", "Ask an embedding model.")

    def listed(self) -> HttpReply:
        """List what the source lists."""
        return HttpReply(*self._source.listed())


def _begun(chat_request: ChatRequest, during: str, cap: int, request: Request) -> Exchange:
    limits = (chat_request.parameters.get(name) for name in ("max_tokens", "max_completion_tokens"))
    return Exchange(
        during=during,
        key=request.key,
        opening=replace(request, messages=request.messages[:_HEAD]).key,
        purpose=purpose_of(chat_request),
        shape=shape_of(chat_request),
        schemas=_schemas(chat_request),
        cap=min([cap, *(int(limit) for limit in limits if limit)]),
        status=0,
        finish="",
        input_tokens=None,
        output_tokens=0,
        seconds=0.0,
    )


def _schemas(request: ChatRequest) -> dict[str, Any]:
    if request.schema is not None:
        return {request.schema_name or "reply": slim(request.schema)}
    return {name: slim(schema) for name, schema in request.tools.items()}


def _noted(begun: Exchange, status: int, content: Mapping[str, Any], marks: Marks, seconds: float) -> Exchange:
    exchange = replace(begun, status=status, seconds=round(seconds, 3))
    choices = content.get("choices") or ()
    if status != HTTPStatus.OK or not choices:
        error = content.get("error") or {}
        return replace(exchange, why=marks.mask(str(error.get("message") if isinstance(error, dict) else error)))
    message, usage = choices[0].get("message") or {}, content.get("usage") or {}
    functions = [use.get("function") or {} for use in message.get("tool_calls") or ()]
    return replace(
        exchange,
        finish=str(choices[0].get("finish_reason") or ""),
        input_tokens=int(usage.get("prompt_tokens") or 0) or None,
        output_tokens=int(usage.get("completion_tokens") or 0),
        text=marks.mask(str(message.get("content") or "")),
        uses=tuple(
            (str(function.get("name")), marks.mask(str(function.get("arguments")))) for function in functions
        ),
    )


def _unquoted(exchange: Exchange, request: ChatRequest, own: Sequence[str]) -> Exchange:
    prompt = f"{request.text}\n{json.dumps([request.schema, request.tools], ensure_ascii=False)}"
    text, n_quoted_so_far = without_quotes(exchange.text, prompt, own)
    uses = list[tuple[str, str]]()
    for tool, arguments in exchange.uses:
        own_arguments, n_quoted = without_quotes(arguments, prompt, own)
        uses.append((tool, own_arguments))
        n_quoted_so_far += n_quoted
    return replace(exchange, text=text, uses=tuple(uses), quoted=n_quoted_so_far)


def problem(message: str) -> dict[str, Any]:
    """Spell what is wrong as providers do."""
    return {"error": {"message": message, "type": "failed", "code": "failed", "param": None}}
