from __future__ import annotations

import base64
import json
import struct
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

import pytest

from memgauge.errors import ConfigError
from memgauge.llm.served import ModelServer, PromptFamily, totals
from memgauge.llm.served.embedding import embed
from support import ROOT


def post(server: ModelServer, path: str, body: object) -> tuple[int, Any]:
    """Ask, and return status and content."""
    request = urllib.request.Request(  # noqa: S310 - loopback
        f"{server.url}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310 - loopback
            content = reply.read()
            return reply.status, json.loads(content) if content.startswith(b"{") else content.decode()
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def chat(text: str, **more: Any) -> dict[str, Any]:
    """Spell a request of one message."""
    return {"model": "m", "messages": [{"role": "user", "content": text}], **more}


def test_a_family_replies_and_is_counted() -> None:
    """A rule says what is said to its prompts, and the ledger names it."""
    shout = PromptFamily("shout", lambda asked: "loud" in asked.last, lambda asked: asked.last.upper())
    with ModelServer([shout]) as server:
        status, reply = post(server, "chat/completions", chat("be loud"))
        post(server, "chat/completions", chat("be quiet"))
        post(server, "chat/completions", chat("be quiet", response_format={"type": "json_object"}))
    assert status == 200
    assert reply["choices"][0]["message"]["content"] == "BE LOUD"
    assert reply["usage"]["prompt_tokens"] == 2
    sums = totals(server.calls)
    assert list(sums) == ["shout", "unknown: json", "unknown: text"]
    assert (sums["shout"].calls, sums["shout"].input_tokens) == (1, 2)


def test_what_no_rule_knows_gets_the_smallest_reply_that_fits() -> None:
    """A schema is filled, a tool that must be used is used, JSON is an object, text is a text."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    shape = {"type": "json_schema", "json_schema": {"name": "N", "schema": schema}}
    listed = {"type": "json_schema", "json_schema": {"name": "L", "schema": {"type": "array"}}}
    tools = [{"type": "function", "function": {"name": "T", "parameters": schema}}]
    with ModelServer([]) as server:

        def said(**more: Any) -> Any:
            return post(server, "chat/completions", chat("?", **more))[1]["choices"][0]["message"]

        assert json.loads(said(response_format=shape)["content"]) == {"n": 0}
        assert json.loads(said(response_format=listed)["content"]) == {"value": []}
        assert said(tools=tools, tool_choice="required")["tool_calls"][0]["function"]["arguments"] == '{"n": 0}'
        assert said(tools=tools)["content"] == "OK."
        assert said(response_format={"type": "json_object"})["content"] == "{}"


def test_equal_requests_have_equal_replies() -> None:
    """Nothing in a reply depends on the moment."""
    with ModelServer() as server:
        first, second = (post(server, "chat/completions", chat("hello")) for _ in range(2))
    assert first == second


def test_a_stream_is_one_piece_and_its_end() -> None:
    """Clients that stream get what the others get."""
    with ModelServer([]) as server:
        status, content = post(server, "chat/completions", chat("hello", stream=True))
        tools = [{"type": "function", "function": {"name": "T", "parameters": {}}}]
        used = chat("hello", stream=True, tools=tools, tool_choice="required")
        _, piece = post(server, "chat/completions", used)
    assert status == 200
    first, last = content.strip().split("\n\n")
    assert json.loads(first.removeprefix("data: "))["choices"][0]["delta"]["content"] == "OK."
    assert last == "data: [DONE]"
    assert '"index": 0, "delta"' in piece
    assert '"tool_calls"' in piece


def test_vectors_come_as_numbers_and_as_base64() -> None:
    """The client's default spelling holds the same floats."""
    with ModelServer(dimensions=16) as server:
        _, plain = post(server, "embeddings", {"model": "e", "input": ["a red bicycle", ""]})
        _, coded = post(server, "embeddings", {"input": "a red bicycle", "encoding_format": "base64"})
        _, short = post(server, "embeddings", {"input": "a red bicycle", "dimensions": 8})
    rows = [one["embedding"] for one in plain["data"]]
    assert rows[0] == embed("a red bicycle", 16)
    assert rows[1] == [0.0] * 16
    spelled = struct.unpack("<16f", base64.b64decode(coded["data"][0]["embedding"]))
    assert spelled == pytest.approx(rows[0], abs=1e-6)
    assert len(short["data"][0]["embedding"]) == 8
    assert totals(server.calls)["embeddings"].calls == 3


def test_models_are_listed() -> None:
    """Some products ask how much a model can read before they ask it."""
    with (
        ModelServer(models=("one", "two")) as server,
        urllib.request.urlopen(f"{server.url}/models", timeout=10) as reply,  # noqa: S310 - loopback
    ):
        listed = json.load(reply)["data"]
    assert [one["id"] for one in listed] == ["one", "two"]
    assert all(one["context_window"] for one in listed)


def test_what_is_wrong_is_told_as_openai_tells_it() -> None:
    """Unknown paths, broken JSON and wrong bodies are errors that a client can show."""
    with ModelServer() as server:
        assert post(server, "nowhere", {})[0] == 404
        assert post(server, "chat/completions", {})[0] == 400
        assert "messages" in post(server, "chat/completions", [])[1]["error"]["message"]
        assert post(server, "embeddings", {"input": [1, 2]})[0] == 400
        broken = urllib.request.Request(f"{server.url}/chat/completions", b"{", method="POST")  # noqa: S310 - loopback
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(broken, timeout=10)  # noqa: S310 - loopback
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{server.url.removesuffix('/v1')}/other", timeout=10)  # noqa: S310 - loopback


def test_a_port_in_use_is_told() -> None:
    """It names the port and what to do."""
    with ModelServer() as server:
        port = int(server.url.split(":")[2].partition("/")[0])
        with pytest.raises(ConfigError, match=f"port {port}"):
            ModelServer(port=port)


def test_the_example_of_the_guide_prints_what_the_guide_says() -> None:
    """The block is run as it stands."""
    guide = (ROOT / "docs" / "model-server.md").read_text("utf-8")
    source, printed = (guide.split(f"```{language}\n")[1].split("```")[0] for language in ("python", "text"))
    told = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert told.stdout == printed
