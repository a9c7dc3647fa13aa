"""What is asked of a language model, and what it replies: frozen values, no provider in sight."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

ANSWER_TOKENS: Final = 200
"""Tokens that an answer may have, where nobody says otherwise."""
VERDICT_TOKENS: Final = 400
"""Tokens that a verdict may have, where nobody says otherwise."""


def steady(max_tokens: int) -> dict[str, Any]:
    """Return the parameters of replies that are as much the same each time as a model allows, within a length."""
    return {"temperature": 0, "max_tokens": max_tokens}


class Finish(StrEnum):
    """How a reply ended."""

    STOP = "stop"
    """The model had said everything."""
    LENGTH = "length"
    """It was cut off, so it is no answer."""
    REFUSAL = "refusal"
    """The model or its provider declined."""
    CALLS = "calls"
    """It asks for tools, and goes on when it has their results."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may ask for."""

    name: str
    description: str
    schema: Mapping[str, Any]
    """The JSON schema of its arguments, which is an object."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool that a model asks for."""

    id: str
    """What its result has to name."""
    name: str
    arguments: str
    """As the model wrote them: a JSON object if all is well, and anything if not."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model."""

    role: str
    """``system``, ``user``, ``assistant``, or ``tool`` for the result of a call."""
    text: str
    calls: tuple[ToolCall, ...] = ()
    """What an assistant asked for."""
    answers: ToolCall | None = None
    """The call whose result this is."""
    carried: str = ""
    """What the provider wants to see again unchanged, as :attr:`Reply.carried` gave it."""

    @property
    def spelled(self) -> list[Any]:
        """Spell it for JSON; what is not there leaves no trace."""
        rest: dict[str, Any] = {}
        if self.calls:
            rest["calls"] = [[call.id, call.name, call.arguments] for call in self.calls]
        if self.answers is not None:
            rest["answers"] = [self.answers.id, self.answers.name]
        if self.carried:
            rest["carried"] = self.carried
        return [self.role, self.text, rest] if rest else [self.role, self.text]


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that decides a reply; equal requests have equal keys."""

    model: str
    """``provider:name``, as pydantic-ai writes it, or the name of a scripted model."""
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Temperature, seed, max_tokens and the like; JSON-ready."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema that the reply has to fit; ``None`` is free text."""
    sample: int = 0
    """Which of several equal requests this is, where a judge is repeated."""
    tools: tuple[ToolSpec, ...] = ()
    """What the model may ask for instead of replying."""

    @property
    def spelled(self) -> str:
        """Spell it as JSON, in one way only: keys sorted, 1.0 as 1."""
        content: dict[str, Any] = {
            "model": self.model,
            "messages": [message.spelled for message in self.messages],
            "parameters": _plain(self.parameters),
            "schema": _plain(self.schema),
            "sample": self.sample,
        }
        if self.tools:  # requests without tools keep the keys that they always had
            content["tools"] = [[tool.name, tool.description, _plain(tool.schema)] for tool in self.tools]
        return json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))

    @property
    def key(self) -> str:
        """Return the hash under which a reply is kept."""
        return hashlib.sha256(self.spelled.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Bring JSON values that mean the same to the same spelling."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Counted(StrEnum):
    """Where a number of tokens comes from."""

    PROVIDER = "provider"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class Usage:
    """What a reply took."""

    input_tokens: int
    output_tokens: int
    counted: Counted
    usd: float | None = None
    """Its price; ``None`` where no price is known."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    text: str
    finish: Finish
    usage: Usage
    raw: str = ""
    """The provider's own reply as JSON, kept beside what was made of it."""
    replayed: bool = False
    """Whether it comes from a record and cost nothing."""
    calls: tuple[ToolCall, ...] = ()
    """The tools that it asks for, in its order."""
    carried: str = ""
    """What the provider wants to see again with the next request, such as signed reasoning; else empty."""


class ChatModel(Protocol):
    """Anything that replies."""

    @property
    def name(self) -> str:
        """Name it as requests do."""
        ...

    def complete(self, request: Request) -> Reply:
        """Reply to one request.

        Raises:
            ModelError: No reply could be had; its message holds no key.
        """
        ...
