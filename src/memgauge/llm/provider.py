"""Any model of any provider that pydantic-ai knows, and any OpenAI-compatible address, as a chat model."""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError, MemgaugeError, ModelError, TemporaryError
from memgauge.llm.messages import Counted, Finish, Reply, ToolCall, Usage
from memgauge.llm.prices import Price, counted, expect, price_of
from memgauge.llm.wire import ProviderClient, address, host_of, run, shielded, split_ref
from memgauge.metering import ModelTally, note
from memgauge.text.scrubbing import Scrubber

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings

    from memgauge.llm.messages import ChatModel, Message, Request

_OURS = frozenset({"extra_headers", "first_event_timeout", "max_retries", "request_timeout", "timeout"})
"""Settings that belong to the access, not to a request: they change no reply, or may hold a key."""

_FINISHES = {
    "stop": Finish.STOP,
    None: Finish.STOP,
    "length": Finish.LENGTH,
    "content_filter": Finish.REFUSAL,
    "tool_call": Finish.CALLS,
}

_bodies: ContextVar[list[bytes] | None] = ContextVar("_bodies", default=None)


def open_model(
    ref: str, *, base_url: str | None = None, timeout_s: float = 60, price: Price | None = None, noted_as: str = ""
) -> ChatModel:
    """Open ``provider:name``, e.g. ``openai:gpt-4.1-mini``, ``anthropic:…``, ``ollama:…``.

    Keys and packages are looked for at the first call, so that a recorded model replays without either. *base_url*
    is another address than the provider's own, e.g. ``http://localhost:8000/v1`` of vLLM, Ollama or llama.cpp, by
    default ``OPENAI_BASE_URL`` for ``openai``; there, the chat completions API is spoken. A call is given up
    *timeout_s* after its start. Without a *price* it costs the list price of the provider's own address; what a
    run cost calls it *noted_as*, by default *ref*.

    Raises:
        ConfigError: *ref* names no model.
    """
    return ProviderModel(ref, base_url, timeout_s, price, noted_as or ref)


class ProviderModel:
    """One model of one provider; calls may come from several threads."""

    def __init__(
        self, ref: str, base_url: str | None, timeout_s: float, price: Price | None, noted_as: str
    ) -> None:
        self._noted_as = noted_as
        kind, name = split_ref(ref)
        self.name = ref
        self._timeout_s = timeout_s
        where = address(kind, base_url)
        self._where = where
        self._price = price
        spoken = f"openai-chat:{name}" if where and kind == "openai" else ref
        self._client: ProviderClient[Model] = ProviderClient(
            lambda provider: _build(spoken, provider), kind, base_url
        )

    @cached_property
    def price(self) -> Price | None:
        """Say what a call costs, where that is known."""
        return self._price or price_of(self.name, self._where)

    @property
    def server(self) -> str:
        """Return host and port of another address than the provider's own."""
        return host_of(self._where)

    def __repr__(self) -> str:
        return f"ProviderModel({self.name!r})"

    def complete(self, request: Request) -> Reply:
        """Ask the provider once.

        Raises:
            TemporaryError: It may work later.
            ModelError: It does not work for this request.
            BudgetError: The provider says that its quota is used up.
            ConfigError: Nothing will work before the user mends it.
            MissingExtraError: Packages are absent.
        """
        if request.model != self.name:
            raise ConfigError(f"A request to {request.model} was given to {self.name}.")
        asked = shielded(lambda: self._ask(request), self._client, self.name)
        if isinstance(asked, MemgaugeError):
            if isinstance(asked, TemporaryError) and asked.paid:  # it was sent, and may be charged
                note(self._noted_as, ModelTally(1, expect(request, None).input_tokens))
            raise asked
        reply = self._reply(request, *asked)
        note(self._noted_as, ModelTally(1, reply.usage.input_tokens, reply.usage.output_tokens))
        return reply

    def _ask(self, request: Request) -> tuple[ModelResponse, str]:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelMessagesTypeAdapter

        model = self._client.get()
        settings = self._settings(request.parameters)
        messages = list(_messages(request.messages))
        expected = _expected(request)

        async def ask() -> tuple[ModelResponse, str]:
            bodies: list[bytes] = []
            _bodies.set(bodies)
            response = await model_request(
                model, messages, model_settings=settings, model_request_parameters=expected
            )
            body = bodies[-1] if bodies else ModelMessagesTypeAdapter.dump_json([response])
            return response, body.decode("utf-8", "replace")

        return run(ask())

    def _settings(self, parameters: Mapping[str, Any]) -> ModelSettings:
        """Turn parameters into settings, with the SDK's own retries off: ours count."""
        from pydantic_ai.settings import ModelSettings

        kind = split_ref(self.name)[0].partition("-")[0]
        for key in parameters:
            known = key in ModelSettings.__annotations__ or key.startswith((f"{kind}_", "openai_"))
            if key in _OURS or not known:
                raise ConfigError(
                    f"{self.name} takes no parameter {key!r}.",
                    f"Take one of {', '.join(sorted(set(ModelSettings.__annotations__) - _OURS))}.",
                )
        ours = {"max_retries": 0, "timeout": self._timeout_s, "request_timeout": self._timeout_s}
        settings: ModelSettings = {**parameters, **ours}  # type: ignore[typeddict-item]
        return settings

    def _reply(self, request: Request, response: ModelResponse, raw: str) -> Reply:
        finish = _FINISHES.get(response.finish_reason)
        calls = tuple(_calls(response)) if request.tools else ()
        if calls and finish is Finish.STOP:
            finish = Finish.CALLS  # some servers say stop, whatever they ask for
        if finish is None or (finish is Finish.CALLS and not calls):
            raise _unfinished(self.name, response)
        text = "".join(part.content for part in response.parts if part.part_kind == "text")
        if finish is Finish.REFUSAL and not text:
            text = str((response.provider_details or {}).get("refusal") or "")
        usage = self._usage(request, response, text)
        secrets = self._client.secrets
        carried = _carried(response) if request.tools else ""
        return Reply(
            _without(text, secrets),
            finish,
            usage,
            _without(raw, secrets),
            calls=tuple(replace(call, arguments=_without(call.arguments, secrets)) for call in calls),
            carried=_without(carried, secrets),
        )

    def _usage(self, request: Request, response: ModelResponse, text: str) -> Usage:
        """Take the provider's counts, or count where it gives none."""
        asked, answered = response.usage.input_tokens, response.usage.output_tokens
        source = Counted.PROVIDER if asked or answered else Counted.ESTIMATE
        if source is Counted.ESTIMATE:
            asked, answered = counted(request, text, _calls(response))
        return Usage(asked, answered, source, self.price.usd(asked, answered) if self.price else None)


