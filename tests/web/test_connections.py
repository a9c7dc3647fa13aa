"""Connections that owe us bytes, and those that do not."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import uvicorn

from memgauge.web.connections import ConnectionLimits, patient

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import Receive, Scope, Send

    Reader = tuple[asyncio.StreamReader, asyncio.StreamWriter]

REQUEST = b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"
LARGE = 6 << 20


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Take a moment, or say much, as the path says."""
    if scope["type"] != "http":
        return
    if scope["path"] == "/slow":
        await asyncio.sleep(0.5)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    body = b"x" * (LARGE if scope["path"] == "/large" else 10)
    await send({"type": "http.response.body", "body": body})


def serving(limits: ConnectionLimits, visit: Callable[[Callable[[], Awaitable[Reader]]], Awaitable[None]]) -> None:
    """Serve while somebody visits."""

    async def both() -> None:
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            port = bound.getsockname()[1]
            config = uvicorn.Config(answer, http=patient(limits), lifespan="off", log_level="critical", ws="none")
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server._serve([bound]))
            while not server.started:  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0.01)
            await visit(lambda: asyncio.open_connection("127.0.0.1", port, limit=1 << 16))
            server.should_exit = server.force_exit = True
            await serving

    asyncio.run(both())


def test_a_slow_answer_is_waited_for() -> None:
    """What takes us long is not the reader's debt; nor is a reader dropped for others while we work."""

    async def visit(connect: Callable[[], Awaitable[Reader]]) -> None:
        reader, writer = await connect()
        writer.write(REQUEST % b"slow")
        await asyncio.sleep(0.05)
        others = [await connect() for _ in range(6)]
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        for _, other in [(reader, writer), *others]:
            other.close()

    serving(ConnectionLimits(connections=6, seconds=0.2), visit)


def test_a_reader_that_takes_something_is_waited_for() -> None:
    """A thin line gets the whole of a large page, in several times the limit."""

    async def visit(connect: Callable[[], Awaitable[Reader]]) -> None:
        reader, writer = await connect()
        writer.write(REQUEST % b"large")
        taken = 0
        while taken < LARGE and (piece := await reader.read(400_000)):
            taken += len(piece)
            await asyncio.sleep(0.03)
        writer.close()
        assert taken >= LARGE

    serving(ConnectionLimits(seconds=0.5), visit)


def test_who_says_nothing_is_closed() -> None:
    """After the limit, and not before."""

    async def visit(connect: Callable[[], Awaitable[Reader]]) -> None:
        reader, writer = await connect()
        began = asyncio.get_running_loop().time()
        assert await reader.read() == b""
        assert asyncio.get_running_loop().time() - began > 0.15
        writer.close()

    serving(ConnectionLimits(seconds=0.2), visit)
