"""A unix socket that leads to a port of this machine: the sandbox knows one way to Git, whatever serves it."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from socketserver import BaseRequestHandler, ThreadingMixIn, UnixStreamServer
from typing import TYPE_CHECKING, Self

from memgauge.studies.track.sandbox.inside import pump

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE_S = 30


class Relay:
    """Passes on what comes to a unix socket, until it is left."""

    def __init__(self, path: Path, address: tuple[str, int]) -> None:
        self._path = path
        self._server = _RelayServer(str(path), address)
        path.chmod(0o666)  # the sandbox may run as another user
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, and remove the socket."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class _RelayServer(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: str, target: tuple[str, int]) -> None:
        super().__init__(path, _RelayHandler)
        self.target = target


class _RelayHandler(BaseRequestHandler):
    server: _RelayServer
    request: socket.socket

    def handle(self) -> None:
        """Pass on one connection."""
        with suppress(OSError), socket.create_connection(self.server.target, _PATIENCE_S) as other:
            pump(self.request, other)
