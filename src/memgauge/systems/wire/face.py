"""Serve a memory system by HTTP: ``memgauge systems serve REF``; the document of the interface is at its root."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.systems.wire import messages
from memgauge.systems.wire.answering import WireServer
from memgauge.systems.wire.openapi import document
from memgauge.systems.wire.remote import INSTANCE
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from memgauge.systems.wire.answering import Opening

_STATUS = {messages.NO_METHOD: 404, messages.BAD_PARAMETERS: 400, messages.NO_REQUEST: 409}


class Face(ThreadingHTTPServer):
    """One system behind a port of this machine; it is called by one request at a time."""

    daemon_threads = True
    request_queue_size = 512  # with Python's five, the sixth of those who come at once waits a second

    def __init__(self, opening: Opening, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self.answering = WireServer(opening)
        self.turn = threading.Lock()
        try:
            super().__init__((host, port), _WireHandler)
        except OSError as error:
            raise ConfigError(
                f"Cannot listen on {host}:{port}: {error.strerror}.", "Choose another --port, or 0 for a free one."
            ) from error

    @property
    def url(self) -> str:
        """Return the address."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Pass over a caller that hung up; anything else is printed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type] # as it was handed over

    def server_close(self) -> None:
        """Close the port, and the system."""
        super().server_close()
        with self.turn:
            self.answering.close()


class _WireHandler(BaseHTTPRequestHandler):
    """Turns a POST into a request of the wire."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every reply waits for an acknowledgement of its head
    wbufsize = -1
    server: Face

    def do_GET(self) -> None:
        """Show the document."""
        if self.path in {"/", "/openapi.json"}:
            self._send(200, document())
        else:
            self._send(404, {"error": messages.fault(messages.NO_METHOD, f"there is nothing at {self.path}")})

    def do_POST(self) -> None:
        """Answer a request."""
        method = self.path.strip("/")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            params = json_of(body or b"{}")
        except ValueError:
            self._send(400, {"error": messages.fault(messages.UNREADABLE, "the body is no JSON")})
            return
        with self.server.turn:
            meant = self.headers.get(INSTANCE)
            if method != "hello" and meant != self.server.answering.instance:
                what = f"instance {meant!r} is not here; say hello first"
                self._send(409, {"error": messages.fault(messages.NO_REQUEST, what)})
                return
            good, value = self.server.answering.answer(method, params)
        self._send(200, value) if good else self._send(_STATUS.get(value["code"], 500), {"error": value})

    def _send(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header(INSTANCE, self.server.answering.instance)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the server's name for it
        """Say nothing."""
