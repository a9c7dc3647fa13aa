"""A server of models that does to a connection whatever a test wants: it says half, says nothing, or hangs up."""

from __future__ import annotations

import json
import socket
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Act = Callable[[socket.socket], None]

DELTAS = ("Fine", ", thanks", ".")


def piece(text: str = "", **more: Any) -> bytes:
    """Spell one event of a stream."""
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}], **more}
    return f"data: {json.dumps(chunk)}\n\n".encode()


USAGE = piece(choices=[], usage={"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18})
DONE = b"data: [DONE]\n\n"


def head(kind: str = "text/event-stream", *, length: int | None = None, status: str = "200 OK") -> bytes:
    """Spell the head of a response, of so many bytes or in chunks."""
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{size}\r\n\r\n".encode()


def chunk(part: bytes) -> bytes:
    """Spell a part of a body that goes out in chunks."""
    return b"%x\r\n%b\r\n" % (len(part), part)


def saying(content: object, *, status: str = "200 OK") -> Act:
    """Answer with JSON, or with bytes that are called so."""
    sent = content if isinstance(content, bytes) else json.dumps(content).encode()
    return lambda line: line.sendall(head("application/json", length=len(sent), status=status) + sent)


@dataclass
class RawServer:
    """Where it listens, and what it was asked."""

    url: str
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def raw_server(*acts: Act) -> Iterator[RawServer]:
    """Let a server do these things to its connections in turn, the last one for ever."""
    listening = socket.create_server(("127.0.0.1", 0))
    server, left = RawServer(f"http://127.0.0.1:{listening.getsockname()[1]}/v1"), list(acts)

    def serve() -> None:
        while True:
            try:
                line, _ = listening.accept()
            except OSError:
                return
            Thread(target=answer, args=(line, left.pop(0) if len(left) > 1 else left[0]), daemon=True).start()

    def answer(line: socket.socket, act: Act) -> None:
        with line, suppress(OSError):
            server.requests.append(_request(line))
            act(line)

    Thread(target=serve, daemon=True).start()
    try:
        yield server
    finally:
        listening.shutdown(socket.SHUT_RDWR)  # a thread that waits for the next one would still take it
        listening.close()


def _request(line: socket.socket) -> bytes:
    came = b""
    while b"\r\n\r\n" not in came:
        came += line.recv(1 << 16)
    before, _, body = came.partition(b"\r\n\r\n")
    lengths = [row.split(b":")[1] for row in before.split(b"\r\n") if row.lower().startswith(b"content-length")]
    while len(body) < int(lengths[0] if lengths else 0):
        body += line.recv(1 << 16)
    return before + b"\r\n\r\n" + body
