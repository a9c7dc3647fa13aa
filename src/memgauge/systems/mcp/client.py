"""An MCP server that is started here, over its standard input and output."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed, CallTimeout, MissingExtraError
from memgauge.systems.mcp.session import McpClient
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LAST_WORDS = 12
"""Lines of its errors that are kept and shown when a server dies."""
_ENDED = ""


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
        self.what = command[0]
        self._timeout_s = timeout_s
        self._count = 0
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._errors: deque[str] = deque(maxlen=LAST_WORDS)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user names the server that is to be started
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(env),
                cwd=folder,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise MissingExtraError(
                f"The MCP server {command[0]!r} cannot be started: {error.strerror}.",
                "Install it, and name the folder of its program: mcp:NAME,bin=FOLDER.",
            ) from error
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()
        self.greet()

    def close(self) -> None:
        """End the server: first by closing its input, then by force."""
        process = self._process
        with suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        for end in (None, process.terminate, process.kill):
            if end is not None:
                end()
            with suppress(subprocess.TimeoutExpired):
                process.wait(2)
                break
        for reader in self._readers:
            reader.join(2)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Write a request, and read until its answer comes."""
        self._count += 1
        number, end = self._count, time.monotonic() + self._timeout_s
        self.send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive(method, end)
            if message.get("id") == number and "method" not in message:
                break
            self.answer(message)
        return self.result_of(message, method)

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a message as a line."""
        assert self._process.stdin is not None  # noqa: S101 - it was opened as a pipe
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._death() from None

    def _receive(self, method: str, end: float) -> dict[str, Any]:
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                self.close()
                raise CallTimeout(f"{method} of {self.what} took longer than {self._timeout_s:g} s") from None
            if line == _ENDED:
                raise self._death()
            message = object_of(line)  # some servers print a greeting where only messages belong
            if message is not None:
                return message

    def _death(self) -> CallFailed:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._readers[1].join(1)
        words = " | ".join(line.strip() for line in self._errors if line.strip())[-300:]
        return CallFailed(f"{self.what} ended with {self._process.poll()}{': ' if words else ''}{words}")

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was opened as a pipe
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(_ENDED)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None  # noqa: S101 - it was opened as a pipe
        self._errors.extend(self._process.stderr)
