"""Tools in requests and calls in replies, up to a server that speaks the chat completions API."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ModelError
from memgauge.llm.cassette import Cassette
from memgauge.llm.messages import Finish, Message, Request, ToolCall, ToolSpec
from memgauge.llm.prices import Price, expect
from memgauge.llm.provider import open_model
from memgauge.llm.scripted import Scripted, scripted_reply
from support.model_server import KEY, NAME, answer, bodies, completion, serve

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer

SCHEMA = {"type": "object", "properties": {"ticket_id": {"type": "string"}}, "required": ["ticket_id"]}
GET = ToolSpec("get_ticket", "Return one ticket.", SCHEMA)
LIST = ToolSpec("list_tickets", "List tickets.", {"type": "object", "properties": {}})
CALLS = st.builds(ToolCall, st.text(max_size=2), st.text(max_size=2), st.text(max_size=3))
MESSAGES = st.builds(
    Message,
    st.sampled_from(["assistant", "tool"]),
    st.text(max_size=2),
    st.lists(CALLS, max_size=2).map(tuple),
    st.none() | CALLS,
    st.sampled_from(["", "kept"]),
)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test the same key and no address."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def wanted(*calls: tuple[str, str, str]) -> list[dict[str, Any]]:
    """Spell calls as the chat completions API does."""
    return [{"id": n, "type": "function", "function": {"name": t, "arguments": a}} for n, t, a in calls]


def request(*messages: Message) -> Request:
    """Make a request that offers two tools."""
    return Request(NAME, messages or (Message("user", "Which ticket?"),), {"temperature": 1}, tools=(GET, LIST))


def test_tools_are_offered_and_calls_come_back_as_written(httpserver: HTTPServer) -> None:
    """Several calls of one reply keep their order, their ids and even arguments that are no JSON."""
    asked = wanted(("c1", "get_ticket", '{"ticket_id": "a"}'), ("c2", "list_tickets", "{nonsense"))
    url = serve(httpserver, answer(completion(None, "tool_calls", tool_calls=asked)))
    reply = open_model(NAME, base_url=url).complete(request())
    assert reply.finish is Finish.CALLS
    assert reply.calls == (
        ToolCall("c1", "get_ticket", '{"ticket_id": "a"}'),
        ToolCall("c2", "list_tickets", "{nonsense"),
    )
    assert (reply.text, reply.carried) == ("", "")
    offered = bodies(httpserver)[0]["tools"]
    assert [tool["function"]["name"] for tool in offered] == ["get_ticket", "list_tickets"]
    assert offered[0]["function"]["description"] == "Return one ticket."
    assert offered[0]["function"]["parameters"]["required"] == ["ticket_id"]


def test_results_go_back_under_the_id_of_their_call(httpserver: HTTPServer) -> None:
    """A conversation with calls is told to the provider in its own words."""
    url = serve(httpserver, answer(completion("It is done.")))
    call = ToolCall("c1", "get_ticket", '{"ticket_id":"a"}')
    talk = (
        Message("system", "Be short."),
        Message("user", "Which ticket?"),
        Message("assistant", "", calls=(call,)),
        Message("tool", "status: done", answers=call),
    )
    reply = open_model(NAME, base_url=url).complete(request(*talk))
    assert (reply.text, reply.finish, reply.calls) == ("It is done.", Finish.STOP, ())
    sent = bodies(httpserver)[0]["messages"]
    assert [one["role"] for one in sent] == ["system", "user", "assistant", "tool"]
    assert sent[2]["tool_calls"] == wanted(("c1", "get_ticket", '{"ticket_id":"a"}'))
    assert (sent[3]["tool_call_id"], sent[3]["content"]) == ("c1", "status: done")


def test_text_beside_calls_is_kept(httpserver: HTTPServer) -> None:
    """Some models say why they call; some servers end a reply with calls as if it had stopped."""
    asked = wanted(("c1", "list_tickets", ""))
    url = serve(
        httpserver,
        answer(completion("Let me look.", "stop", tool_calls=asked)),
        answer(completion("Done.")),
    )
    model = open_model(NAME, base_url=url)
    reply = model.complete(request())
    assert (reply.finish, reply.text, reply.calls) == (
        Finish.CALLS,
        "Let me look.",
        (ToolCall("c1", "list_tickets", "{}"),),
    )
    model.complete(request(Message("user", "?"), Message("assistant", reply.text, calls=reply.calls)))
    said = bodies(httpserver)[1]["messages"][1]
    assert (said["content"], len(said["tool_calls"])) == ("Let me look.", 1)


def test_reasoning_is_carried_back_unchanged(httpserver: HTTPServer) -> None:
    """What a provider reasons beside its calls is opaque here, and goes with the next request."""
    asked = wanted(("c1", "list_tickets", "{}"))
    url = serve(
        httpserver,
        answer(completion(None, "tool_calls", tool_calls=asked, reasoning_content=f"Hm {KEY}, look.")),
        answer(completion("Done.")),
    )
    model = open_model(NAME, base_url=url)
    first = model.complete(request())
    assert "Hm ***, look." in first.carried
    talk = (
        Message("user", "?"),
        Message("assistant", first.text, calls=first.calls, carried=first.carried),
        Message("tool", "none", answers=first.calls[0]),
    )
    assert model.complete(request(*talk)).text == "Done."
    assert "look." in json.dumps(bodies(httpserver)[1]["messages"][1])


def test_calls_that_nobody_offered_are_no_reply(httpserver: HTTPServer) -> None:
    """A provider that calls tools without any, or says so without naming one, gave nothing to use."""
    asked = wanted(("c1", "get_ticket", "{}"))
    url = serve(
        httpserver,
        answer(completion(None, "tool_calls", tool_calls=asked)),
        answer(completion("", "tool_calls")),
    )
    with pytest.raises(ModelError, match="ends as tool_call"):
        open_model(NAME, base_url=url).complete(Request(NAME, (Message("user", "?"),)))
    with pytest.raises(ModelError):
        open_model(NAME, base_url=url).complete(request())


@given(MESSAGES, MESSAGES)
def test_calls_and_results_decide_the_key(one: Message, other: Message) -> None:
    """Messages that differ in what is asked for, answered or carried are different requests."""

    def told(message: Message) -> tuple[object, ...]:
        answered = message.answers and (message.answers.id, message.answers.name)
        return message.role, message.text, message.calls, answered, message.carried

    same = told(one) == told(other)
    assert (request(one).key == request(other).key) == same


def test_tools_are_part_of_the_key_only_where_there_are_some() -> None:
    """Old records stay found; another description, schema or order of tools is another request."""
    bare = Request(NAME, (Message("user", "?"),))
    assert '"tools"' not in bare.spelled
    offered = replace(bare, tools=(GET, LIST))
    worded = replace(bare, tools=(replace(GET, description="Get."), LIST))
    shaped = replace(bare, tools=(replace(GET, schema={"type": "object"}), LIST))
    turned = replace(bare, tools=(LIST, GET))
    assert len({one.key for one in (bare, offered, worded, shaped, turned)}) == 5


def test_calls_are_recorded_and_replayed(tmp_path: Path) -> None:
    """A reply that only calls is whole; an empty one is not kept."""
    path = tmp_path / "replies.sqlite"
    call = ToolCall("c1", "get_ticket", '{"ticket_id":"a"}')
    made = replace(scripted_reply(request(), calls=[call]), carried="signed")
    assert made.finish is Finish.CALLS
    first = Cassette(Scripted([made]), path).complete(request())
    again = Cassette(Scripted([]), path, "replay").complete(request())
    assert first == made
    assert again == replace(made, replayed=True)
    empty = Cassette(Scripted([scripted_reply(request(), "")]), path)
    other = request(Message("user", "other"))
    assert empty.complete(other).text == ""
    assert not empty.holds(other)


def test_tools_and_calls_are_counted_before_they_are_sent() -> None:
    """Descriptions of tools are most of what an agent's request costs."""
    price = Price.flat(1, 0)
    bare = replace(request(), tools=())
    talked = request(Message("user", "?"), Message("assistant", "", calls=(ToolCall("1", "get_ticket", "{}"),)))
    assert expect(request(), price).input_tokens > expect(bare, price).input_tokens + 40
    assert expect(talked, price).input_tokens > expect(request(Message("user", "?")), price).input_tokens
