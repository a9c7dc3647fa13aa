from __future__ import annotations

import json
import threading
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from memgauge.errors import ModelError, ReplayMiss, TemporaryError
from memgauge.llm.served import ModelServer, Upstream, asked_from, recorded
from memgauge.llm.served.recording import Marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ONE, OTHER = "6f1c1c1e-0000-4000-8000-000000000001", "6f1c1c1e-0000-4000-8000-000000000002"
MAY, JUNE = date(2026, 5, 1), date(2026, 6, 1)


def body(text: str) -> dict[str, Any]:
    """Spell a request."""
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def echo(asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """Say the request again."""
    return {"message": {"role": "assistant", "content": asked["messages"][0]["content"]}}


def test_days_and_ids_of_the_moment_do_not_change_a_request(tmp_path: Path) -> None:
    """A reply recorded in May is replayed in June, with June's day and ids in it."""
    tape = tmp_path / "tape.sqlite"
    first = body(f"It is 2026-05-01T09:00:00Z. Change {ONE} said on 2023-05-08.")
    later = body(f"It is 2026-06-01T10:30:00Z. Change {OTHER} said on 2023-05-08.")
    recorded(echo, tape, "record", MAY).ask(asked_from(first), first)
    reply = recorded(echo, tape, "replay", JUNE).ask(asked_from(later), later)
    assert reply.replayed
    assert reply.message["content"] == later["messages"][0]["content"]


def test_days_of_the_past_do_change_a_request(tmp_path: Path) -> None:
    """What a conversation says of its own time decides a reply."""
    tape = tmp_path / "tape.sqlite"
    first, other = body("Said on 2023-05-08."), body("Said on 2023-05-09.")
    recorded(echo, tape, "record", MAY).ask(asked_from(first), first)
    with pytest.raises(ReplayMiss, match="record it first"):
        recorded(echo, tape, "replay", MAY).ask(asked_from(other), other)


def test_the_same_id_twice_has_one_mark_and_another_a_second() -> None:
    """Which ids are the same is part of the request."""
    marks = Marks(MAY)
    assert marks.mask(f"{ONE} {OTHER} {ONE}") == "<id 1> <id 2> <id 1>"
    assert marks.unmask("<id 2>") == OTHER


def test_an_id_is_known_inside_of_a_name() -> None:
    """As LangMem writes it, behind an underline; a longer number is none."""
    name = "c0ffee00-1111-4222-8333-444455556666"
    assert Marks(MAY).mask(f"<session_{name}> </session_{name}>") == "<session_<id 1>> </session_<id 1>>"
    assert Marks(MAY).mask("0" * 33) == "0" * 33


def test_a_miss_is_an_error_that_a_reader_understands(tmp_path: Path) -> None:
    """It names the record, the purpose and the beginning of the prompt, and is counted."""
    tape = tmp_path / "tape.sqlite"
    known = body("known")
    recorded(echo, tape, "record", MAY).ask(asked_from(known), known)
    with ModelServer(record=recorded(echo, tape, "replay", MAY)) as server:

        def ask(text: str) -> Any:
            sent = Request(f"{server.url}/chat/completions", json.dumps(body(text)).encode())  # noqa: S310 - loopback
            return json.load(urlopen(sent, timeout=10))  # noqa: S310 - loopback

        assert ask("known")["choices"][0]["message"]["content"] == "known"
        with pytest.raises(HTTPError) as caught:
            ask("never heard " * 40)
        said = json.load(caught.value)["error"]["message"]
    assert caught.value.code == 599
    assert "tape.sqlite" in said
    assert "(unknown: text): 'never heard" in said
    assert [call.outcome for call in server.calls] == ["replayed", "miss"]


@pytest.fixture
def upstream() -> Iterator[tuple[str, list[Any]]]:
    """Serve a model that answers by what it is told."""
    seen: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        """Answer with a status that the model's name holds."""

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((asked, self.headers.get("Authorization")))
            status = int(asked["model"]) if asked["model"].isdigit() else 200
            end = (
                {"finish_reason": asked["model"]} if asked["model"] in {"length", "content_filter", "stop"} else {}
            )
            choice = {"message": {"role": "assistant", "content": "real"}, **end}
            said = {"choices": [choice]} if status == 200 else {"error": {"message": "8,192 tokens are too many."}}
            content = json.dumps(said if asked["model"] != "odd" else {"no": 1}).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    server.shutdown()
    server.server_close()


def test_what_is_not_recorded_is_passed_on_as_it_came(upstream: tuple[str, list[Any]], tmp_path: Path) -> None:
    """The real model sees the real day and ids, and the key."""
    url, seen = upstream
    tape = recorded(Upstream(url, "secret"), tmp_path / "tape.sqlite", "record", MAY)
    asked = {**body(f"Today is 2026-05-01, {ONE}."), "stream": True}
    for _ in range(2):
        reply = tape.ask(asked_from(asked), asked)
    assert reply.message["content"] == "real"
    assert len(reply.key) == 64
    assert len(seen) == 1
    assert seen[0][0]["messages"] == asked["messages"]
    assert seen[0][1] == "Bearer secret"


@pytest.mark.parametrize(
    ("model", "error"),
    [("503", TemporaryError), ("429", TemporaryError), ("401", ModelError), ("odd", ModelError)],
)
def test_what_goes_wrong_there_is_named(
    upstream: tuple[str, list[Any]], model: str, error: type[Exception], tmp_path: Path
) -> None:
    """An overload may pass, a refusal does not, and neither is kept."""
    url, _ = upstream
    record = recorded(Upstream(url), tmp_path / "tape.sqlite", "record", MAY)
    with pytest.raises(error, match="replied"):
        record.ask(asked_from({**body("x"), "model": model}), {**body("x"), "model": model})
    with ModelServer(record=record) as server:
        sent = Request(f"{server.url}/chat/completions", json.dumps({**body("x"), "model": model}).encode())  # noqa: S310 - loopback
        with pytest.raises(HTTPError, match="502"):
            urlopen(sent, timeout=10)  # noqa: S310 - loopback
    assert server.calls[0].outcome == "failed"


def chat(server: ModelServer, model: str) -> Any:
    """Ask a server, and return its reply."""
    sent = Request(f"{server.url}/chat/completions", json.dumps({**body("x"), "model": model}).encode())  # noqa: S310 - loopback
    return json.load(urlopen(sent, timeout=10))  # noqa: S310 - loopback


@pytest.mark.parametrize("end", ["length", "content_filter", "stop"])
def test_a_client_hears_how_a_reply_ended(upstream: tuple[str, list[Any]], end: str, tmp_path: Path) -> None:
    """One that was cut is no answer, when it is recorded and when it is replayed."""
    url, seen = upstream
    for mode in ("record", "replay"):
        with ModelServer(record=recorded(Upstream(url), tmp_path / "tape.sqlite", mode, MAY)) as server:
            choice = chat(server, end)["choices"][0]
        assert choice["finish_reason"] == end
        assert choice["message"]["content"] == "real"
    assert len(seen) == 1


@pytest.mark.parametrize("status", [400, 404, 413, 422])
def test_a_request_that_is_wrong_there_is_wrong_here(
    upstream: tuple[str, list[Any]], status: int, tmp_path: Path
) -> None:
    """A client that got another status would ask again what cannot be answered; it hears why."""
    record = recorded(Upstream(upstream[0]), tmp_path / "tape.sqlite", "record", MAY)
    with ModelServer(record=record) as server, pytest.raises(HTTPError) as caught:
        chat(server, str(status))
    assert caught.value.code == status
    problem = json.load(caught.value)["error"]
    assert "8,192 tokens are too many." in problem["message"]
    assert problem["type"] == "invalid_request_error"
    assert server.calls[0].outcome == "failed"


def test_nobody_there_is_named() -> None:
    """An address without a server may be reached later."""
    with pytest.raises(TemporaryError, match="cannot be reached"):
        Upstream("http://127.0.0.1:9/v1", timeout_s=2)(body("x"))
