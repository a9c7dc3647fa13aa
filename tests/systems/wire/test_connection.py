"""A kept connection: made again where the server hung up, and never waited for beyond a deadline."""

from __future__ import annotations

import socket
import time
from contextlib import closing, suppress
from ssl import SSLError
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.wire.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Serve = Callable[[list[bytes]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve one answer for each connection, which is then closed; an empty one is never given."""
    kept: list[socket.socket] = []

    def accept(listening: socket.socket, answers: list[bytes]) -> None:
        for answer in answers:
            taken, _ = listening.accept()
            kept.append(taken)
            taken.recv(65_536)
            if answer:
                taken.sendall(answer)
                taken.close()

    def start(answers: list[bytes]) -> str:
        listening = socket.create_server(("127.0.0.1", 0))
        kept.append(listening)
        Thread(target=accept, args=(listening, answers), daemon=True).start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}/base/"

    yield start
    for one in kept:
        one.close()


def asked(connection: Connection, within: float = 10) -> bytes:
    """Ask for something and read all of the answer."""
    until = time.monotonic() + within
    reply = connection.begin("GET", f"{connection.path}/x", None, {}, until)
    return b"".join(connection.parts(reply, until))


def test_a_server_that_hung_up_is_asked_on_another_connection(serve: Serve) -> None:
    """Between two requests it may; the length of an answer is told or not."""
    told = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nyo"
    with closing(Connection(serve([told, told, b"HTTP/1.1 200 OK\r\n\r\nyes"]))) as connection:
        assert [asked(connection) for _ in range(3)] == [b"yo", b"yo", b"yes"]
        assert connection.path == "/base"


def test_only_what_does_nothing_twice_is_sent_again(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the hanging up is seen only after the request: a write without a key of its own is an error."""
    told = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nyo"
    monkeypatch.setattr("memgauge.systems.wire.connection._is_over", lambda one: one.sock is None)
    with closing(Connection(serve([told, told]))) as connection:
        assert [asked(connection) for _ in range(2)] == [b"yo", b"yo"]
        with pytest.raises(ConnectionError):
            connection.begin("POST", "/x", b"{}", {}, time.monotonic() + 10)


def test_no_answer_is_waited_for_beyond_its_time(serve: Serve) -> None:
    """Neither for its head nor for the rest of its body; what is over before it begins is not sent."""
    with closing(Connection(serve([b""]))) as connection, pytest.raises(TimeoutError):
        asked(connection, 0.05)
    with closing(Connection(serve([]))) as connection, pytest.raises(TimeoutError):
        asked(connection, 0)


@pytest.mark.parametrize("begun", [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"])
def test_an_answer_that_drips_is_late_as_a_whole(begun: bytes) -> None:
    """Every byte comes in time, and all of them do not: the deadline is one for head and body."""
    listening = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        taken, _ = listening.accept()
        with taken, suppress(OSError):
            taken.sendall(begun)
            while True:
                taken.sendall(b"x")
                time.sleep(0.02)

    Thread(target=drip, daemon=True).start()
    start = time.monotonic()
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    with listening, closing(Connection(url)) as connection, pytest.raises(TimeoutError):
        asked(connection, 0.2)
    assert time.monotonic() - start < 1


@pytest.mark.parametrize("url", ["", "ftp://a", "http://", "http://a:b", "localhost:80"])
def test_what_is_no_address_is_named(url: str) -> None:
    """Before anything is sent."""
    with pytest.raises(ConfigError, match="is no address"):
        Connection(url)


def test_https_is_spoken_where_the_address_says_so(serve: Serve) -> None:
    """A server that speaks no TLS is an error of the connection."""
    address = serve([b"plain"]).replace("http://", "https://")
    with closing(Connection(address)) as connection, pytest.raises(SSLError):
        asked(connection)