def _build(ref: str, provider: Provider[Any]) -> Model:
    """Put a model on *provider*, and keep what it replies before anything is made of it."""
    from pydantic_ai.models import infer_model

    model = infer_model(ref, provider_factory=lambda _: provider)
    http = getattr(provider.client, "_client", None)  # of the SDKs that speak through httpx; others have none
    hooks = getattr(http, "event_hooks", None)
    if hooks is not None:
        hooks["response"].append(_keep)
    return model


async def _keep(response: Any) -> None:
    bodies = _bodies.get()
    if bodies is not None:
        bodies.append(await response.aread())


def _messages(messages: Sequence[Message]) -> Iterator[ModelMessage]:
    """Say it in pydantic-ai's words: what stands between two replies is one request."""
    from pydantic_ai.messages import ModelRequest

    for replied, group in groupby(messages, key=lambda message: message.role == "assistant"):
        if replied:
            yield from map(_replied, group)
        else:
            yield ModelRequest(parts=[_part(message) for message in group])


def _replied(message: Message) -> ModelResponse:
    """Repeat an earlier reply: as the provider gave it where that matters to it, else its text and calls."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart

    if message.carried:
        (carried,) = ModelMessagesTypeAdapter.validate_json(message.carried)
        if isinstance(carried, ModelResponse):
            return carried
    calls = [ToolCallPart(call.name, call.arguments, call.id) for call in message.calls]
    return ModelResponse(parts=[*([TextPart(message.text)] if message.text or not calls else []), *calls])


def _part(message: Message) -> ModelRequestPart:
    from pydantic_ai.messages import SystemPromptPart, ToolReturnPart, UserPromptPart

    if message.answers is not None:
        return ToolReturnPart(message.answers.name, message.text, message.answers.id)
    return SystemPromptPart(message.text) if message.role == "system" else UserPromptPart(message.text)


def _calls(response: ModelResponse) -> Iterator[ToolCall]:
    """Yield what a reply asks for, its arguments as they were written."""
    for part in response.parts:
        if part.part_kind == "tool-call":
            written = part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
            yield ToolCall(part.tool_call_id, part.tool_name, written or "{}")


def _carried(response: ModelResponse) -> str:
    """Keep a whole reply that holds more than text and calls: providers want their reasoning back as it was."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    if all(part.part_kind in {"text", "tool-call"} for part in response.parts):
        return ""
    return ModelMessagesTypeAdapter.dump_json([response]).decode()


def _expected(request: Request) -> ModelRequestParameters:
    """Offer the tools, and ask for a reply that fits the schema through the provider's own structured output."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.schema))
        for tool in request.tools
    ]
    if request.schema is None:
        return ModelRequestParameters(function_tools=tools)
    wanted = OutputObjectDefinition(json_schema=dict(request.schema), name="reply")
    return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=wanted)


def _unfinished(name: str, response: ModelResponse) -> ModelError:
    if response.finish_reason == "error":
        return TemporaryError(f"{name}: the provider reports that the reply failed.", paid=True)
    return ModelError(f"{name}: the reply ends as {response.finish_reason}, which was not asked for.")


def _without(text: str, secrets: frozenset[str]) -> str:
    """Take the key in use out of a reply, where a server echoes it."""
    return Scrubber(secrets).text(text)
