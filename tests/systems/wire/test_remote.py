"""A system behind HTTP, and what a server may do wrong."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach, UnknownNameError, UserError
from memgauge.systems.catalogue import open_here, open_system
from memgauge.systems.conformance import check
from memgauge.systems.protocol import supported
from memgauge.systems.wire.face import Face
from memgauge.systems.wire.methods import METHODS
from memgauge.systems.wire.openapi import document
from support.wire import HELLO, HERE, turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


TOKEN = "sesame-of-sixteen"  # noqa: S105 - of this test


@pytest.fixture
def face(monkeypatch: pytest.MonkeyPatch) -> Iterator[Face]:
    """Serve bm25 on a free port of this machine."""
    monkeypatch.setenv("FACE_KEY", TOKEN)
    served = Face(lambda seed: open_here("bm25", seed=seed), token=TOKEN)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield served
    served.shutdown()
    served.server_close()


def test_a_system_behind_http_is_the_same_system(face: Face) -> None:
    """It conforms as it does here, and offers the same."""
    system = open_system(f"{face.url},key=FACE_KEY")
    assert supported(system) == supported(open_here("bm25"))
    assert (system.name, system.version) == ("bm25", open_here("bm25").version)
    system.close()  # type: ignore[attr-defined] # every wire system can be closed
    assert check(lambda: open_system(f"{face.url},key=FACE_KEY")).broken == ()


def test_a_server_that_started_again_is_found_out(face: Face) -> None:
    """Its store is empty, so its answer is not taken for a search without hits; reset begins anew."""
    first, second = open_system(f"{face.url},key=FACE_KEY"), open_system(f"{face.url},key=FACE_KEY")
    second.ingest([turn()], HERE)
    with pytest.raises(CallFailed, match=r"is not here|started again"):
        first.search("beans", HERE, 3)
    with pytest.raises(CallFailed, match="not called"):
        first.dump(HERE)
    first.reset()
    assert list(first.dump(HERE)) == []
    for system in (first, second):
        system.close()  # type: ignore[attr-defined] # every wire system can be closed


def post(url: str, body: bytes, **heads: str) -> tuple[int, dict[str, Any]]:
    """Send what curl would send, and return status and reply."""
    heads = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}", **heads}
    request = urllib.request.Request(url, body, heads)  # noqa: S310 - this machine
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310 - this machine
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_requests_by_hand(face: Face) -> None:
    """What curl would send: the document, a greeting, and mistakes with their status."""
    with urllib.request.urlopen(f"{face.url}/openapi.json", timeout=10) as reply:  # noqa: S310 - this machine
        assert json.loads(reply.read()) == document()
    with pytest.raises(urllib.error.HTTPError, match="404") as missing:
        urllib.request.urlopen(f"{face.url}/nothing", timeout=10)  # noqa: S310 - this machine
    missing.value.close()
    status, hello = post(f"{face.url}/hello", b'{"protocol": "wire/1"}')
    assert status == 200
    instance = {"Wire-Instance": hello["instance"]}
    assert post(f"{face.url}/reset", b"", **instance)[0] == 200
    assert post(f"{face.url}/reset", b"")[0] == 409
    assert post(f"{face.url}/reset", b"{", **instance)[0] == 400
    assert post(f"{face.url}/search", b"{}", **instance)[0] == 400
    assert post(f"{face.url}/ask", b"{}", **instance)[0] == 404


def test_a_port_in_use_is_a_sentence(face: Face) -> None:
    """The port is named, and what to do."""
    with pytest.raises(ConfigError, match=r"Cannot listen on 127\.0\.0\.1:.*Choose another --port"):
        Face(lambda _: open_here("bm25"), token=TOKEN, port=face.server_address[1])


@pytest.fixture
def odd() -> Iterator[Callable[[Any], str]]:
    """Serve whatever a function returns after hello: status, body, instance."""
    servers: list[ThreadingHTTPServer] = []

    def started(act: Any) -> str:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                method = self.path.strip("/")
                greeted = 200, json.dumps(HELLO | {"instance": "one"}).encode(), "one"
                status, body, instance = (
                    greeted if method == "hello" and act is not None else (act or _nameless)(method)
                )
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Wire-Instance", instance)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield started
    for server in servers:
        server.shutdown()
        server.server_close()


def _nameless(_: str) -> tuple[int, bytes, str]:
    return 200, json.dumps(HELLO).encode(), ""


@pytest.mark.parametrize(
    ("answer", "fault", "said"),
    [
        ((200, b"nonsense", "one"), ContractBreach, "dump returned 'nonsense', which is no JSON object"),
        ((500, b"<html>", "one"), CallFailed, "dump returned HTTP 500: <html>"),
        ((500, b'{"error": {"code": -32000, "message": "no disk"}}', "one"), CallFailed, "no disk"),
        ((200, b"{}", "two"), CallFailed, "answered by instance 'two', not by 'one'"),
        ((200, b"{}", ""), CallFailed, "answered by instance '\\(unnamed\\)'"),
    ],
)  # fmt: skip
def test_a_wrong_reply_is_named(
    odd: Any, answer: tuple[int, bytes, str], fault: type[Exception], said: str
) -> None:
    """Nothing but an object of the same store is a result."""
    system = open_system(odd(lambda _: answer))
    with pytest.raises(fault, match=said):
        list(system.dump(HERE))
    system.close()  # type: ignore[attr-defined] # every wire system can be closed


def test_a_slow_server_is_bounded(odd: Any) -> None:
    """The deadline holds for one call, and the connection is given up."""

    def slow(method: str) -> tuple[int, bytes, str]:
        time.sleep(5 if method == "dump" else 0)
        return 200, b"{}", "one"

    url = odd(slow)
    system = open_system(f"{url},timeout=0.3")
    with pytest.raises(CallTimeout, match=r"dump did not return within 0\.3 s"):
        list(system.dump(HERE))
    system.close()  # type: ignore[attr-defined] # every wire system can be closed


def test_whoever_leaves_says_goodbye_once(odd: Any) -> None:
    """The server may close what it opened; what was closed is called no more."""
    asked: list[str] = []

    def noting(method: str) -> tuple[int, bytes, str]:
        asked.append(method)
        return 200, b"{}", "one"

    system: Any = open_system(odd(noting))
    system.reset()
    system.close()
    system.close()
    assert asked == ["reset", "close"]
    with pytest.raises(CallFailed, match="not called: it was closed"):
        system.dump(HERE)


def test_a_server_that_names_no_store_is_refused(odd: Any) -> None:
    """A restart could not be told from an empty store."""
    with pytest.raises(ConfigError, match="hello names no instance"):
        open_system(odd(None))


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        ("http://127.0.0.1:9", "127.0.0.1:9 broke off during hello: ConnectionRefusedError"),
        ("http://", "'http://' is no address"),
        ("http://127.0.0.1:9,key=NO_SUCH_KEY", "The environment variable NO_SUCH_KEY is not set"),
        ("https://127.0.0.1:9", "broke off during hello"),
    ],
)
def test_what_cannot_be_reached_is_a_sentence(ref: str, said: str) -> None:
    """Address, key and refusal are named."""
    with pytest.raises(ConfigError, match=said):
        open_system(ref)


def test_a_key_is_sent_as_a_bearer_token(odd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its value comes from the environment and stands in no reference."""
    monkeypatch.setenv("MY_KEY", "secret")
    system = open_system(f"{odd(lambda _: (200, b'{}', 'one'))},key=MY_KEY")
    assert system._transport.key == "secret"  # type: ignore[attr-defined]
    system.reset()
    system.close()  # type: ignore[attr-defined] # every wire system can be closed


