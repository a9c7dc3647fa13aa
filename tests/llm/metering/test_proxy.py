"""A proxy changes no byte, keeps no key, and turns whatever goes wrong into a recorded outcome."""

from __future__ import annotations

import http.client
import json
import socket
from threading import Event, Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from memgauge.errors import ConfigError
from memgauge.llm.metering.calls import CallEnd, CallRoute
from memgauge.llm.metering.cap import KIND, MoneyCap
from memgauge.llm.metering.log import CallLog
from memgauge.llm.metering.proxy import MeteringProxy
from memgauge.llm.metering.upstream import RelayLimits
from memgauge.llm.served import ModelServer
from memgauge.metering import CostSource
from memgauge.text.tokens import count_tokens
from support.metered import MOMENT, TEXT, ask, dollars, metered, written
from support.model_server import KEY, completion
from support.raw_server import DELTAS, DONE, USAGE, chunk, head, piece, raw_server, saying

if TYPE_CHECKING:
    from pathlib import Path

SENT = count_tokens(TEXT)


def test_what_is_asked_passes_and_is_written_down(tmp_path: Path) -> None:
    """With who asked, in which phase, how long it took, what the server says of tokens; no word that was said."""
    with raw_server(saying(completion("Fine."))) as server, metered(server.url, tmp_path) as proxy:
        status, content = ask(proxy.url.replace("/v1", "/as/mem0/writing/v1"))
    assert (status, json.loads(content)) == (200, completion("Fine."))
    (call,) = written(tmp_path)
    assert (call.product, call.phase, call.model, call.route) == ("mem0", "writing", "paid-mini", CallRoute.CHAT)
    assert (call.end, call.status, call.at) == (CallEnd.OK, 200, MOMENT.isoformat(timespec="milliseconds"))
    assert (call.tokens_in, call.in_source) == (3, CostSource.REPORTED)
    assert (call.tokens_out, call.out_source) == (2, CostSource.REPORTED)
    assert call.first_s is not None
    assert 0 < call.first_s <= call.seconds
    assert b"/v1/chat/completions" in server.requests[0].split(b"\r\n")[0]
    assert not {"How are you", "Fine."} & {text for text in (TEXT[:11], "Fine.") if text in _everything(tmp_path)}


def test_heads_say_on_whose_behalf(tmp_path: Path) -> None:
    """They go no further than the proxy."""
    heads = {"X-Memgauge-Product": "a%20memory", "X-Memgauge-Phase": "reading", "X-Memgauge-Unit": "c1%231"}
    with raw_server(saying(completion())) as server, metered(server.url, tmp_path) as proxy:
        ask(proxy.url, heads=heads)
    (call,) = written(tmp_path)
    assert (call.product, call.phase) == ("a memory", "reading")
    assert b"memgauge" not in server.requests[0].lower()


@pytest.mark.parametrize("says", [True, False])
def test_a_stream_passes_byte_for_byte_as_it_comes(tmp_path: Path, says: bool) -> None:
    """The first event is here before the second is sent; usage is that of the last chunk, or counted."""
    heard, rest = Event(), piece(DELTAS[1]) + piece(DELTAS[2]) + (USAGE if says else b"") + DONE

    def act(line: socket.socket) -> None:
        line.sendall(head() + chunk(piece(DELTAS[0])))
        assert heard.wait(30)
        line.sendall(chunk(rest) + b"0\r\n\r\n")

    with raw_server(act) as server, metered(server.url, tmp_path) as proxy:
        line = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=30)
        body = {"model": "paid-mini", "stream": True, "messages": [{"role": "user", "content": TEXT}]}
        line.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        reply = line.getresponse()
        first = reply.read1(1 << 16)
        heard.set()
        assert first + reply.read() == piece(DELTAS[0]) + rest
        line.close()
    (call,) = written(tmp_path)
    counted = (SENT, CostSource.COUNTED, count_tokens("".join(DELTAS)), CostSource.COUNTED)
    reported = (11, CostSource.REPORTED, 7, CostSource.REPORTED)
    assert (call.tokens_in, call.in_source, call.tokens_out, call.out_source) == (reported if says else counted)
    assert call.streamed


