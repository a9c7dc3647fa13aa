"""A sandbox as tools use it: run a command, or do one file operation, always inside."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

from memgauge.studies.track.sandbox.running import drive
from memgauge.studies.track.sandbox.stores import beyond
from memgauge.studies.track.tools.router import ToolFailed
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from memgauge.studies.track.sandbox.room import Room
    from memgauge.studies.track.sandbox.running import Finished, Launch, SandboxLimits

WORKSPACE, SOCKET, SCRIPT = "/agent", "/run/git.sock", "/run/inside.py"
"""Where walls with a file system of their own show the agent's folder, Git and the script."""
_ESCAPED = 6
"""How many times longer than itself a text can be in JSON."""


class Walls(ABC):
    """One way to keep an agent in."""

    kind: ClassVar[str]

    def __init__(self, room: Room, limits: SandboxLimits) -> None:
        self._room = room
        self._limits = limits

    @classmethod
    @abstractmethod
    def problem(cls, room: Room) -> str:
        """Say why they cannot be used here, and what can be done about it; empty where they can."""

    @abstractmethod
    def launch(self) -> Launch:
        """Say how the inside is entered."""

    def request(self, limits: SandboxLimits) -> dict[str, object]:
        """Return what the script inside has to know."""
        has_git = self._room.socket.exists()
        return {"limits": limits.inside(), "git": SOCKET if has_git else None, "port": 3000}


class Sandbox:
    """An agent's files and shell; nothing that it started outlives the call that started it."""

    def __init__(self, room: Room, walls: Walls, limits: SandboxLimits) -> None:
        self.room = room
        self.limits = limits
        self.kind = walls.kind
        self._walls = walls
        self._full = False

    def run(self, command: str, limits: SandboxLimits | None = None) -> Finished:
        """Run a shell command in the agent's folder."""
        return self._enter({"do": "shell", "command": command}, limits or self.limits, merged=True)

    def operate(self, operation: str, arguments: Mapping[str, object]) -> str:
        """Do one file operation and return what it prints.

        Raises:
            ToolFailed: It did not work.
        """
        limits = replace(self.limits, output=self.limits.output * _ESCAPED)
        request = {"do": operation, "arguments": dict(arguments)}
        finished = self._enter(request, limits, merged=False)
        if finished.exceeded:
            raise ToolFailed("limit", f"{operation} was killed ({finished.exceeded})")
        if finished.timed_out:
            raise ToolFailed("timeout", f"{operation} took longer than {limits.wall_s:g} s")
        if finished.dropped:
            raise ToolFailed("too_large", "the result is too large; ask for less at a time")
        try:
            reply = json_of(finished.output)
        except ValueError as error:
            raise ToolFailed("stopped", f"{operation} ended with code {finished.code}") from error
        if "code" in reply:
            raise ToolFailed(reply["code"], reply["message"])
        return _cut(reply["text"], self.limits.output)

    def _enter(self, request: Mapping[str, object], limits: SandboxLimits, *, merged: bool) -> Finished:
        self.room.open_up()
        stores = self._unbounded()
        if self._full:  # whoever stores too much may clear up, and write nothing until then
            self._full = any(beyond(folder, allowance, limits.files) for folder, allowance in stores.items())
            limits = replace(limits, file_size=0) if self._full else limits
        full_request = {**request, **self._walls.request(limits)}
        launch = replace(self._walls.launch(), stores=stores)
        finished = drive(launch, json.dumps(full_request).encode(), limits, merged=merged)
        self._full = self._full or bool(stores and finished.exceeded)
        return finished

    def _unbounded(self) -> dict[Path, int]:
        """Return the folders that have to be watched."""
        room, limits = self.room, self.limits
        return {} if room.bounded else {room.workspace: limits.stored, room.scratch: limits.scratch}

    def close(self) -> None:
        """Remove the agent's files."""
        self.room.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class SandboxWorkspace:
    """The workspace of the agent's tools, brought to the simulated time before each call."""

    def __init__(self, sandbox: Sandbox, before: Callable[[], object]) -> None:
        self._sandbox = sandbox
        self._before = before

    def run(self, command: str) -> tuple[int, str]:
        """Run a shell command and return its exit code and what it printed.

        Raises:
            ToolFailed: It took too long and was killed.
        """
        self._before()
        finished = self._sandbox.run(command)
        output = finished.output
        if finished.dropped:
            output += f"\n[{finished.dropped} more bytes are not shown]"
        if finished.timed_out or finished.exceeded:
            limit = f"killed after {self._sandbox.limits.wall_s:g} s"
            limit = f"killed, for it used too much ({finished.exceeded})" if finished.exceeded else limit
            code = "limit" if finished.exceeded else "timeout"
            raise ToolFailed(code, f"{limit}; it printed:\n{output}" if output else f"{limit} without output")
        return finished.code, output

    def operate(self, operation: str, arguments: Mapping[str, object]) -> str:
        """Do one file operation and return what it prints."""
        self._before()
        return self._sandbox.operate(operation, arguments)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[{len(text) - limit} more characters are not shown]"
