"""A streamed completion, put together."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.errors import ConfigError
from memgauge.models.pieces import joined


def piece(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """Spell one piece."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def test_words_are_joined_and_counted() -> None:
    """The last piece says how it ended and what it took."""
    usage = {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6}
    reply = joined([piece(content="Good "), piece(content="day."), piece("stop"), {"usage": usage}], "toy")
    assert reply["choices"][0]["message"] == {"role": "assistant", "content": "Good day."}
    assert (reply["choices"][0]["finish_reason"], reply["usage"], reply["model"]) == ("stop", usage, "toy")


def test_what_breaks_off_is_cut() -> None:
    """A reply that was stopped has no end of its own; its pieces are counted in the place of tokens."""
    reply = joined([piece(content="Good "), piece(content="day")], "toy")
    assert reply["choices"][0]["finish_reason"] == "length"
    assert reply["usage"]["completion_tokens"] == 2


def test_a_call_of_a_tool_comes_in_parts() -> None:
    """Its name comes once, its arguments piece by piece."""
    first = {"index": 0, "id": "c1", "function": {"name": "store", "arguments": '{"a"'}}
    rest = {"index": 0, "function": {"arguments": ": 1}"}}
    message = joined([piece(tool_calls=[first]), piece("tool_calls", tool_calls=[rest])], "toy")["choices"][0][
        "message"
    ]
    called = {"id": "c1", "type": "function", "function": {"name": "store", "arguments": '{"a": 1}'}}
    assert message == {"role": "assistant", "content": None, "tool_calls": [called]}


def test_a_piece_that_is_an_error_is_told() -> None:
    """What the engine says is passed on."""
    with pytest.raises(ConfigError, match="toy: the context is full"):
        joined([{"error": {"message": "the context is full"}}], "toy")
