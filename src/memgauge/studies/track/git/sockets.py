"""A unix socket that is served from a thread of its own, and so many of its requests at a time."""

from __future__ import annotations

import threading
from collections import deque
from socketserver import ThreadingMixIn, UnixStreamServer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path
    from socketserver import BaseRequestHandler


class ServedSocket:
    """Hands what comes to a unix socket to a handler, whose ``server.owner`` this is, until it is left."""

    def __init__(self, path: Path, handler: type[BaseRequestHandler]) -> None:
        self.socket = path
        self._server = SocketServer(str(path), handler)
        self._server.owner = self
        path.chmod(0o666)  # the sandbox may run as another user
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, and remove the socket."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self.socket.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class SocketServer(ThreadingMixIn, UnixStreamServer):
    """What the library makes of a socket."""

    daemon_threads = True
    request_queue_size = 512
    owner: ServedSocket

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that went away is no event."""


class Slots:
    """Lets *count* threads in at a time, in the order in which they came.

    With a semaphore of the library late ones pass, others starve.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()

    def __enter__(self) -> Self:
        turn = threading.Event()
        with self._lock:
            if self._free:
                self._free -= 1
                return self
            self._waiting.append(turn)
        turn.wait()  # whoever leaves hands its slot over
        return self

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
