"""Standing in front of a model: everything passes as it is, and every token is counted once."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from werkzeug import Response

from memgauge.llm.served.server import ModelServer
from memgauge.metering import CostSource, ModelTally, noted, tallies_since
from memgauge.systems.adapters.vectors import ServedVectors
from memgauge.systems.models.counting import counted_models
from memgauge.systems.models.routing import LENT
from memgauge.text.tokens import count_tokens
from support.model_server import completion, serve

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

SOURCES = (CostSource.COUNTED, CostSource.REPORTED)
TEXT = "How are you today, on this fine morning?"


def post(path: str, body: dict[str, Any]) -> bytes:
    """Ask whatever stands at the address of the environment."""
    sent = Request(f"{os.environ['OPENAI_BASE_URL']}/{path}", json.dumps(body).encode())  # noqa: S310 - loopback
    with urlopen(sent, timeout=30) as reply:  # noqa: S310 - loopback
        return bytes(reply.read())


def chat(**more: Any) -> bytes:
    """Ask for a text."""
    return post("chat/completions", {"model": "tiny", "messages": [{"role": "user", "content": TEXT}], **more})


Noted = dict[str, dict[str, ModelTally]]


def told(source: CostSource, model: str = "tiny", **counts: int) -> Noted:
    """Spell what is noted of one model."""
    return {source: {model: ModelTally(**counts)}}


def counted(url: str, ask: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> Noted:
    """Return what is noted while *ask* asks a model at *url*, by who says so."""
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    before = {source: noted(source) for source in SOURCES}
    with counted_models():
        assert os.environ["OPENAI_BASE_URL"] != url
        ask()
    assert os.environ["OPENAI_BASE_URL"] == url
    new = {str(source): tallies_since(noted(source), then) for source, then in before.items()}
    return {source: tallies for source, tallies in new.items() if tallies}


@pytest.mark.parametrize("stream", [False, True])
def test_what_a_server_says_of_tokens_is_counted(
    httpserver: HTTPServer, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a reply in one piece and of one in many, which comes through letter by letter; calls are seen here."""
    whole = json.dumps(completion("Fine."))
    content = f"data: {whole}\n\ndata: [DONE]\n\n" if stream else whole
    url = serve(httpserver, Response(content, content_type="text/event-stream"))
    came: list[bytes] = []
    expected = told(CostSource.COUNTED, calls=1) | told(CostSource.REPORTED, tokens_in=3, tokens_out=2)
    assert counted(url, lambda: came.append(chat(stream=stream)), monkeypatch) == expected
    assert came == [content.encode()]


def test_where_a_server_says_nothing_texts_are_counted(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the same rule as everywhere."""
    silent = {name: value for name, value in completion("Fine, thanks.").items() if name != "usage"}
    url = serve(httpserver, Response(json.dumps(silent), content_type="application/json"))
    tally = ModelTally(1, count_tokens(TEXT), count_tokens("Fine, thanks."))
    assert counted(url, chat, monkeypatch) == {CostSource.COUNTED: {"tiny": tally}}


@pytest.mark.parametrize("status", [400, 429, 503])
def test_what_was_sent_in_vain_counts(
    httpserver: HTTPServer, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal passes as it is; what was sent may be charged for."""
    url = serve(httpserver, Response('{"error": "no"}', status=status))

    def ask() -> None:
        with pytest.raises(HTTPError, match=str(status)) as refused:
            chat()
        assert refused.value.read() == b'{"error": "no"}'

    assert counted(url, ask, monkeypatch) == told(CostSource.COUNTED, calls=1, tokens_in=count_tokens(TEXT))


def test_what_reached_nobody_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no server listens, whoever asks is told so, and nothing is counted."""
    with ModelServer() as server:
        gone = server.url

    def ask() -> None:
        with pytest.raises(HTTPError, match="502"):
            chat()

    assert counted(gone, ask, monkeypatch) == {}


def test_vectors_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product's texts count here; those that were noted where they were handed over do not count again."""
    with ModelServer() as server:

        def ask(*, handed_over: bool) -> None:
            address = os.environ["OPENAI_BASE_URL"]
            ServedVectors("scripted", address, noted=handed_over).embed([TEXT])

        expected = told(CostSource.REPORTED, "local:scripted", embedding_tokens=count_tokens(TEXT))
        assert counted(server.url, lambda: ask(handed_over=False), monkeypatch) == expected
        assert counted(server.url, lambda: ask(handed_over=True), monkeypatch) == {}


def test_models_that_are_lent_are_stood_in_front_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each at its own address, which comes back when all is over."""
    with ModelServer() as server:
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        monkeypatch.setenv(LENT, json.dumps({"scripted": server.url}))
        before = noted(CostSource.REPORTED)
        with counted_models():
            url = json.loads(os.environ[LENT])["scripted"]
            assert url != server.url
            ServedVectors("scripted", url).embed([TEXT])
        assert json.loads(os.environ[LENT]) == {"scripted": server.url}
        assert tallies_since(noted(CostSource.REPORTED), before)[
            "local:scripted"
        ].embedding_tokens == count_tokens(TEXT)


def test_nothing_comes_within_reach_that_was_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of another machine stays as it is: a product that may not leave this one must not leave by us."""
    elsewhere = "https://models.example/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", elsewhere)
    monkeypatch.setenv(LENT, json.dumps({"far": elsewhere}))
    with counted_models():
        assert os.environ["OPENAI_BASE_URL"] == elsewhere
        assert json.loads(os.environ[LENT]) == {"far": elsewhere}
