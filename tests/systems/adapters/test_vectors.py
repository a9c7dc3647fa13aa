"""Vectors without our dependencies: the same as with them, and those of a served model."""

from __future__ import annotations

import json
import math
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, ModelError
from memgauge.retrieval.embedders import HashedEmbedder
from memgauge.systems.adapters.vectors import (
    BATCH,
    DIM,
    LETTERS,
    Hashed,
    ServedVectors,
    as_queries,
    open_vectors,
    portions,
    unit,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Serve = Callable[[Callable[[dict[str, Any]], tuple[int, object]]], str]


@given(st.lists(st.text(), max_size=5))
def test_hashed_vectors_are_those_of_the_retrieval_room(texts: list[str]) -> None:
    """Standard library and numpy give the same vectors, up to single precision."""
    ours = np.array(Hashed().embed(texts)).reshape(len(texts), DIM)
    assert np.allclose(ours, HashedEmbedder(DIM).embed(texts), atol=1e-6)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_a_unit_vector_has_length_one_or_none(row: list[float]) -> None:
    """Only a vector without length stays as it is."""
    length = math.hypot(*unit(row))
    assert length == 0 or math.isclose(length, 1, rel_tol=1e-9)


@given(st.lists(st.integers(0, 2 * LETTERS), max_size=3 * BATCH))
def test_a_request_holds_no_more_than_a_slow_model_can_read_in_a_minute(lengths: list[int]) -> None:
    """All texts are asked for in order, and one that is too long goes alone."""
    made = list(portions(["x" * length for length in lengths]))
    assert [len(text) for batch in made for text in batch] == lengths
    assert all(len(batch) == 1 or (len(batch) <= BATCH and sum(map(len, batch)) <= LETTERS) for batch in made)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve embeddings on this machine; the function given makes status and body of each request's."""
    servers: list[ThreadingHTTPServer] = []

    def start(reply: Callable[[dict[str, Any]], tuple[int, object]]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = reply(body | {"path": self.path, "key": self.headers["Authorization"]})
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's signature
                pass

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_address[1]}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_served_model_is_asked_in_batches(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text is sent once, blank ones never; rows come back by their index and with length one."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    asked: list[dict[str, Any]] = []

    def reply(body: dict[str, Any]) -> tuple[int, object]:
        asked.append(body)
        rows = [{"index": i, "embedding": [3, len(text)]} for i, text in enumerate(body["input"])]
        return 200, {"data": rows[::-1]}

    vectors = open_vectors(f"openai:small@{serve(reply)}/")
    assert (vectors.name, vectors.dim, vectors.dim) == ("openai:small", 2, 2)
    rows = vectors.embed(["four", "", "four", *(f"text {n}" for n in range(70))])
    assert rows[0] == rows[2] == [0.6, 0.8]
    assert rows[1] == [0.0, 0.0]
    assert [len(one["input"]) for one in asked] == [1, 64, 7]
    assert {(one["path"], one["key"], one["model"]) for one in asked} == {
        ("/v1/embeddings", "Bearer secret", "small")
    }


@pytest.mark.parametrize(
    ("status", "answer", "words"),
    [
        (500, {}, "answered 500"),
        (200, {"data": [{"index": 0}]}, "no vectors"),
        (200, {"data": []}, "0 vectors for 1 texts"),
    ],
)
def test_an_answer_without_vectors_is_an_error(serve: Serve, status: int, answer: object, words: str) -> None:
    """Nothing is made up where a model gives nothing."""
    with pytest.raises(ModelError, match=words):
        ServedVectors("small", serve(lambda _: (status, answer))).embed(["text"])


def test_an_address_where_nobody_listens_is_an_error() -> None:
    """The address is named."""
    with pytest.raises(ModelError, match="cannot be reached"):
        ServedVectors("small", "http://127.0.0.1:9/v1").embed(["text"])


def test_an_embedder_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may be written is said."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ConfigError, match="no embedder=minilm"):
        open_vectors("minilm")
    with pytest.raises(ConfigError, match="where embedder=openai:small is served"):
        open_vectors("openai:small")


def test_a_query_goes_behind_the_words_of_the_card(serve: Serve) -> None:
    """A server that knows no sides is sent what the model's card puts before each."""
    asked: list[str] = []

    def reply(body: dict[str, Any]) -> tuple[int, object]:
        asked.extend(body["input"])
        return 200, {"data": [{"index": i, "embedding": [1, 2]} for i, _ in enumerate(body["input"])]}

    vectors = open_vectors(f"openai:multilingual-e5-small@{serve(reply)}")
    vectors.embed(["a cat"])
    with as_queries(vectors):
        vectors.embed(["a cat"])
    vectors.embed(["a dog"])
    assert asked == ["passage: a cat", "query: a cat", "passage: a dog"]
    assert "'query: ' and 'passage: '" in vectors.identity


def test_a_length_is_asked_for_and_checked(serve: Serve) -> None:
    """A model that cannot be shortened is an error that names the option; hashed words have any length."""
    url = serve(lambda body: (200, {"data": [{"index": 0, "embedding": [1.0] * body["dimensions"] + [0.0]}]}))
    with pytest.raises(ModelError, match="vectors of 3, not of dim=2"):
        open_vectors(f"openai:small@{url}#dim=2").embed(["text"])
    assert open_vectors("hashed#dim=64").dim == len(open_vectors("hashed#dim=64").embed(["a"])[0]) == 64
    for wrong in ("hashed#dim=7", "hashed#dim=x"):
        with pytest.raises(ConfigError, match="dim="):
            open_vectors(wrong)
