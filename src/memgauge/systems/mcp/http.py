"""An MCP server at an address, over streamable HTTP: a POST a message, answered by JSON or a stream of events."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.systems.mcp.session import McpClient
from memgauge.systems.wire.connection import Connection
from memgauge.text.jsons import object_of
from memgauge.text.scrubbing import Scrubber, keys_in_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from http.client import HTTPResponse

SESSION, VERSION = "Mcp-Session-Id", "MCP-Protocol-Version"
GOODBYE_S = 2.0
OTHERS = 16
"""Requests of a server that are answered during one of ours; who asks more gets no answer."""


class HttpClient(McpClient):
    """One session; whoever answers after the server was started again is another store and not asked."""

    def __init__(self, url: str, key: str = "", *, keys: Scrubber | None = None, timeout_s: float = 60) -> None:
        """Shake hands with the server at *url*, showing *key* as a bearer token where there is one.

        What *keys* knows is taken out of everything that the server says.

        Raises:
            ConfigError: The address is none, nobody answers there, or the key is refused.
            CallTimeout: It does not answer in time.
            CallFailed: It refuses.
        """
        self._connection = Connection(url)
        self.keys = keys if keys is not None else Scrubber({key} | keys_in_url(url))
        self.what = self.keys.text(self._connection.place + self._connection.path)
        if self.keys and self._connection.is_clear:
            raise ConfigError(f"{self.what}: the key would be sent in the clear.", "Write https://.")
        self._key, self._timeout_s = key, timeout_s
        self._count = 0
        self._session = self._spoken = self._lost = ""
        self.greet()

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Post a request and return its result."""
        self._count += 1
        message = self._post({"id": self._count, "method": method, "params": params}, method)
        if message is None:
            raise ContractBreach(f"{method} of {self.what} was answered with nothing")
        result = self.result_of(message, method)
        if method == "initialize":
            self._spoken = str(result.get("protocolVersion", ""))
        return result

    def send(self, message: Mapping[str, Any]) -> None:
        """Post what gets no answer."""
        self._post(message, str(message.get("method", "an answer")))

    def close(self) -> None:
        """Give the session back, where there is one, and hang up."""
        if self._session and not self._lost:
            with suppress(OSError, HTTPException):
                until = time.monotonic() + GOODBYE_S
                reply = self._connection.begin("DELETE", self._connection.target, None, self._heads(), until)
                reply.close()
        self._lost = self._lost or "it was closed"
        self._connection.close()

    def _heads(self) -> dict[str, str]:
        heads = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        heads |= {"Authorization": f"Bearer {self._key}"} if self._key else {}
        heads |= {VERSION: self._spoken} if self._spoken else {}
        return heads | ({SESSION: self._session} if self._session else {})

    def _post(self, message: Mapping[str, Any], method: str) -> dict[str, Any] | None:
        """Post a message, and return the answer to it, ``None`` where there is none."""
        if self._lost:
            raise CallFailed(f"{method} of {self.what} was not called: {self._lost}")
        until = time.monotonic() + self._timeout_s
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        try:
            reply = self._connection.begin("POST", self._connection.target, body, self._heads(), until)
            return self._answered(reply, message.get("id"), method, until)
        except TimeoutError:
            self._connection.close()
            raise CallTimeout(f"{method} of {self.what} took longer than {self._timeout_s:g} s") from None
        except (OSError, HTTPException) as error:
            why = self.keys.error(f"{type(error).__name__}: {error}")
            broke = f"{self.what} broke off during {method}: {why}"
            self._connection.close()
            if method == "initialize":
                raise ConfigError(f"The MCP server at {broke}.", "Start it, or name another address.") from None
            self._lost = broke
            raise CallFailed(broke) from None

    def _answered(self, reply: HTTPResponse, number: object, method: str, until: float) -> dict[str, Any] | None:
        parts = self._connection.parts(reply, until)
        if not 200 <= reply.status < 300:
            self._refused(reply, b"".join(parts), method)
        self._session = reply.headers.get(SESSION, self._session)
        if reply.headers.get_content_type() != "text/event-stream":
            content = b"".join(parts)
            if not content.strip() or number is None:
                return None
            return self._matched(self._read(content, method), number, method)
        others: list[dict[str, Any]] = []
        try:
            for event in events(parts):
                message = self._read(event, method)
                if message.get("id") == number and "method" not in message:
                    return message
                if "id" in message and len(others) < OTHERS:
                    others.append(message)
        finally:
            self._connection.close()  # the rest of a stream is of no interest, and may not end
            for other in others:
                self.answer(other)
        raise HTTPException("the stream of events ended without an answer")

    def _matched(self, message: dict[str, Any], number: object, method: str) -> dict[str, Any]:
        """Return the answer to request *number*: a reply belongs to a request by its id alone.

        A request that could not be read is refused without one.
        """
        named = message.get("id")
        if named == number or (named is None and "error" in message):
            return message
        whose = "no request" if named is None else f"request {str(named)[:80]!r}"
        raise ContractBreach(f"{method} of {self.what}, request {number}, was answered to {whose}")

    def _read(self, content: bytes, method: str) -> dict[str, Any]:
        message, raw = object_of(content), content.decode("utf-8", "replace")
        if message is None:
            shown = self.keys.error(raw)[:80]
            raise ContractBreach(f"{method} of {self.what} returned {shown!r}, which is no message")
        cleaned: dict[str, Any] = self.keys.message(message, raw)
        return cleaned

    def _refused(self, reply: HTTPResponse, content: bytes, method: str) -> None:
        shown = " ".join(self.keys.error(content.decode("utf-8", "replace")).split())[:200]
        answer = f"HTTP {reply.status}{': ' if shown else ''}{shown}"
        if reply.status in {401, 403}:
            why = "refuses the key" if self._key else "asks for a key"
            if method == "initialize":
                remedy = 'Name the variable that holds its key: key = "NAME" in the description.'
                if self._key:
                    remedy = "See what the variable holds that the description names as key."
                raise ConfigError(f"The MCP server at {self.what} {why} ({answer}).", remedy)
            raise CallFailed(f"{self.what} {why} ({answer})")
        if reply.status == 404 and self._session:
            self._lost = "it no longer knows its session: it was started again, and its store may be another"
            raise CallFailed(f"{method} of {self.what} failed: {self._lost}")
        place = self.keys.error(reply.headers.get("Location", ""))[:200]
        to = f", and names {place}" if place else ""
        raise CallFailed(f"{method} of {self.what} returned {answer}{to}")


def events(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the data of every event of a stream, as its lines come in."""
    data = list[bytes]()
    for line in _lines(parts):
        if line.startswith(b"data:"):
            data.append(line.removeprefix(b"data:").removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines without their ends; one that comes in many parts is put together once."""
    begun: list[bytes] = []
    for part in parts:
        *whole, rest = part.split(b"\n")
        for line in whole:
            yield (b"".join(begun) + line).removesuffix(b"\r")
            begun = []
        begun.append(rest)
