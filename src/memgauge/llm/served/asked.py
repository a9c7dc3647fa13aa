"""What a program asks of a chat model over HTTP, and what can be said back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memgauge.errors import ConfigError
from memgauge.llm.messages import Message


@dataclass(frozen=True, slots=True)
class Use:
    """A reply that uses a tool."""

    tool: str
    arguments: Mapping[str, Any]


Said = str | Mapping[str, Any] | Sequence[Use]
"""A text, an object that is sent as JSON, or uses of tools."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request of the chat completions API."""

    model: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    """Of the reply, where one is asked for."""
    schema_name: str = ""
    json_only: bool = False
    """Whether any JSON object will do."""
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Schemas of arguments by the tool's name."""
    must_use: str = ""
    """The tool that has to be used; ``*`` where any has to."""
    stream: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return all that was said, one message after the other."""
        return "\n".join(message.text for message in self.messages)

    @property
    def last(self) -> str:
        """Return the last message of the one who asks."""
        texts = [message.text for message in self.messages if message.role != "system"]
        return texts[-1] if texts else self.text


_PARAMETERS = ("temperature", "top_p", "seed", "stop", "max_tokens", "max_completion_tokens", "reasoning_effort")


def asked_from(body: object) -> ChatRequest:
    """Read a request as it came.

    Raises:
        ConfigError: It is not one.
    """
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        raise ConfigError("A chat request is an object with a list of messages.")
    wanted = body.get("response_format") or {}
    spelled = wanted.get("json_schema") or {}
    return ChatRequest(
        model=str(body.get("model") or "scripted"),
        messages=tuple(
            Message(str(message.get("role", "user")), _text(message.get("content")))
            for message in body["messages"]
        ),
        schema=spelled.get("schema"),
        schema_name=str(spelled.get("name") or ""),
        json_only=wanted.get("type") == "json_object",
        tools=_tools(body),
        must_use=_must_use(body.get("tool_choice")),
        stream=bool(body.get("stream")),
        parameters={key: body[key] for key in _PARAMETERS if body.get(key) is not None},
    )


def _text(content: object) -> str:
    """Return the text of a message, which may come in parts."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")


def _tools(body: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    functions = [tool.get("function") or {} for tool in body.get("tools") or ()]
    return {str(tool["name"]): tool.get("parameters") or {} for tool in functions if tool.get("name")}


def _must_use(choice: object) -> str:
    if isinstance(choice, dict):
        return str((choice.get("function") or {}).get("name") or "*")
    return "*" if choice in {"required", "any"} else ""


def spell_message(content: Said) -> dict[str, Any]:
    """Spell a reply as the message of an assistant."""
    if isinstance(content, str):
        return {"role": "assistant", "content": content}
    if isinstance(content, Mapping):
        return {"role": "assistant", "content": json.dumps(content, ensure_ascii=False)}
    calls = [_call(number, use) for number, use in enumerate(content)]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _call(number: int, use: Use) -> dict[str, Any]:
    arguments = json.dumps(use.arguments, ensure_ascii=False)
    digest = hashlib.sha256(f"{number} {use.tool} {arguments}".encode()).hexdigest()
    called = {"name": use.tool, "arguments": arguments}
    return {"id": f"call_{digest[:16]}", "type": "function", "function": called}
