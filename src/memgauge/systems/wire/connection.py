"""One HTTP connection kept open between requests, with a deadline for everything that is waited for."""

from __future__ import annotations

import http.client
import io
import select
import time
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memgauge.errors import ConfigError, ContractBreach
from memgauge.systems.wire import messages
from memgauge.systems.wire.guard import is_here
from memgauge.text.scrubbing import without_keys

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Mapping

CHUNK = 1 << 18
ONCE = "Idempotency-Key"
"""A head by which a server knows what it has done already."""


class Connection:
    """A connection to one address; a server may close it between two requests, and then another one is made."""

    def __init__(self, url: str) -> None:
        """Take an address; nothing is sent before the first request.

        Raises:
            ConfigError: It is none.
        """
        parts = urlsplit(url)
        try:
            self._port = parts.port
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError(f"{without_keys(url)!r} is no address.", "Write http://HOST:PORT/PATH.")
        if "@" in parts.netloc:
            raise ConfigError(f"{without_keys(url)} holds a password.", "Name the variable of a key: key=NAME.")
        self.scheme, self.host, self.place = parts.scheme, parts.hostname, parts.netloc
        self.path = parts.path.rstrip("/")
        self.target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._open: http.client.HTTPConnection | None = None

    @property
    def is_clear(self) -> bool:
        """Whether what is sent could be read on its way: a key must not be."""
        return self.scheme == "http" and not is_here(self.host)

    def begin(
        self, method: str, path: str, body: bytes | None, heads: Mapping[str, str], until: float
    ) -> http.client.HTTPResponse:
        """Send a request and return its reply, of which only the head has been read.

        A server may hang up in the moment in which it is asked; what does nothing twice is then sent once more.

        Raises:
            TimeoutError: There was none at the moment *until*, as ``time.monotonic`` counts.
            OSError: The server cannot be reached, or broke off.
            HTTPException: What came is no HTTP.
        """
        was_open = self._open is not None
        try:
            return self._ask(method, path, body, heads, until)
        except (ConnectionResetError, BrokenPipeError):
            if not was_open or not (method == "GET" or ONCE in heads):
                raise
            self.close()
            return self._ask(method, path, body, heads, until)

    def _ask(
        self, method: str, path: str, body: bytes | None, heads: Mapping[str, str], until: float
    ) -> http.client.HTTPResponse:
        connection = self._connected(until)
        connection.request(method, path, body, dict(heads))
        connection.response_class = partial(_DatedResponse, until=until)  # type: ignore[assignment] # it makes one
        return connection.getresponse()

    def parts(self, reply: http.client.HTTPResponse, until: float) -> Iterator[bytes]:
        """Yield the body of a reply as it comes; the errors are those of :meth:`begin`.

        Raises:
            ContractBreach: It is larger than any message may be.
        """
        size = 0
        while not reply.isclosed():
            _left(until)
            part = reply.read1(CHUNK)
            size += len(part)
            if size > messages.LIMIT:
                self.close()
                raise ContractBreach(f"{self.place} sends more than {messages.LIMIT} bytes")
            if part:
                yield part
            if not part or reply.length == 0:
                reply.read()  # nothing is left, and that lets go of the connection

    def close(self) -> None:
        """Hang up."""
        connection, self._open = self._open, None
        if connection is not None:
            connection.close()

    def _connected(self, until: float) -> http.client.HTTPConnection:
        if self._open is not None and _is_over(self._open):
            self.close()
        if self._open is None:
            kind = http.client.HTTPSConnection if self.scheme == "https" else http.client.HTTPConnection
            self._open = kind(self.host, self._port, timeout=_left(until))
            self._open.connect()
        self._wait(until)
        return self._open

    def _wait(self, until: float) -> None:
        """Let the next wait take no longer than what is left."""
        left = _left(until)
        if self._open is not None and self._open.sock is not None:
            self._open.sock.settimeout(left)


class _DatedReader(io.RawIOBase):
    """Reads from a socket until a moment, however little comes at a time."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self._connection, self._until = connection, until
        self._raw = connection.makefile("rb", buffering=0)

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read what has come."""
        if self._connection.fileno() >= 0:
            self._connection.settimeout(_left(self._until))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        """Let go of the socket."""
        self._raw.close()
        super().close()


class _DatedResponse(http.client.HTTPResponse):
    """A reply whose head and body have one deadline together."""

    def __init__(self, connection: socket.socket, *given: Any, until: float, **named: Any) -> None:
        super().__init__(connection, *given, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_DatedReader(connection, until))


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _is_over(connection: http.client.HTTPConnection) -> bool:
    """Whether the server has hung up: between two requests it has nothing to say but that."""
    return connection.sock is None or bool(select.select([connection.sock], [], [], 0)[0])
