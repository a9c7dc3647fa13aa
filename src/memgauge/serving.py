"""HTTP for programs of this machine: who may ask, how much, how long, and an answer to whatever comes."""

from __future__ import annotations

import hmac
import io
import ipaddress
import json
import re
import socket
import time
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Final

from memgauge.foreign import Raised, call_foreign

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD_S: Final = 10.0
"""Seconds from the first byte of a request to the end of its head, and until a new connection has asked at all."""
BODY_S: Final = 60.0
IDLE_S: Final = 600.0
"""Seconds that somebody who was let in may be silent between two requests."""
WRITE_S: Final = 60.0
LINGER_S: Final = 0.5
_DRAINED: Final = 1 << 20
MOST: Final = 512
"""Connections at a time; one more takes the place of the oldest that was not let in yet."""
_FULL: Final = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_NUMBER: Final = re.compile(r"[0-9]{1,15}")
_CALLED: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:[0-9]{1,5})?")


class TooSlow(Exception):  # noqa: N818 - what happened, not whose fault it is
    """A request did not come in time."""


class Unfit(Exception):  # noqa: N818 - it is the answer to a request
    """A request that is not answered as it wishes."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class BoundedServer(ThreadingHTTPServer):
    """Takes so many connections and no more; whoever shows no key does not keep out those who do."""

    daemon_threads = True
    request_queue_size = 512  # with Python's five, the sixth of those who come at once waits a second

    def __init__(self, address: tuple[str, int], handler: type[BoundedHandler], token: str = "") -> None:
        """Listen.

        Raises:
            OSError: Nobody can, at this address.
        """
        self.token = token
        self.bound = address[0]
        self._guests: dict[socket.socket, bool] = {}
        """Open connections, oldest first, and whether they were let in."""
        self._counting = Lock()
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, handler)

    @property
    def url(self) -> str:
        """Return the address."""
        host, port = self.server_address[:2]
        return f"http://[{host!s}]:{port}" if ":" in str(host) else f"http://{host!s}:{port}"

    def admit(self, connection: socket.socket) -> None:
        """Note that a connection has shown what it must."""
        with self._counting:
            if connection in self._guests:
                self._guests[connection] = True

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection on a thread of its own, or turn it away."""
        with self._counting:
            room = len(self._guests) < MOST or self._make_room()
            if room:
                self._guests[request] = False
        if room:
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            request.settimeout(LINGER_S)
            request.sendall(_FULL)
        self.shutdown_request(request)

    def _make_room(self) -> bool:
        oldest = next((guest for guest, is_admitted in self._guests.items() if not is_admitted), None)
        if oldest is None:
            return False
        del self._guests[oldest]
        with suppress(OSError):
            oldest.shutdown(socket.SHUT_RDWR)
        return True

    def shutdown_request(self, request: Any) -> None:
        """Hang up."""
        with self._counting:
            self._guests.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Pass over it: whoever asked has hung up, or was answered."""

    def knows(self, host: str) -> bool:
        """Whether a request calls this machine by its own name: a page elsewhere cannot make it its own."""
        match = _CALLED.fullmatch(host)
        if match is None:
            return False
        name = match[1].strip("[]").lower()
        if name in {"localhost", self.bound.lower()}:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return not _is_loopback(self.bound) and name == socket.gethostname().lower()
        return address.is_loopback or not _is_loopback(self.bound)


class _Timed(io.RawIOBase):
    """What a connection sends, until a moment."""

    def __init__(self, connection: socket.socket) -> None:
        self.until = 0.0
        self._connection = connection

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what has come.

        Raises:
            TooSlow: Nothing has, and the moment is over.
        """
        remaining_s = self.until - time.monotonic()
        if remaining_s <= 0:
            raise TooSlow
        self._connection.settimeout(remaining_s)
        try:
            return self._connection.recv_into(buffer)
        except TimeoutError:
            raise TooSlow from None


