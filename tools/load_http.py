"""A small HTTP/1.1 client for many connections at once: it keeps them, and counts what they take."""

from __future__ import annotations

import asyncio
import json
import time
from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

PATIENCE_S = 30.0
"""Seconds until a reply counts as missing."""
_LARGEST_HEAD = 1 << 16


@dataclass(frozen=True)
class Address:
    """Where a server listens: a port of loopback, or a socket in the file system."""

    port: int = 0
    socket: str = ""

    @property
    def host(self) -> str:
        """Return what a request calls it."""
        return f"127.0.0.1:{self.port}" if self.port else "git.local"


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    """By name in small letters."""
    body: bytes

    @property
    def text(self) -> str:
        """Return the body as text."""
        return self.body.decode("utf-8", "replace")

    @property
    def data(self) -> Any:
        """Return the body as JSON; of a stream of events, the last one."""
        if self.headers.get("content-type", "").startswith("text/event-stream"):
            return json.loads([line for line in self.text.splitlines() if line.startswith("data:")][-1][5:])
        return json.loads(self.body)


@dataclass
class Tally:
    """What all clients of one server met."""

    ms: array[float] = field(default_factory=lambda: array("d"))
    errors: Counter[str] = field(default_factory=Counter)
    """What went wrong, and how often."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Requests by what they ask for."""


class Failed(Exception):  # noqa: N818 - named for what happened
    """A request had no good reply; it is in the tally, and the visit is over."""


class Line:
    """One client's connection, opened when it is needed and kept as long as the server keeps it."""

    def __init__(self, address: Address, tally: Tally) -> None:
        self._address = address
        self._tally = tally
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self,
        what: str,
        path: str,
        *,
        method: str = "GET",
        json_body: object = None,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        good: Collection[int] = (200,),
    ) -> Reply:
        """Ask once, and note how long it took.

        Raises:
            Failed: No reply, or none of a *good* status.
        """
        given = {"host": self._address.host, "accept": "*/*", **(headers or {})}
        if json_body is not None:
            body = json.dumps(json_body).encode()
            given["content-type"] = "application/json"
        if body or method == "POST":
            given["content-length"] = str(len(body))
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        sent = f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body
        began = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE_S):
                reply = await self._exchange(sent)
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            self.close()
            raise self._failed(what, type(error).__name__) from error
        self._tally.ms.append((time.perf_counter() - began) * 1000)
        self._tally.kinds[what] += 1
        if reply.status not in good:
            raise self._failed(what, f"status {reply.status}")
        return reply

    async def listen(self, what: str, path: str, seconds: float) -> None:
        """Hold a stream of events for a while on a connection of its own, and hang up.

        Raises:
            Failed: There was none.
        """
        began = time.perf_counter()
        reading, writing = await self._opened()
        try:
            writing.write(f"GET {path} HTTP/1.1\r\nhost: {self._address.host}\r\n\r\n".encode())
            status, _ = await asyncio.wait_for(_head(reading), PATIENCE_S)
            self._tally.ms.append((time.perf_counter() - began) * 1000)
            self._tally.kinds[what] += 1
            if status != 200:
                raise self._failed(what, f"status {status}")
            await asyncio.sleep(seconds)
        except (OSError, EOFError, TimeoutError) as error:
            raise self._failed(what, type(error).__name__) from error
        finally:
            writing.close()

    def wrong(self, what: str, why: str) -> Failed:
        """Note a reply that does not say what it has to."""
        return self._failed(what, why)

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    def _failed(self, what: str, why: str) -> Failed:
        self._tally.errors[f"{what}: {why}"] += 1
        return Failed(what, why)

    async def _opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._address.socket:
            return await asyncio.open_unix_connection(self._address.socket, limit=_LARGEST_HEAD)
        return await asyncio.open_connection("127.0.0.1", self._address.port, limit=_LARGEST_HEAD)

    async def _exchange(self, sent: bytes) -> Reply:
        kept = self._streams is not None
        try:
            return await self._once(sent)
        except (EOFError, ConnectionError):
            self.close()
            if not kept:
                raise
        return await self._once(sent)  # the server had let go of an idle connection, which it may

    async def _once(self, sent: bytes) -> Reply:
        if self._streams is None:
            self._streams = await self._opened()
        reading, writing = self._streams
        writing.write(sent)
        await writing.drain()
        status, headers = await _head(reading)
        body, ended = await _body(reading, status, headers)
        if ended or headers.get("connection", "").lower() == "close":
            self.close()
        return Reply(status, headers, body)


async def _head(reading: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    raw = await reading.readuntil(b"\r\n\r\n")
    first, *lines = raw.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    return int(first.split(" ", 2)[1]), {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _body(reading: asyncio.StreamReader, status: int, headers: Mapping[str, str]) -> tuple[bytes, bool]:
    """Read a body, and say whether it ended with the connection."""
    if status in {202, 204, 304} and "content-length" not in headers and "transfer-encoding" not in headers:
        return b"", False
    if headers.get("transfer-encoding", "").lower() == "chunked":
        pieces = []
        while size := int((await reading.readline()).split(b";")[0] or b"0", 16):
            pieces.append(await reading.readexactly(size))
            await reading.readexactly(2)
        await reading.readline()
        return b"".join(pieces), False
    if "content-length" in headers:
        return await reading.readexactly(int(headers["content-length"])), False
    return await reading.read(), True
