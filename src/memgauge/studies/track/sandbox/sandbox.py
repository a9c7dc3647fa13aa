"""A sandbox as tools use it: run a command, or do one file operation, always inside."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, Self

from memgauge.errors import MemgaugeError
from memgauge.studies.track.sandbox.running import drive
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.studies.track.sandbox.limits import Finished, SandboxLimits
    from memgauge.studies.track.sandbox.room import Room
    from memgauge.studies.track.sandbox.running import Launch

_ESCAPED = 6
"""How many times longer than itself a text can be in JSON."""


class OperationFailed(MemgaugeError):  # noqa: N818 - named for what happened
    """A file operation inside did not work."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class Walls(Protocol):
    """One way to keep an agent in."""

    @property
    def kind(self) -> str:
        """Name it."""
        ...

    @property
    def workspace(self) -> str:
        """Return the agent's folder as the agent sees it."""
        ...

    def launch(self) -> Launch:
        """Say how it is entered."""
        ...

    def request(self, limits: SandboxLimits) -> dict[str, object]:
        """Return what the script inside has to know of it."""
        ...


class Sandbox:
    """An agent's files and shell; nothing that it started outlives the call that started it."""

    def __init__(self, room: Room, walls: Walls, limits: SandboxLimits) -> None:
        self.room = room
        self.limits = limits
        self._walls = walls

    @property
    def kind(self) -> str:
        """Return which walls stand around it."""
        return self._walls.kind

    @property
    def workspace(self) -> str:
        """Return the agent's folder as the agent sees it."""
        return self._walls.workspace

    def run(self, command: str, limits: SandboxLimits | None = None) -> Finished:
        """Run a shell command in the agent's folder."""
        return self._enter({"do": "shell", "command": command}, limits or self.limits, merged=True)

    def operate(self, operation: str, arguments: Mapping[str, object]) -> str:
        """Do one file operation and return what it says.

        Raises:
            OperationFailed: It did not work.
        """
        limits = replace(self.limits, output=self.limits.output * _ESCAPED)
        request = {"do": operation, "arguments": dict(arguments)}
        finished = self._enter(request, limits, merged=False)
        if finished.timed_out:
            raise OperationFailed("timeout", f"{operation} took longer than {limits.wall_s:g} s")
        if finished.dropped:
            raise OperationFailed("too_large", "the result is too large; ask for less at a time")
        try:
            reply = json_of(finished.output)
        except ValueError as error:
            raise OperationFailed("stopped", f"{operation} ended with code {finished.code}") from error
        if "code" in reply:
            raise OperationFailed(reply["code"], reply["message"])
        return _cut(reply["text"], self.limits.output)

    def _enter(self, request: Mapping[str, object], limits: SandboxLimits, *, merged: bool) -> Finished:
        whole = {**request, **self._walls.request(limits)}
        return drive(self._walls.launch(), json.dumps(whole).encode(), limits, merged=merged)

    def close(self) -> None:
        """Remove the agent's files."""
        self.room.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[:most]}\n[{len(text) - most} more characters are not shown]"
