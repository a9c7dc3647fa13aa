"""The tools of files, shell and repositories, over a workspace that only remembers what it was asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.studies.track.tools.router import ToolFailed, ToolRouter
from memgauge.studies.track.tools.table import router
from memgauge.studies.track.world.state import World
from support.timeline import lamp

if TYPE_CHECKING:
    from collections.abc import Mapping


PRINTED = {
    "list_directory": "src/",
    "read_file": "one\ntwo\n",
    "write_file": "Wrote 3 bytes to n.txt.",
    "search_file_content": "src/a.c:3:int x;\nsrc/a.c-4-int y;\n--\nsrc/b.c:9:int x;",
}


@dataclass
class Scripted:
    """A workspace that answers from a script."""

    asked: list[dict[str, Any]] = field(default_factory=list)

    def run(self, command: str) -> tuple[int, str]:
        """Fail where the command says so."""
        return (2, "no 0f3c9aa\n") if command == "false" else (0, "")

    def operate(self, operation: str, arguments: Mapping[str, Any]) -> str:
        """Note what is wanted."""
        self.asked.append(dict(arguments))
        return PRINTED[operation]


@pytest.fixture
def workspace() -> Scripted:
    """Make the workspace."""
    return Scripted()


@pytest.fixture
def tools(workspace: Scripted) -> ToolRouter:
    """Make the table."""

    def reveals(text: str) -> tuple[str, ...]:
        return ("e6",) if "0f3c9aa" in text else ()

    return router(World(lamp()), repositories=lambda: "lamp at 0f3c9aa", workspace=workspace, reveals=reveals)


def test_files_are_read_by_lines(tools: ToolRouter, workspace: Scripted) -> None:
    """Under either name of the path; every line that is shown is named."""
    for name in ("path", "file_path"):
        result = tools.call("read_file", {name: "a.c", "start_line": 5})
        assert result.touched == ("file:a.c:5", "file:a.c:6")
    assert workspace.asked == [{"file_path": "a.c", "start_line": 5, "max_lines": 1000}] * 2
    with pytest.raises(ToolFailed, match="missing argument 'file_path'"):
        tools.call("read_file", {})


def test_folders_are_listed(tools: ToolRouter, workspace: Scripted) -> None:
    """The working folder where nothing is named."""
    assert tools.call("list_directory", {}).touched == ("folder:.",)
    assert tools.call("list_directory", {"path": "src", "detailed": True}).text == "src/"
    assert workspace.asked == [{"path": ".", "detailed": False}, {"path": "src", "detailed": True}]


def test_a_search_names_the_lines_that_it_shows(tools: ToolRouter, workspace: Scripted) -> None:
    """Matches and the lines around them."""
    given = {"pattern": "x", "case_sensitive": True, "context_lines": 1}
    assert tools.call("search_file_content", given).touched == (
        "file:src/a.c:3",
        "file:src/a.c:4",
        "file:src/b.c:9",
    )
    assert workspace.asked == [{**given, "search_path": ".", "max_matches": 100}]


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
