"""What is asked of a language model, and what it replies: frozen values, no provider in sight."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Finish(StrEnum):
    """How a reply ended."""

    STOP = "stop"
    """The model had said everything."""
    LENGTH = "length"
    """It was cut off, so it is no answer."""
    REFUSAL = "refusal"
    """The model or its provider declined."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model."""

    role: str
    """``system``, ``user`` or ``assistant``."""
    text: str


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

    @property
    def spelled(self) -> str:
        """Spell it as JSON, in one way only: keys sorted, 1.0 as 1."""
        content = {
            "model": self.model,
            "messages": [[message.role, message.text] for message in self.messages],
            "parameters": _plain(self.parameters),
            "schema": _plain(self.schema),
            "sample": self.sample,
        }
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
