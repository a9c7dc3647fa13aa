"""A chat server on this machine that takes its time, so that the asking itself can be measured."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, StreamReader, StreamWriter, Task

_REPLY = {
    "id": "loopback",
    "object": "chat.completion",
    "created": 0,
    "model": "loopback",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "I don't know"}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n"
_GOLDEN = 0.6180339887498949
"""Its multiples spread evenly over a unit."""


class Loopback:
    """Answers every call after about *latency* seconds, in its own thread, as an OpenAI-compatible provider."""

    def __init__(self, latency: float, spread: float = 0.3) -> None:
        self.latency = latency
        self.spread = spread
        """How much shorter or longer a call takes, as a share."""
        self.calls = 0
        self.busy = 0.0
        """Seconds that calls were with the server, added up over all of them."""
        self.url = ""
        self._open = Event()
        self._loop: AbstractEventLoop | None = None
        self._writers: list[StreamWriter] = []
        self._talks: list[Task[None]] = []
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), name="memgauge-loopback", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._open.wait()
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._welcome, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._open.set()
        await self._over.wait()
        server.close()
        for writer in self._writers:
            writer.close()
        await asyncio.gather(*self._talks)

    def _welcome(self, reader: StreamReader, writer: StreamWriter) -> None:
        self._writers.append(writer)
        self._talks.append(asyncio.ensure_future(self._talk(reader, writer)))

    async def _talk(self, reader: StreamReader, writer: StreamWriter) -> None:
        body = json.dumps(_REPLY).encode()
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await reader.readexactly(_length(await reader.readuntil(b"\r\n\r\n")))
                start = time.perf_counter()
                self.calls += 1
                share = self.calls * _GOLDEN % 1 * 2 - 1
                await asyncio.sleep(self.latency * (1 + self.spread * share))
                self.busy += time.perf_counter() - start
                writer.write(_HEAD.format(len(body)).encode() + body)
                await writer.drain()
        writer.close()


def _length(head: bytes) -> int:
    """Return how long the body after *head* is."""
    lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n"))
    return next((int(value) for name, _, value in lines if name.casefold() == "content-length"), 0)