def test_no_key_stays_anywhere(tmp_path: Path) -> None:
    """It reaches the server; neither a file, nor an error, nor a name that holds it gives it away."""
    heads = {"Authorization": f"Bearer {KEY}"}
    refusal = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    acts = [saying(completion()), saying(refusal, status="401 Unauthorized"), lambda line: line.close()]
    with raw_server(*acts) as server, metered(server.url, tmp_path) as proxy:
        said = [ask(proxy.url, heads=heads)[1] for _ in range(3)]
        ask(f"{proxy.url}".replace("/v1", f"/as/{KEY}/{KEY}/v1"), heads=heads)
        ask(proxy.url, heads=heads, model=KEY)
        ask(proxy.url, f"other?key={KEY}", heads=heads)
    assert all(KEY.encode() in request for request in server.requests)
    assert KEY.encode() in said[1]  # the server says it to whoever has it
    assert KEY.encode() not in said[0] + said[2]
    assert len(written(tmp_path)) == 6
    assert KEY not in _everything(tmp_path)
    assert KEY[:20] not in _everything(tmp_path)


def _everything(folder: Path) -> str:
    return "".join(str(path) + path.read_text("utf-8") for path in folder.rglob("*") if path.is_file())


def test_a_server_that_is_down_is_an_outcome(tmp_path: Path) -> None:
    """Whoever asks is told so as providers do; nothing was taken."""
    with raw_server(saying({})) as server:
        gone = server.url
    with metered(gone, tmp_path) as proxy:
        status, content = ask(proxy.url)
    assert status == 502
    assert "cannot be reached" in json.loads(content)["error"]["message"]
    (call,) = written(tmp_path)
    assert (call.end, call.tokens_in, call.tokens_out) == (CallEnd.UNREACHABLE, 0, 0)


def test_a_stream_that_dies_is_an_outcome(tmp_path: Path) -> None:
    """What came passes, and the end is seen to be none; what came is counted."""

    def act(line: socket.socket) -> None:
        line.sendall(head() + chunk(piece("Fine")) + chunk(piece(", thanks")))

    with (
        raw_server(act) as server,
        metered(server.url, tmp_path) as proxy,
        pytest.raises(http.client.IncompleteRead),
    ):
        ask(proxy.url, stream=True)
    (call,) = written(tmp_path)
    assert (call.end, call.tokens_in, call.tokens_out) == (CallEnd.BROKEN, SENT, count_tokens("Fine, thanks"))


def test_a_stream_that_closes_without_a_word_of_its_end_broke_off(tmp_path: Path) -> None:
    """Neither a reason to finish nor the last event came; the connection just closed."""
    closing = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

    def act(line: socket.socket) -> None:
        line.sendall(closing + piece("Fine"))

    with raw_server(act) as server, metered(server.url, tmp_path) as proxy:
        ask(proxy.url, stream=True)
    (call,) = written(tmp_path)
    assert (call.end, call.tokens_out) == (CallEnd.BROKEN, count_tokens("Fine"))


def test_who_hangs_up_before_a_reply_comes_is_gone(tmp_path: Path) -> None:
    """The reply is whole, and nobody is there to read it; it costs what it took."""
    asked, gone = Event(), Event()

    def act(line: socket.socket) -> None:
        asked.set()
        assert gone.wait(30)
        saying(completion())(line)

    with raw_server(act) as server, metered(server.url, tmp_path) as proxy:
        line = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=30)
        line.request("POST", "/v1/chat/completions", "{}", {"Content-Type": "application/json"})
        assert asked.wait(30)
        line.close()
        gone.set()
        for _ in range(300):
            if calls := written(tmp_path):
                break
            Event().wait(0.05)
    assert [call.end for call in calls] == [CallEnd.GONE]
    assert calls[0].tokens_out


def test_who_only_says_that_no_more_comes_hears_the_reply(tmp_path: Path) -> None:
    """Half of a connection may be closed by somebody who reads on."""
    with raw_server(saying(completion())) as server, metered(server.url, tmp_path) as proxy:
        place = urlsplit(proxy.url)
        with socket.create_connection((str(place.hostname), place.port or 0), timeout=30) as line:
            line.sendall(f"POST /v1/chat/completions HTTP/1.1\r\nHost: {place.netloc}\r\n".encode())
            line.sendall(b"Content-Type: application/json\r\n")
            line.sendall(b"Content-Length: 2\r\nConnection: close\r\n\r\n{}")
            line.shutdown(socket.SHUT_WR)
            heard = b"".join(iter(lambda: line.recv(4096), b""))
    assert heard.startswith(b"HTTP/1.1 200")
    assert json.loads(heard.partition(b"\r\n\r\n")[2]) == completion()
    assert [call.end for call in written(tmp_path)] == [CallEnd.OK]


def test_a_reply_that_is_shorter_than_it_said_broke_off(tmp_path: Path) -> None:
    """Its tokens are not known, which is not 0."""

    def act(line: socket.socket) -> None:
        line.sendall(head("application/json", length=1000) + b'{"choices": [')

    with (
        raw_server(act) as server,
        metered(server.url, tmp_path) as proxy,
        pytest.raises(http.client.IncompleteRead),
    ):
        ask(proxy.url)
    (call,) = written(tmp_path)
    assert (call.end, call.tokens_out, call.out_source) == (CallEnd.BROKEN, None, CostSource.UNAVAILABLE)