def test_the_document_describes_every_method() -> None:
    """Each method has its path, and every schema that is pointed to is there."""
    made = document()
    assert {path.strip("/") for path in made["paths"]} == {"hello", "close", *METHODS}
    text = json.dumps(made)
    pointed = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert pointed <= set(made["components"]["schemas"])
    assert made["components"]["schemas"]["Memory"]["required"] == ["id", "text"]
    assert made["components"]["schemas"]["Memory"]["properties"]["sources"]["type"] == "array"
    assert made["paths"]["/ask"]["post"]["description"] == "Only where hello offers `answering`."


def test_an_unknown_scheme_is_no_system() -> None:
    """Only http and https are addresses."""
    with pytest.raises(UnknownNameError):
        open_system("ftp:name=3")


def test_a_key_stands_in_no_reference_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written where its name belongs, or into the address, it is refused and not shown; also one unfit to send."""
    key = "sk-Written_7f3Qz9XwB2mK"
    for ref in (
        f"http://127.0.0.1:1,key={key}",
        f"http://ada:{key}@127.0.0.1:1",
        f"http://127.0.0.1:1/?token={key}",
    ):
        with pytest.raises(UserError) as refused:
            open_system(ref)
        assert key not in str(refused.value)
    monkeypatch.setenv("OTHER_KEY", key)
    for ref in (f"bm25:k1={key}", f"absent:{key}", f"wire:command=server --as {key}", f"{key}.toml"):
        with pytest.raises(ConfigError, match=r"\*\*\*.* holds a key"):
            open_system(ref)
    monkeypatch.setenv("BROKEN_KEY", f"{key}\n{key}")
    with pytest.raises(ConfigError, match="BROKEN_KEY holds what no header can") as refused:
        open_system("http://127.0.0.1:1,key=BROKEN_KEY")
    assert key not in str(refused.value)