class BoundedHandler(BaseHTTPRequestHandler):
    """Lets in who calls us by our name, comes from no foreign page and shows the token, and answers everybody."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "memgauge", ""
    disable_nagle_algorithm = True  # else every reply waits for an acknowledgement of its head
    wbufsize = -1
    largest: ClassVar[int] = 1 << 26
    """Bytes that a body may have."""
    json_only: ClassVar[bool] = True
    """Whether a body has to be called JSON, which no form of a page can."""
    server: BoundedServer

    def setup(self) -> None:
        """Read against the clock."""
        super().setup()
        self._timed = _Timed(self.connection)
        self.rfile = io.BufferedReader(self._timed)
        self._admitted = False

    def within(self, seconds: float) -> None:
        """Let what is read next take so long."""
        self._timed.until = time.monotonic() + seconds

    def handle_one_request(self) -> None:
        """Answer one request, whatever it is."""
        self.within(IDLE_S if self._admitted else HEAD_S)
        self.close_connection = True
        try:
            if not self.rfile.peek(1):  # type: ignore[attr-defined] # it is a BufferedReader
                return
            self.within(HEAD_S)
        except (TooSlow, OSError):
            return  # nothing was asked
        # Whatever a request brings about, its sender gets an answer.
        match call_foreign(super().handle_one_request):
            case Raised(TooSlow()):
                self.send_error(HTTPStatus.REQUEST_TIMEOUT, "the request did not come in time")
            case Raised(Unfit() as unfit):
                self.send_error(unfit.status, unfit.why)
            case Raised(OSError()):
                self.close_connection = True
            case Raised():
                self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR, "the request could not be answered")

    def check(self, *, token: bool = True) -> None:
        """Refuse who may not ask.

        Raises:
            Unfit: The request is not for us, comes from a page elsewhere, or shows no token.
        """
        host, origins = self._single("Host"), self.headers.get_all("Origin", [])
        if not self.server.knows(host):
            raise Unfit(HTTPStatus.MISDIRECTED_REQUEST, "this server has another name")
        site = self.headers.get("Sec-Fetch-Site", "none")
        if any(origin != f"http://{host}" for origin in origins) or site not in {"none", "same-origin"}:
            raise Unfit(HTTPStatus.FORBIDDEN, "pages of other sites may not ask")
        if not token or not self.server.token:
            return
        scheme, _, token_shown = self._single("Authorization").partition(" ")
        is_right = hmac.compare_digest(token_shown.strip().encode("utf-8", "replace"), self.server.token.encode())
        if not is_right or scheme.lower() != "bearer":
            raise Unfit(
                HTTPStatus.UNAUTHORIZED, "show the token that the server was started with as a bearer token"
            )
        self._admitted = True
        self.server.admit(self.connection)

    def body(self) -> bytes:
        """Read the body.

        Raises:
            Unfit: It is not JSON, has no length, a length that is none, or is too large; or it broke off.
            TooSlow: It did not come in time.
        """
        if self.json_only and self.headers.get_content_type() != "application/json":
            raise Unfit(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send application/json")
        if self.headers.get("Transfer-Encoding") is not None or self.headers.get("Content-Length") is None:
            raise Unfit(HTTPStatus.LENGTH_REQUIRED, "send the body with its Content-Length")
        length = self._single("Content-Length")
        if not _NUMBER.fullmatch(length):
            raise Unfit(HTTPStatus.BAD_REQUEST, "the Content-Length is no number")
        if int(length) > self.largest:
            message = f"a body has at most {self.largest} bytes"
            raise Unfit(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        self.within(BODY_S)
        content = self.rfile.read(int(length))
        if len(content) < int(length):
            raise Unfit(HTTPStatus.BAD_REQUEST, "the body broke off")
        return content

    def _single(self, name: str) -> str:
        """Return a head that stands once; empty where it does not."""
        values = self.headers.get_all(name) or []
        return values[0].strip() if len(values) == 1 else ""

    def reply(self, status: int, content: bytes, heads: Mapping[str, str]) -> None:
        """Write an answer."""
        self.connection.settimeout(WRITE_S)
        self.send_response(status)
        for name, value in {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", **heads}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def problem(self, status: int, why: str) -> dict[str, Any]:
        """Spell what is wrong."""
        return {"error": {"code": status, "message": why}}

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002 - the library's signature
        """Say what is wrong, and hang up once the other side has had a moment to read it."""
        self.close_connection, self.request_version = True, "HTTP/1.1"
        heads = {"Content-Type": "application/json"}
        heads |= {"WWW-Authenticate": "Bearer"} if code == HTTPStatus.UNAUTHORIZED else {}
        why = message or HTTPStatus(code).phrase
        with suppress(OSError):
            self.reply(code, json.dumps(self.problem(code, why)).encode(), heads)
            self._linger()

    def _linger(self) -> None:
        """Read a little of what is still on its way: what closes with unread bytes takes its answer along."""
        self.connection.shutdown(socket.SHUT_WR)
        self.within(LINGER_S)
        byte_count = 0
        with suppress(TooSlow, ValueError):
            while byte_count < _DRAINED and (part := self._timed.read(1 << 16)):
                byte_count += len(part)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
