"""The server in front of an engine: sides, caps, what it refuses, and who it says it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest

from memgauge.errors import ModelError
from memgauge.models.engines import Chatting, Embedding
from memgauge.retrieval.embedders import HashedEmbedder
from memgauge.systems.adapters.listing import identity_at, listed
from memgauge.systems.adapters.vectors import as_queries, open_vectors
from support.engines import ToyVectors, ToyWriter, serving

if TYPE_CHECKING:
    from pathlib import Path


def ask(url: str, path: str, **body: Any) -> tuple[int, dict[str, Any]]:
    """Post JSON."""
    request = Request(f"{url}/{path}", json.dumps(body).encode())  # noqa: S310 - our own server
    try:
        with urlopen(request, timeout=10) as reply:  # noqa: S310 - as above
            return reply.status, json.load(reply)
    except HTTPError as error:
        return error.code, json.load(error)


def test_an_adapter_asks_for_sides_and_learns_who_the_model_is() -> None:
    """Nothing stands before a text that the server is told the side of; the identity is the server's own."""
    engine = ToyVectors()
    with serving(engine) as server:
        vectors = open_vectors(f"openai:toy@{server.url}")
        documents = vectors.embed(["a cat"])
        with as_queries(vectors):
            queries = vectors.embed(["a cat"])
        assert engine.asked == ["passage: a cat", "query: a cat"]
        np.testing.assert_allclose(documents, HashedEmbedder(64).embed(["passage: a cat"]), atol=1e-6)
        assert documents != queries
        assert vectors.identity == engine.about.label
        assert identity_at(server.url, "toy") == engine.about
        assert identity_at(server.url, "other") is None
        with pytest.raises(ModelError, match="400"):
            open_vectors(f"openai:toy@{server.url}#dim=32").embed(["a cat"])


def test_a_text_is_embedded_once_ever(tmp_path: Path) -> None:
    """The server keeps vectors under the weights, for whoever asks next, and tells the sides apart."""
    engine = ToyVectors()
    for _ in range(2):
        with serving(engine, cache=str(tmp_path / "e.sqlite")) as server:
            for side in ("document", "query"):
                status, reply = ask(server.url, "embeddings", input=["a cat"], input_type=side)
                assert (status, len(reply["data"][0]["embedding"])) == (200, 64)
    assert engine.asked == ["passage: a cat", "query: a cat"]
    with serving(ToyVectors(query="ask: "), cache=str(tmp_path / "e.sqlite")) as server:
        ask(server.url, "embeddings", input="a cat", input_type="query")
        assert server.account.texts == 1


def test_a_reply_is_capped_whoever_asks_for_more() -> None:
    """The cap and the limit are the server's; what was cut is counted."""
    engine = ToyWriter()
    with serving(engine, cap=3, limit_s=7) as server:
        for asked in (None, 2, 100):
            _, reply = ask(server.url, "chat/completions", messages=[], max_tokens=asked)
            assert reply["usage"]["completion_tokens"] == min(asked or 3, 3)
            assert reply["choices"][0]["finish_reason"] == "length"
        assert {(body["cap"], body["limit_s"]) for body in engine.bodies} == {(3, 7)}
        (entry,) = listed(server.url)
        assert entry["limits"] == {"max_tokens": 3, "seconds": 7}
        assert (entry["spent"]["capped"], entry["spent"]["output_tokens"]) == (3, 8)


def test_what_a_model_cannot_do_is_refused_in_words() -> None:
    """Neither kind does the other's work, and a request that cannot be answered says why."""
    with serving(ToyVectors()) as server:
        assert "writes none" in ask(server.url, "chat/completions", messages=[])[1]["error"]["message"]
        for wrong in ({"input": 3}, {"input": ["a"], "input_type": "title"}, {"input": ["a"], "dimensions": 9}):
            assert ask(server.url, "embeddings", **wrong)[0] == 400
    with serving(ToyWriter(fails="the conversation is too long")) as server:
        assert "embeds none" in ask(server.url, "embeddings", input=["a"])[1]["error"]["message"]
        assert ask(server.url, "chat/completions", messages=[])[1]["error"]["message"].startswith(
            "the conversation"
        )
        assert server.account.refused == 1


def test_engines_are_told_apart_by_what_they_do() -> None:
    """One that embeds does not write."""
    assert isinstance(ToyVectors(), Embedding)
    assert isinstance(ToyWriter(), Chatting)
    assert not isinstance(ToyWriter(), Embedding)
    assert not isinstance(ToyVectors(), Chatting)


def test_nobody_far_away_is_asked_who_he_is() -> None:
    """Only this machine's servers are looked up."""
    assert listed("https://models.example/v1") == ()
    assert listed("http://127.0.0.1:9/v1") == ()
