"""An MCP server that is started here, over its standard input and output."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed, CallTimeout, MissingExtraError
from memgauge.foreign import line_of
from memgauge.systems.mcp.session import McpClient
from memgauge.systems.wire.pipes import DeadlinePassed
from memgauge.systems.wire.process import GRACE_S, Command, ProcessLife
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LAST_WORDS = 12
"""Lines of its errors that are shown when a server dies."""
LONGEST_NOISE = 80
"""Characters that are shown of a line which is no message."""


class StdioClient(McpClient):
    """One server process; it ends when a call does not return in time, since nobody knows what it still does."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], folder: Path, *, timeout_s: float = 60
    ) -> None:
        """Start *command* in *folder* with nothing but *env*, and shake hands.

        Raises:
            MissingExtraError: There is no such program.
            CallTimeout: It does not answer in time.
            CallFailed: It ends, or refuses.
        """
        running = Command(command, env, folder, tuple(env))
        self.what, self.keys = command[0], running.keys
        self._timeout_s = timeout_s
        self._count = 0
        self._passed_over = ""
        try:
            self._life = ProcessLife(running)
        except OSError as error:
            raise MissingExtraError(
                f"The MCP server {command[0]!r} cannot be started: {error.strerror}.",
                "Install it, and name the folder of its program: mcp:NAME,bin=FOLDER.",
            ) from error
        self.greet()

    def close(self) -> None:
        """End the server: first by closing its input, then by force."""
        self._life.pipes.end_input()
        if not self._life.wait(GRACE_S):
            self._life.process.terminate()
            self._life.wait(GRACE_S)
        self._life.end()

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Write a request, and read until its answer comes."""
        self._count += 1
        self._passed_over = ""
        number, until = self._count, time.monotonic() + self._timeout_s
        self.send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive(method, until)
            if message.get("id") == number and "method" not in message:
                return self.result_of(message, method)
            self.answer(message)

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a message as a line."""
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        try:
            self._life.pipes.send(line, time.monotonic() + self._timeout_s)
        except DeadlinePassed:
            raise self._late(str(message.get("method", "an answer"))) from None
        except (EOFError, ValueError):  # it has ended, or another thread closed it
            raise self._death() from None

    def _receive(self, method: str, until: float) -> dict[str, Any]:
        while True:
            try:
                line = self._life.pipes.line(until)
            except DeadlinePassed:
                raise self._late(method) from None
            except (EOFError, ValueError):
                raise self._death() from None
            raw = line.decode("utf-8", "replace")
            message = object_of(raw)
            if message is not None:
                cleaned: dict[str, Any] = self.keys.message(message, raw)
                return cleaned
            # Some print a greeting where messages belong; clients of the protocol pass over it.
            self._passed_over = line_of(self.keys.error(raw))[:LONGEST_NOISE] or self._passed_over

    def _late(self, method: str) -> CallTimeout:
        self.close()
        return CallTimeout(f"{method} of {self.what} took longer than {self._timeout_s:g} s{self._instead()}")

    def _death(self) -> CallFailed:
        self._life.wait(1)
        code = self._life.process.poll()
        self._life.end()
        words = self._life.last_words(LAST_WORDS)[-300:]
        return CallFailed(f"{self.what} ended with {code}{': ' if words else ''}{words}{self._instead()}")

    def _instead(self) -> str:
        """Say which line came where the answer was waited for."""
        return f"; it wrote {self._passed_over!r}, which is no message" if self._passed_over else ""