@pytest.mark.parametrize("content", [b"<html>no</html>", b"", b"[1]", b'{"usage": {"prompt_tokens": "many"}}'])
def test_a_reply_that_is_nonsense_passes_as_it_is(tmp_path: Path, content: bytes) -> None:
    """What was sent is counted here."""
    with raw_server(saying(content)) as server, metered(server.url, tmp_path) as proxy:
        assert ask(proxy.url) == (200, content)
    (call,) = written(tmp_path)
    assert (call.end, call.tokens_in, call.in_source) == (CallEnd.OK, SENT, CostSource.COUNTED)
    assert call.legible is content.startswith(b'{"usage"')


def _until(event: Event) -> None:
    assert event.wait(30)


def test_silence_has_an_end(tmp_path: Path) -> None:
    """A model that says nothing in time is late, and a reply without an end is cut."""
    stuck = Event()
    limits = RelayLimits(silence_s=0.2)
    with raw_server(lambda _: _until(stuck)) as server, metered(server.url, tmp_path, limits=limits) as proxy:
        assert ask(proxy.url)[0] == 504
        stuck.set()
    with raw_server(saying(b"x" * 4096)) as server:  # noqa: SIM117 - one server after the other
        with metered(server.url, tmp_path, limits=RelayLimits(reply_bytes=64)) as proxy:
            with pytest.raises(http.client.IncompleteRead):
                ask(proxy.url)
    assert [call.end for call in written(tmp_path)] == [CallEnd.LATE, CallEnd.BROKEN]


def test_who_hangs_up_is_noticed(tmp_path: Path) -> None:
    """A client that goes in the middle of a stream costs what came, and the proxy goes on."""
    gone, big = Event(), chunk(piece("x" * 60_000))

    def act(line: socket.socket) -> None:
        line.sendall(head() + big)
        assert gone.wait(30)
        while True:  # until nobody listens
            line.sendall(big)

    with raw_server(act, saying(completion())) as server, metered(server.url, tmp_path) as proxy:
        line = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=30)
        line.request("POST", "/v1/chat/completions", "{}", {"Content-Type": "application/json"})
        line.getresponse().read1(10)
        line.close()
        gone.set()
        assert ask(proxy.url)[0] == 200
        for _ in range(300):
            if len(calls := written(tmp_path)) == 2:
                break
            Event().wait(0.05)
    assert {call.end for call in calls} == {CallEnd.OK, CallEnd.GONE}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999999\r\n\r\n", 413),
        (b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST /v1/files HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}", 404),
        (b"GET /v1/files HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        (b"GET /v1/models/../files HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        (b"POST /elsewhere/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}", 404),
    ],
)
def test_what_is_no_call_of_a_model_goes_no_further(tmp_path: Path, sent: bytes, status: int) -> None:
    """It is refused in words, and written down."""
    with (
        raw_server(saying(completion())) as server,
        metered(server.url, tmp_path) as proxy,
        socket.create_connection(("127.0.0.1", proxy.server_address[1])) as line,
    ):
        line.sendall(sent)
        assert f" {status} ".encode() in line.recv(1 << 16)
    assert not server.requests
    (call,) = written(tmp_path)
    assert (call.end, call.status, call.tokens_in) == (CallEnd.UNFIT, status, 0)


def test_a_request_that_comes_again_is_a_retry(tmp_path: Path) -> None:
    """By the status that its last try had; another request, or one after a success, is none."""
    acts = [saying({}, status="429 Slow Down"), saying({}, status="503 No"), saying(completion())]
    with raw_server(*acts) as server, metered(server.url, tmp_path) as proxy:
        for temperature in (0, 0, 0, 0, 1):
            ask(proxy.url, temperature=temperature)
    calls = written(tmp_path)
    assert [call.again_after for call in calls] == ["", "429", "503", "", ""]
    assert [call.end for call in calls[:3]] == [CallEnd.REFUSED, CallEnd.REFUSED, CallEnd.OK]


