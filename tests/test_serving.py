"""HTTP for programs of this machine: who is let in, and what everybody else is told."""

from __future__ import annotations

import http.client
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from memgauge import serving
from memgauge.serving import BoundedHandler, BoundedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a-token-of-this-test"  # noqa: S105 - it guards nothing


class Echo(BoundedHandler):
    """Says again what it was sent, or breaks."""

    largest = 1_000

    def do_POST(self) -> None:  # noqa: N802 - the library's name
        """Answer."""
        self.check()
        content = self.body()
        if content == b"break":
            raise RuntimeError(TOKEN)
        self.reply(200, content, {"Content-Type": "text/plain"})


@pytest.fixture
def server() -> Iterator[BoundedServer]:
    """Serve on a free port."""
    served = BoundedServer(("127.0.0.1", 0), Echo, TOKEN)
    threading.Thread(target=served.serve_forever, args=(0.01,), daemon=True).start()
    yield served
    served.shutdown()
    served.server_close()


def ask(line: http.client.HTTPConnection, body: bytes, **heads: str) -> tuple[int, bytes]:
    """Ask with what a client sends, and return status and body."""
    given = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    line.request("POST", "/", body, given | {name.replace("_", "-"): value for name, value in heads.items()})
    reply = line.getresponse()
    return reply.status, reply.read()


def test_who_shows_the_token_is_answered_again_and_again(server: BoundedServer) -> None:
    """Over one connection; a request that breaks what answers it is answered too, without its words."""
    line = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
    assert ask(line, b"one") == ask(line, b"one", Authorization=f"bearer {TOKEN}") == (200, b"one")
    status, told = ask(line, b"break")
    assert (status, TOKEN.encode() in told) == (500, False)
    assert ask(line, b"two") == (200, b"two")
    line.close()


@pytest.mark.parametrize(
    ("heads", "status"),
    [
        ({"Authorization": "Bearer other"}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Transfer_Encoding": "chunked"}, 411),
        ({"Content_Length": "-1"}, 400),
        ({"Content_Length": "1001"}, 413),
    ],
)
def test_everybody_else_is_told_why(server: BoundedServer, heads: dict[str, str], status: int) -> None:
    """With a status that says it, in JSON."""
    line = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
    told = ask(line, b"{}", **heads)
    assert told[0] == status
    assert told[1].startswith(b'{"error"')
    line.close()


def test_a_page_of_its_own_may_ask(server: BoundedServer) -> None:
    """Whose origin is the server's address, by any of its names."""
    port = server.server_address[1]
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    for name in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
        assert ask(line, b"{}", Host=name, Origin=f"http://{name}") == (200, b"{}")
    line.close()


@pytest.mark.parametrize(
    ("bound", "host", "known"),
    [
        ("127.0.0.1", "localhost", True),
        ("127.0.0.1", "127.0.0.2:80", True),
        ("127.0.0.1", "192.168.1.7", False),
        ("127.0.0.1", "localhost.", False),
        ("0.0.0.0", "192.168.1.7:8000", True),  # noqa: S104 - nothing listens there
        ("0.0.0.0", socket.gethostname(), True),  # noqa: S104 - as above
        ("0.0.0.0", "evil.example", False),  # noqa: S104 - as above
        ("127.0.0.1", "", False),
    ],
)
def test_a_server_knows_its_names(server: BoundedServer, bound: str, host: str, known: bool) -> None:
    """Of this machine, and where others reach it, its numbers; no name that a page could bind to it."""
    server.bound = bound
    assert server.knows(host) is known


def test_full_is_full_of_those_who_were_let_in(server: BoundedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was let in keeps the place; who comes when all are let in is told so."""
    monkeypatch.setattr(serving, "MOST", 2)
    lines = [http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5) for _ in range(2)]
    with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=5) as silent:
        for line in lines:
            assert ask(line, b"{}")[0] == 200
        assert silent.recv(1) == b""
    with socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=5) as late:
        assert late.recv(100).startswith(b"HTTP/1.1 503")
    for line in lines:
        assert ask(line, b"{}")[0] == 200
        line.close()
