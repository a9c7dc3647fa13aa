"""The agent's own files and shell, which a sandbox runs, and the repositories that can be cloned into it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import ToolFailed, ToolResult, Toolset, offered
from memgauge.studies.track.tools.schema import flag, integer, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Reveals = Callable[[str], tuple[str, ...]]
    """Names the events that a printed text shows, such as commits by their hash."""


class Workspace(Protocol):
    """What a sandbox does for these tools; everything happens inside it, never on a path of the host.

    Both methods raise :class:`ToolFailed` where it cannot do what it is asked.
    """

    def run(self, command: str) -> tuple[int, str]:
        """Run a shell command in the agent's folder; return its exit code and what it printed, errors among it."""
        ...

    def operate(self, operation: str, arguments: Mapping[str, object]) -> str:
        """Do one of the operations of :mod:`memgauge.studies.track.sandbox.inside` and return what it prints."""
        ...


_SEARCHED = re.compile(r"^([^\n:]+?)[:-](\d+)[:-]", re.MULTILINE)
"""A line of a file that a search shows, as a match or beside one."""
_READ = {
    "file_path": text("which file; required"),
    "path": text("the same as file_path"),
    "start_line": integer(1),
    "max_lines": integer(1000),
}
_SEARCH = {
    "search_path": text("file or folder; default: your working folder"),
    "case_sensitive": flag(),
    "max_matches": integer(100),
    "context_lines": integer(0, minimum=0),
}


class GitTools(Toolset):
    """The one tool about remote repositories; everything else is git itself, in the shell."""

    platform = Platform.GIT

    def __init__(self, listing: Callable[[], str], reveals: Reveals) -> None:
        """Take *listing*, which says which repositories there are, how each is cloned, and where it stands."""
        self._listing = listing
        self._reveals = reveals

    @offered("read")
    def list_remote_git_repositories(self, _: Mapping[str, Any]) -> ToolResult:
        """List the remote repositories, with the command that clones each and the commit it stands at."""
        repositories = self._listing()
        return ToolResult(repositories, self._reveals(repositories), (f"repositories:{repositories}",))


class FileTools(Toolset):
    """What an agent can do in a workspace; what a call shows is traced to events and files."""

    platform = Platform.FILES

    def __init__(self, workspace: Workspace, reveals: Reveals) -> None:
        self._workspace = workspace
        self._reveals = reveals

    @offered("read", optional={"path": text("default: your working folder"), "detailed": flag("kinds and sizes")})
    def list_directory(self, arguments: Mapping[str, Any]) -> ToolResult:
        """List a folder of your own file system."""
        path = arguments.get("path") or "."
        request = {"path": path, "detailed": bool(arguments.get("detailed"))}
        return self._shown(self._workspace.operate("list_directory", request), f"folder:{path}")

    @offered("read", optional=_READ)
    def read_file(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Read a text file of your own file system."""
        path = arguments.get("file_path") or arguments.get("path")
        if not path:
            raise ToolFailed("invalid_arguments", "read_file: missing argument 'file_path'")
        start, count = int(arguments.get("start_line") or 1), int(arguments.get("max_lines") or 1000)
        request = {"file_path": path, "start_line": start, "max_lines": count}
        printed = self._workspace.operate("read_file", request)
        lines = max(1, printed.count("\n") + (not printed.endswith("\n")))
        return self._shown(printed, *(f"file:{path}:{line}" for line in range(start, start + lines)))

    @offered("read", {"pattern": text()}, _SEARCH)
    def search_file_content(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Search files for a regular expression; every match with its path and line."""
        request = {
            "pattern": arguments["pattern"],
            "search_path": arguments.get("search_path") or ".",
            "case_sensitive": bool(arguments.get("case_sensitive")),
            "max_matches": int(arguments.get("max_matches") or 100),
            "context_lines": int(arguments.get("context_lines") or 0),
        }
        printed = self._workspace.operate("search_file_content", request)
        return self._shown(printed, *(f"file:{path}:{line}" for path, line in _SEARCHED.findall(printed)))

    @offered("write", {"file_path": text(), "content": text()})
    def write_file(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Write a text file of your own file system."""
        return ToolResult(
            self._workspace.operate("write_file", arguments), touched=(f"file:{arguments['file_path']}",)
        )

    @offered("write", {"command": text()})
    def run_shell_command(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a command with bash in your working folder; git is there."""
        command = arguments["command"]
        if "\0" in command or any("\ud800" <= letter <= "\udfff" for letter in command):
            raise ToolFailed("invalid_arguments", "run_shell_command: the command holds what no text may hold")
        exit_code, output = self._workspace.run(command)
        printed = output or "(no output)"
        if exit_code:
            printed = f"{printed.rstrip()}\n(exit code {exit_code})"
        return ToolResult(printed, self._reveals(output), exit_code=exit_code)

    def _shown(self, printed: str, *touched: str) -> ToolResult:
        return ToolResult(printed, self._reveals(printed), touched)
