"""The agent's own files and shell; what runs them is a sandbox."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import Tool, ToolFailed, ToolResult
from memgauge.studies.track.tools.schema import arguments, flag, integer, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Reveals = Callable[[str], tuple[str, ...]]
    """Names the events that a printed text shows, such as commits by their hash."""


class FinishedCommand(Protocol):
    """How a command ended."""

    @property
    def exit_code(self) -> int:
        """Return its exit code."""
        ...

    @property
    def output(self) -> str:
        """Return what it printed, errors among it, cut where it is too long."""
        ...


class Workspace(Protocol):
    """What a sandbox does for these tools; everything happens inside it, never on a path of the host.

    Every method raises :class:`ToolFailed` where it cannot do what it is asked.
    """

    def run(self, command: str) -> FinishedCommand:
        """Run a shell command in the agent's folder."""
        ...

    def list_directory(self, path: str, *, detailed: bool) -> str:
        """List a folder, one entry a line; with kinds and sizes where *detailed*."""
        ...

    def read_file(self, path: str, *, start_line: int, max_lines: int) -> str:
        """Read lines of a text file, counted from 1."""
        ...

    def write_file(self, path: str, content: str) -> str:
        """Write a text file, with the folders that it needs."""
        ...

    def search_file_content(
        self, pattern: str, search_path: str, *, case_sensitive: bool, max_matches: int, context_lines: int
    ) -> str:
        """Search files for a regular expression, as ``PATH:LINE:TEXT``."""
        ...


_FOUND = re.compile(r"^([^\n:]+?)[:-](\d+)[:-]", re.MULTILINE)
"""A line of a file that a search shows, as a match or beside one."""


def _nothing(_: str) -> tuple[str, ...]:
    return ()


class FileCalls:
    """What the tools do: every call is one of a workspace, and what it shows is traced to events and files."""

    def __init__(self, workspace: Workspace, reveals: Reveals) -> None:
        self._workspace = workspace
        self._reveals = reveals

    def list_directory(self, given: Mapping[str, Any]) -> ToolResult:
        """List a folder."""
        path = given.get("path") or "."
        return self._shown(
            self._workspace.list_directory(path, detailed=bool(given.get("detailed"))), f"folder:{path}"
        )

    def read_file(self, given: Mapping[str, Any]) -> ToolResult:
        """Read lines of a file."""
        path = given.get("file_path") or given.get("path")
        if not path:
            raise ToolFailed("invalid_arguments", "read_file: missing argument 'file_path'")
        start, count = int(given.get("start_line") or 1), int(given.get("max_lines") or 1000)
        printed = self._workspace.read_file(path, start_line=start, max_lines=count)
        lines = max(1, printed.count("\n") + (not printed.endswith("\n")))
        return self._shown(printed, *(f"file:{path}:{line}" for line in range(start, start + lines)))

    def write_file(self, given: Mapping[str, Any]) -> ToolResult:
        """Write a file."""
        said = self._workspace.write_file(given["file_path"], given["content"])
        return ToolResult(said, touched=(f"file:{given['file_path']}",))

    def search_file_content(self, given: Mapping[str, Any]) -> ToolResult:
        """Search files."""
        printed = self._workspace.search_file_content(
            given["pattern"],
            given.get("search_path") or ".",
            case_sensitive=bool(given.get("case_sensitive")),
            max_matches=int(given.get("max_matches") or 100),
            context_lines=int(given.get("context_lines") or 0),
        )
        return self._shown(printed, *(f"file:{path}:{line}" for path, line in _FOUND.findall(printed)))

    def run_shell_command(self, given: Mapping[str, Any]) -> ToolResult:
        """Run a command."""
        ended = self._workspace.run(given["command"])
        printed = ended.output or "(no output)"
        if ended.exit_code:
            printed = f"{printed.rstrip()}\n(exit code {ended.exit_code})"
        return ToolResult(printed, self._reveals(ended.output), exit_code=ended.exit_code)

    def _shown(self, printed: str, *touched: str) -> ToolResult:
        return ToolResult(printed, self._reveals(printed), touched)


def file_tools(workspace: Workspace, reveals: Reveals = _nothing) -> tuple[Tool, ...]:
    """Make the tools over *workspace*."""
    calls = FileCalls(workspace, reveals)
    return (*_reading(calls), *_writing(calls))


def _reading(calls: FileCalls) -> tuple[Tool, ...]:
    return (
        Tool(
            "list_directory",
            Platform.FILES,
            "read",
            "List a folder of your own file system.",
            arguments({}, {"path": text("default: your working folder"), "detailed": flag("kinds and sizes")}),
            calls.list_directory,
        ),
        Tool(
            "read_file",
            Platform.FILES,
            "read",
            "Read a text file of your own file system.",
            arguments(
                {},
                {
                    "file_path": text("which file; required"),
                    "path": text("the same as file_path"),
                    "start_line": integer(1),
                    "max_lines": integer(1000),
                },
            ),
            calls.read_file,
        ),
        Tool(
            "search_file_content",
            Platform.FILES,
            "read",
            "Search files for a regular expression; every match with its path and line.",
            arguments(
                {"pattern": text()},
                {
                    "search_path": text("file or folder; default: your working folder"),
                    "case_sensitive": flag(),
                    "max_matches": integer(100),
                    "context_lines": integer(0, minimum=0),
                },
            ),
            calls.search_file_content,
        ),
    )


def _writing(calls: FileCalls) -> tuple[Tool, ...]:
    return (
        Tool(
            "write_file",
            Platform.FILES,
            "write",
            "Write a text file of your own file system.",
            arguments({"file_path": text(), "content": text()}),
            calls.write_file,
        ),
        Tool(
            "run_shell_command",
            Platform.FILES,
            "write",
            "Run a command with bash in your working folder; git is there.",
            arguments({"command": text()}),
            calls.run_shell_command,
        ),
    )
