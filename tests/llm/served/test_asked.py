from __future__ import annotations

import json

import pytest

from memgauge.errors import ConfigError
from memgauge.llm.served.asked import Use, asked_from, spell_message


def test_a_request_is_read_whatever_shape_its_reply_must_have() -> None:
    """Schema, plain JSON and tools are told apart."""
    said = [{"role": "user", "content": "Hello."}]
    schema = {"type": "object"}
    shaped = asked_from(
        {
            "model": "m",
            "messages": said,
            "response_format": {"type": "json_schema", "json_schema": {"name": "Facts", "schema": schema}},
        }
    )
    assert (shaped.schema, shaped.schema_name, shaped.json_only) == (schema, "Facts", False)
    assert asked_from({"messages": said, "response_format": {"type": "json_object"}}).json_only
    tools = [{"type": "function", "function": {"name": "Memory", "parameters": schema}}]
    free = asked_from({"messages": said, "tools": tools, "tool_choice": "auto"})
    forced = asked_from({"messages": said, "tools": tools, "tool_choice": "required"})
    named = {"type": "function", "function": {"name": "Memory"}}
    chosen = asked_from({"messages": said, "tools": tools, "tool_choice": named})
    assert (free.must_use, forced.must_use, chosen.must_use) == ("", "*", "Memory")
    assert chosen.tools == {"Memory": schema}


def test_a_message_may_come_in_parts() -> None:
    """Texts of parts are joined, and what is no text is left out."""
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}, {"type": "image_url"}]
    asked = asked_from({"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": parts}]})
    assert asked.last == "one\ntwo\n"
    assert asked.text.startswith("S\n")


def test_without_a_user_the_last_message_is_all_that_was_said() -> None:
    """Some products put everything into the system's message."""
    assert asked_from({"messages": [{"role": "system", "content": "S"}]}).last == "S"


@pytest.mark.parametrize("body", [None, [], {}, {"messages": "hello"}])
def test_what_is_no_request_is_refused(body: object) -> None:
    """A sentence says what a request is."""
    with pytest.raises(ConfigError, match="list of messages"):
        asked_from(body)


def test_replies_are_spelled_as_text_as_json_and_as_tools() -> None:
    """A use of a tool has an id that depends on what it is."""
    assert spell_message("hi") == {"role": "assistant", "content": "hi"}
    assert json.loads(spell_message({"é": 1})["content"]) == {"é": 1}
    (first,) = spell_message([Use("Memory", {"content": "x"})])["tool_calls"]
    (other,) = spell_message([Use("Memory", {"content": "y"})])["tool_calls"]
    assert first["function"] == {"name": "Memory", "arguments": '{"content": "x"}'}
    assert first["id"] != other["id"]
