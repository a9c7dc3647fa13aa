"""What stands in for a model is named by whoever uses it, and a served model is not."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from memgauge.cli.installing import made_real, stood_in
from memgauge.llm.served import ModelServer
from memgauge.systems.adapters import listing as parts
from memgauge.systems.adapters.stand_ins import HASHED, MODEL, is_scripted, stand_ins
from memgauge.systems.adapters.vectors import Hashed
from memgauge.systems.catalogue import open_system
from memgauge.systems.environments.products import product

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def listing_server(content: object) -> Iterator[str]:
    """Serve *content* as the list of models of a real server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def test_hashed_vectors_are_a_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever embeds by hashed words says so, and says what makes it real."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert stand_ins(Hashed().name, asks=False) == (HASHED,)
    assert "embedder=openai:" in HASHED


def test_a_scripted_server_is_a_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's own scripted model is recognised, as a model and as an embedder."""
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert stand_ins("openai:anything", asks=True) == (HASHED, MODEL)
        assert stand_ins("minilm", asks=False) == ()


@pytest.mark.parametrize(
    "content", [{"data": [{"id": "llama", "owned_by": "llamacpp"}]}, {"data": None}, [], {"data": [3]}]
)
def test_a_served_model_is_none(content: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any other server on this machine counts as real, whatever it lists."""
    with listing_server(content) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        assert stand_ins("openai:llama", asks=True) == ()


def test_no_other_machine_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a model far away is scripted is not looked up: nothing leaves this machine for it."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(parts, "urlopen", refuse)
    assert not is_scripted("https://models.example/v1")
    assert not is_scripted("")


@pytest.mark.parametrize(
    "ref",
    ["hybrid:embedder=hashed", "dense:embedder=hashed", "chunks:embedder=hashed", "pipeline:embedder=hashed"],
)
def test_own_policies_name_their_stand_ins(ref: str) -> None:
    """Hashed vectors are marked in what a policy promises; words alone are no stand-in for anything."""
    assert "hashed words" in open_system(ref).capabilities().stand_ins[0]
    assert open_system("bm25").capabilities().stand_ins == ()


def test_installing_says_what_stands_in() -> None:
    """A product that embeds by hashed words unless told otherwise names the option that makes it real."""
    notes = stood_in(product("mem0"))
    assert "unless embedder= names a model" in notes[0]
    assert "models install minilm, then --system mem0:embedder=minilm" in made_real(product("mem0"))
    assert "models install minilm, then --system chroma:embedder=minilm" in made_real(product("chroma"))
    assert stood_in(product("server-memory")) == ()
    assert not made_real(product("server-memory"))
