"""A chat server on this machine that takes its time, so that the asking itself can be measured."""

from __future__ import annotations

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Self

_REPLY = json.dumps(
    {
        "id": "loopback",
        "object": "chat.completion",
        "created": 0,
        "model": "loopback",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "I don't know"}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
).encode()
_GOLDEN = 0.6180339887498949
"""Its multiples spread evenly over a unit."""
_SPREAD = 0.3
"""How much shorter or longer a call takes, as a share."""


class Loopback(ThreadingHTTPServer):
    """Answers every call after about *latency* seconds, in its own thread, as an OpenAI-compatible provider."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, latency: float) -> None:
        super().__init__(("127.0.0.1", 0), _Chat)
        self.latency = latency
        self.calls = 0
        self.busy = 0.0
        """Seconds that calls were with the server, added up over all of them."""
        self.counting = Lock()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self._thread = Thread(target=self.serve_forever, args=(0.02,), name="memgauge-loopback", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()


class _Chat(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def do_POST(self) -> None:
        """Read the request, wait, and reply."""
        self.rfile.read(int(self.headers["Content-Length"]))
        start = time.perf_counter()
        with self.server.counting:
            self.server.calls += 1
            share = self.server.calls * _GOLDEN % 1 * 2 - 1
        time.sleep(self.server.latency * (1 + _SPREAD * share))
        with self.server.counting:
            self.server.busy += time.perf_counter() - start
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(_REPLY)))
        self.end_headers()
        self.wfile.write(_REPLY)

    def log_message(self, *_: object) -> None:
        """Say nothing of single calls."""