def test_many_clients_are_served_at_once(tmp_path: Path) -> None:
    """Every call is written on a line of its own."""
    with ModelServer() as server, metered(server.url, tmp_path, free=lambda: {"scripted"}) as proxy:
        threads = [Thread(target=lambda n=n: [ask(proxy.url, seed=n) for _ in range(4)]) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    calls = written(tmp_path)
    assert len(calls) == 64
    assert {(call.end, call.model) for call in calls} == {(CallEnd.OK, "local:paid-mini")}


def test_vectors_and_lists_of_models_pass(tmp_path: Path) -> None:
    """Vectors are counted; a list costs nothing and is no call."""
    with ModelServer() as server, metered(server.url, tmp_path) as proxy:
        assert ask(proxy.url, "embeddings", input=[TEXT])[0] == 200
        line = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=30)
        line.request("GET", "/v1/models")
        assert json.loads(line.getresponse().read())["object"] == "list"
        line.close()
    (call,) = written(tmp_path)
    assert (call.route, call.tokens_in, call.tokens_out) == (CallRoute.EMBEDDINGS, SENT, 0)


def test_money_is_not_passed(tmp_path: Path) -> None:
    """What would cost more than is left is refused in words that clients show; free models go on."""
    usage = {"prompt_tokens": 300_000, "completion_tokens": 0}
    cap = MoneyCap(0.5, dollars)
    with (
        raw_server(saying({**completion(), "usage": usage})) as server,
        metered(server.url, tmp_path, cap=cap, free=lambda: {"mine"}) as proxy,
    ):
        heads = {"X-Memgauge-Product": "m", "X-Memgauge-Unit": "c1"}
        statuses = [ask(proxy.url, heads=heads)[0] for _ in range(2)]
        status, content = ask(proxy.url, heads=heads)
        assert ask(proxy.url, model="mine")[0] == 200
        assert [(mark.product, mark.unit) for mark in proxy.capped] == [("m", "c1")]
    assert (statuses, status, len(server.requests)) == ([200, 200], 402, 3)
    problem = json.loads(content)["error"]
    assert problem["type"] == problem["code"] == KIND
    assert "$0.6000 of $0.5000 are spent" in problem["message"]
    assert cap.spent == pytest.approx(0.6)
    assert cap.why == problem["message"]
    assert [call.end for call in written(tmp_path)] == [CallEnd.OK, CallEnd.OK, CallEnd.CAPPED, CallEnd.OK]


def test_what_nobody_knows_is_charged_in_full(tmp_path: Path) -> None:
    """Of a reply that cannot be read, all that it may have said."""
    cap = MoneyCap(1, dollars)
    with raw_server(saying(b"<html>")) as server, metered(server.url, tmp_path, cap=cap) as proxy:
        ask(proxy.url, max_tokens=1000)
    assert 0.002 < cap.spent < 0.003


def test_without_a_price_no_cap_can_be_kept(tmp_path: Path) -> None:
    """So nothing is asked."""
    with (
        raw_server(saying(completion())) as server,
        metered(server.url, tmp_path, cap=MoneyCap(1, dollars)) as proxy,
    ):
        status, content = ask(proxy.url, model="of-nobody-knows-whom")
    assert (status, server.requests) == (402, [])
    assert "No list price of of-nobody-knows-whom is known" in json.loads(content)["error"]["message"]


@pytest.mark.parametrize(
    "url",
    ["nowhere", "ftp://a/v1", f"https://me:{KEY}@a/v1", f"https://a/v1?key={KEY}", "http://a:b/v1"],
)
def test_an_address_holds_no_key(tmp_path: Path, url: str) -> None:
    """And is one; the error does not repeat it."""
    with CallLog(tmp_path) as log, pytest.raises(ConfigError) as refused:
        MeteringProxy(url, log)
    assert KEY not in str(refused.value)


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    """In a sentence."""
    with (
        ModelServer() as server,
        CallLog(tmp_path) as log,
        pytest.raises(ConfigError, match="Cannot listen on port"),
    ):
        MeteringProxy(server.url, log, port=urlsplit(server.url).port or 0)


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_is_noted_before_whoever_asked_goes_on(tmp_path: Path, stream: bool) -> None:
    """So it counts for the phase in which it was asked, and not for the next."""
    parts, read = [piece("Fine"), USAGE, DONE], Event()
    body = b"".join(parts)

    def act(line: socket.socket) -> None:
        line.sendall(head() + b"".join(map(chunk, parts)))  # and the connection stays open behind it
        assert read.wait(30)

    acts = [act if stream else saying(completion())]
    with raw_server(*acts) as server, metered(server.url, tmp_path) as proxy:
        line = http.client.HTTPConnection(urlsplit(proxy.url).netloc, timeout=30)
        line.request("POST", "/v1/chat/completions", '{"model": "m", "messages": []}')
        reply = line.getresponse()
        came = b""
        while len(came) < (len(body) if stream else int(reply.headers["Content-Length"])):
            came += reply.read1(1 << 16)
        (call,) = written(tmp_path)
        assert (call.end, call.in_source) == (CallEnd.OK, CostSource.REPORTED)
        read.set()
        line.close()
