"""The pieces of a streamed completion, put together again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def joined(pieces: Iterable[Mapping[str, Any]], model: str) -> dict[str, Any]:
    """Return the completion that *pieces* make; one that breaks off is cut, and says so.

    Raises:
        ConfigError: A piece is an error.
    """
    words, calls, finish = list[str](), dict[int, dict[str, Any]](), ""
    usage: Mapping[str, Any] = {}
    for piece in pieces:
        if "error" in piece:
            raise ConfigError(f"{model}: {_why(piece['error'])}")
        usage = piece.get("usage") or usage
        for choice in piece.get("choices") or ():
            delta = choice.get("delta") or {}
            words.append(str(delta.get("content") or ""))
            for part in delta.get("tool_calls") or ():
                _add(calls, part)
            finish = choice.get("finish_reason") or finish
    message: dict[str, Any] = {"role": "assistant", "content": "".join(words)}
    if calls:
        message |= {"content": message["content"] or None, "tool_calls": [calls[place] for place in sorted(calls)]}
    choice = {"index": 0, "message": message, "finish_reason": finish or "length", "logprobs": None}
    token_count = sum(map(bool, words))  # one piece a token, where it was stopped before it could count
    counts = {"prompt_tokens": 0, "completion_tokens": token_count, "total_tokens": token_count} | dict(usage)
    return {
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": counts,
    }


def _add(calls: dict[int, dict[str, Any]], part: Mapping[str, Any]) -> None:
    """Add a part of a call to what is known of it: its name comes once, its arguments in pieces."""
    call = calls.setdefault(
        int(part.get("index") or 0), {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
    )
    function = part.get("function") or {}
    call["id"] = part.get("id") or call["id"]
    call["function"]["name"] = function.get("name") or call["function"]["name"]
    call["function"]["arguments"] += str(function.get("arguments") or "")


def _why(error: object) -> str:
    return str(error.get("message") or error) if isinstance(error, dict) else str(error)
