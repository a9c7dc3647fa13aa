"""A sandbox with the face that the file and shell tools of an agent want."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.studies.track.sandbox.sandbox import OperationFailed
from memgauge.studies.track.tools.router import ToolFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.studies.track.sandbox.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended, as a model is told it."""

    exit_code: int
    output: str


def _nothing() -> None:
    """Do nothing."""


class SandboxWorkspace:
    """The agent's own files and shell; every method enters the sandbox, none touches a path of this machine."""

    def __init__(self, sandbox: Sandbox, before: Callable[[], object] = _nothing) -> None:
        """Work in *sandbox*; *before* is called first each time, to bring repositories to the simulated time."""
        self._sandbox = sandbox
        self._before = before

    def run(self, command: str) -> CommandResult:
        """Run a shell command.

        Raises:
            ToolFailed: It took too long and was killed.
        """
        self._before()
        finished = self._sandbox.run(command)
        output = finished.output
        if finished.dropped:
            output += f"\n[{finished.dropped} more bytes are not shown]"
        if finished.timed_out:
            limit = f"killed after {self._sandbox.limits.wall_s:g} s"
            raise ToolFailed("timeout", f"{limit}; it printed:\n{output}" if output else f"{limit} without output")
        return CommandResult(finished.code, output)

    def list_directory(self, path: str, *, detailed: bool) -> str:
        """List a folder, with kinds and sizes where *detailed*; never with times, which differ from run to run."""
        return self._operate("list_directory", path=path, detailed=detailed)

    def read_file(self, path: str, *, start_line: int, max_lines: int) -> str:
        """Read lines of a text file, counted from 1."""
        return self._operate("read_file", file_path=path, start_line=start_line, max_lines=max_lines)

    def write_file(self, path: str, content: str) -> str:
        """Write a text file, with the folders that it needs."""
        return self._operate("write_file", file_path=path, content=content)

    def search_file_content(
        self, pattern: str, search_path: str, *, case_sensitive: bool, max_matches: int, context_lines: int
    ) -> str:
        """Search files for a regular expression, or for the text as it is where it is none."""
        return self._operate(
            "search_file_content",
            pattern=pattern,
            search_path=search_path,
            case_sensitive=case_sensitive,
            max_matches=max_matches,
            context_lines=context_lines,
        )

    def _operate(self, operation: str, **arguments: object) -> str:
        self._before()
        try:
            return self._sandbox.operate(operation, arguments)
        except OperationFailed as error:
            raise ToolFailed(error.code, error.message) from error
