"""A session with one MCP server: the handshake, and calls of tools, however messages travel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed, ContractBreach
from memgauge.systems.mcp.offers import ToolOffer
from memgauge.text.jsons import json_of
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.text.scrubbing import Scrubber

PROTOCOL = "2025-06-18"
_METHOD_NOT_FOUND = -32601


class McpClient(ABC):
    """A client of one server, which is let go of where the handshake fails."""

    what: str
    """How the server is called in errors."""
    version: str
    """What the server says that it is."""
    name: str
    """What the server calls itself."""
    offers: tuple[ToolOffer, ...]
    """Its tools."""
    heard: Callable[[str, Mapping[str, Any], Any], None] | None = None
    """Is told of every call of a tool, with its arguments and its result."""
    keys: Scrubber
    """What was shown to the server and must not come back."""

    @abstractmethod
    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and return its result.

        Raises:
            CallTimeout: There was none in time.
            CallFailed: The server says that it failed, or is gone.
        """

    @abstractmethod
    def send(self, message: Mapping[str, Any]) -> None:
        """Send what gets no answer: a notification, or the answer to a request of the server."""

    @abstractmethod
    def close(self) -> None:
        """End the session."""

    def greet(self) -> None:
        """Shake hands, and learn which tools there are."""
        with ExitStack() as undo:
            undo.callback(self.close)
            about = {"name": "memgauge", "version": __version__}
            wanted = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about}
            answer = self.request("initialize", wanted)
            server = _object(answer.get("serverInfo"))
            self.version, self.name = str(server.get("version", ""))[:80], str(server.get("name", ""))[:80]
            self.send({"method": "notifications/initialized"})
            listed = _objects(self.request("tools/list", {}).get("tools"))
            self.offers = tuple(map(ToolOffer.of, listed))
            undo.pop_all()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool and return its structured result, or its text, read as JSON where it is.

        Raises:
            CallTimeout: It does not return in time; the session is ended.
            CallFailed: The tool says that it failed, or the server is gone.
        """
        value = self._called(tool, arguments)
        if self.heard is not None:
            self.heard(tool, arguments, value)
        return value

    def _called(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        result = self.request("tools/call", {"name": tool, "arguments": dict(arguments)})
        parts = _objects(result.get("content"))
        texts = [str(part.get("text", "")) for part in parts if part.get("type") == "text"]
        if result.get("isError"):
            raise CallFailed(f"{tool} of {self.what} failed: {self.keys.error(' '.join(texts))[:300]}")
        if result.get("structuredContent") is not None:
            return result["structuredContent"]
        with suppress(ValueError):
            return json_of("\n".join(texts))
        return "\n".join(texts)

    def result_of(self, message: Mapping[str, Any], method: str) -> dict[str, Any]:
        """Return the result of an answer, or raise the error that it holds."""
        if "error" in message:
            error = message["error"]
            what = error.get("message", "") if isinstance(error, dict) else error
            raise CallFailed(f"{method} of {self.what} failed: {str(what)[:300]}")
        result = message.get("result") or {}
        if not isinstance(result, dict):
            raise ContractBreach(f"{method} of {self.what} returned {str(result)[:80]!r}, which is no result")
        return result

    def answer(self, message: Mapping[str, Any]) -> None:
        """Answer what a server asks of a client: it is alive, and has nothing else to offer."""
        if "method" not in message or "id" not in message:
            return
        if message["method"] == "ping":
            self.send({"id": message["id"], "result": {}})
        else:
            refusal = {"code": _METHOD_NOT_FOUND, "message": "this client offers nothing"}
            self.send({"id": message["id"], "error": refusal})


def _object(value: object) -> dict[str, Any]:
    """Return an object, an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list, and none of anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
