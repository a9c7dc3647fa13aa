from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.messages import Message, Request

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
REQUESTS = st.builds(
    Request,
    st.sampled_from(["a", "b"]),
    st.lists(st.builds(Message, st.sampled_from(["user", "system"]), st.text(max_size=2)), max_size=2).map(tuple),
    st.dictionaries(st.sampled_from(["seed", "temperature"]), JSON, max_size=2),
    st.none() | st.dictionaries(st.text(max_size=2), JSON, max_size=2),
    st.integers(0, 1),
)


def meaning(value: Any) -> Any:
    """Tell apart what Python takes for equal: true and 1."""
    if isinstance(value, dict):
        return {key: meaning(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [meaning(inner) for inner in value]
    return (isinstance(value, bool), value)


def content(request: Request) -> Any:
    """List all that decides a reply."""
    messages = [[message.role, message.text] for message in request.messages]
    return meaning([request.model, messages, dict(request.parameters), request.schema, request.sample])


@given(REQUESTS, REQUESTS)
def test_keys_are_equal_exactly_where_the_content_is(one: Request, other: Request) -> None:
    """No two requests share a key by accident, and no request has two."""
    assert (one.key == other.key) == (content(one) == content(other))


@given(REQUESTS)
def test_a_key_survives_json(request: Request) -> None:
    """What is read back from a file has the key that it had, and order of parameters does not matter."""
    read = json.loads(request.spelled)
    backwards = dict(reversed(list(read["parameters"].items())))
    again = Request(
        read["model"],
        tuple(Message(*pair) for pair in read["messages"]),
        backwards,
        read["schema"],
        read["sample"],
    )
    assert again.key == request.key
    assert again.spelled == request.spelled


def test_a_key_stays_what_it_is() -> None:
    """Published records must be found again by later versions."""
    request = Request("openai:m", (Message("user", "Grüße"),), {"temperature": 0.0, "max_tokens": 5})
    assert request.key == Request("openai:m", request.messages, {"max_tokens": 5, "temperature": 0}).key
    assert request.spelled == (
        '{"messages":[["user","Gr\\u00fc\\u00dfe"]],"model":"openai:m",'
        '"parameters":{"max_tokens":5,"temperature":0},"sample":0,"schema":null}'
    )
