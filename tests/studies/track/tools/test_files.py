"""The tools of files, shell and repositories, over a workspace that only remembers what it was asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from memgauge.studies.track.tools.router import ToolFailed, ToolRouter
from memgauge.studies.track.tools.table import router
from memgauge.studies.track.world.state import World
from support_timeline import lamp


@dataclass
class Ended:
    """How a command ended."""

    exit_code: int
    output: str


@dataclass
class Told:
    """A workspace that answers from a script."""

    asked: list[tuple[Any, ...]] = field(default_factory=list)

    def run(self, command: str) -> Ended:
        """Fail where the command says so."""
        return Ended(2, "no 0f3c9aa\n") if command == "false" else Ended(0, "")

    def list_directory(self, path: str, *, detailed: bool) -> str:
        """List."""
        self.asked.append((path, detailed))
        return "src/"

    def read_file(self, path: str, *, start_line: int, max_lines: int) -> str:
        """Read."""
        self.asked.append((path, start_line, max_lines))
        return "one\ntwo\n"

    def write_file(self, path: str, content: str) -> str:
        """Write."""
        return f"Wrote {len(content)} bytes to {path}."

    def search_file_content(self, pattern: str, search_path: str, **options: Any) -> str:
        """Search."""
        self.asked.append((pattern, search_path, options))
        return "src/a.c:3:int x;\nsrc/a.c-4-int y;\n--\nsrc/b.c:9:int x;"


@pytest.fixture
def told() -> Told:
    """Make the workspace."""
    return Told()


@pytest.fixture
def tools(told: Told) -> ToolRouter:
    """Make the table."""

    def reveals(text: str) -> tuple[str, ...]:
        return ("e6",) if "0f3c9aa" in text else ()

    return router(World(lamp()), repositories=lambda: "lamp at 0f3c9aa", workspace=told, reveals=reveals)


def test_files_are_read_by_lines(tools: ToolRouter, told: Told) -> None:
    """Under either name of the path; every line that is shown is named."""
    for name in ("path", "file_path"):
        result = tools.call("read_file", {name: "a.c", "start_line": 5})
        assert result.touched == ("file:a.c:5", "file:a.c:6")
    assert told.asked == [("a.c", 5, 1000)] * 2
    with pytest.raises(ToolFailed, match="missing argument 'file_path'"):
        tools.call("read_file", {})


def test_folders_are_listed(tools: ToolRouter, told: Told) -> None:
    """The working folder where nothing is named."""
    assert tools.call("list_directory", {}).touched == ("folder:.",)
    assert tools.call("list_directory", {"path": "src", "detailed": True}).text == "src/"
    assert told.asked == [(".", False), ("src", True)]


def test_a_search_names_the_lines_that_it_shows(tools: ToolRouter, told: Told) -> None:
    """Matches and the lines around them."""
    given = {"pattern": "x", "case_sensitive": True, "context_lines": 1}
    assert tools.call("search_file_content", given).touched == (
        "file:src/a.c:3",
        "file:src/a.c:4",
        "file:src/b.c:9",
    )
    assert told.asked == [("x", ".", {"case_sensitive": True, "max_matches": 100, "context_lines": 1})]


def test_a_command_that_ran_worked(tools: ToolRouter) -> None:
    """Its exit code is recorded apart, and commits that it printed are events that were seen."""
    good = tools.call("run_shell_command", {"command": "true"})
    assert (good.text, good.exit_code, good.events) == ("(no output)", 0, ())
    bad = tools.call("run_shell_command", {"command": "false"})
    assert (bad.text, bad.exit_code, bad.events) == ("no 0f3c9aa\n(exit code 2)", 2, ("e6",))


def test_a_file_is_written(tools: ToolRouter) -> None:
    """And named."""
    result = tools.call("write_file", {"file_path": "n.txt", "content": "abc"})
    assert (result.text, result.touched) == ("Wrote 3 bytes to n.txt.", ("file:n.txt",))


def test_repositories_are_listed(tools: ToolRouter) -> None:
    """With the events that the list shows."""
    result = tools.call("list_remote_git_repositories", {})
    assert (result.text, result.events) == ("lamp at 0f3c9aa", ("e6",))
