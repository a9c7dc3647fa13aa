"""The sandbox as the agent's tools see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.track.sandbox.running import SandboxLimits
from memgauge.studies.track.sandbox.sandbox import SandboxWorkspace
from memgauge.studies.track.tools.files import FileTools
from memgauge.studies.track.tools.router import ToolFailed, ToolRouter

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.studies.track.sandbox.sandbox import Sandbox


def test_the_calls_of_the_original_run_work(sandbox: Sandbox) -> None:
    """Cloning, listing, reading and searching, with the names and arguments of the document."""
    router = ToolRouter(FileTools(SandboxWorkspace(sandbox, int), lambda _: ()).tools())
    cloned = router.call("run_shell_command", {"command": "git clone http://git.local:3000/pgym/small.git"})
    assert cloned.exit_code == 0
    assert router.call("list_directory", {"path": "small", "detailed": True}).text.endswith("hello.txt")
    reading = {"file_path": "small/hello.txt", "start_line": 1, "max_lines": 1000}
    assert router.call("read_file", reading).text == "hello"
    assert router.call("read_file", {"path": "small/hello.txt"}).text == "hello"
    searching = {"pattern": "", "case_sensitive": False, "max_matches": 200, "context_lines": 1}
    found = router.call("search_file_content", searching)
    assert "small/hello.txt:1:hello" in found.text


def test_a_failure_is_a_failed_call_with_a_reason(sandbox: Sandbox) -> None:
    """The model sees a code and a sentence; a command that ended badly is no failed call."""
    workspace = SandboxWorkspace(sandbox, int)
    with pytest.raises(ToolFailed, match="not_found: there is no nowhere"):
        workspace.operate("read_file", {"file_path": "nowhere", "start_line": 1, "max_lines": 1})
    assert workspace.run("exit 3") == (3, "")
    assert workspace.operate("write_file", {"file_path": "a/b.txt", "content": "x"}) == "Wrote 1 bytes to a/b.txt."


def test_an_agent_that_locks_itself_out_is_let_in_again(sandbox: Sandbox) -> None:
    """A command that could not be run at all counted as one that worked."""
    workspace = SandboxWorkspace(sandbox, int)
    workspace.run("echo x > kept; chmod 000 .")
    assert workspace.run("cat kept") == (0, "x\n")


@pytest.mark.parametrize("command", ["echo a\0b", "echo \ud800"])
def test_what_no_command_can_hold_is_refused(sandbox: Sandbox, command: str) -> None:
    """It never runs, so that it is a failed call."""
    router = ToolRouter(FileTools(SandboxWorkspace(sandbox, int), lambda _: ()).tools())
    with pytest.raises(ToolFailed, match="invalid_arguments: run_shell_command"):
        router.call("run_shell_command", {"command": command})


def test_too_long_and_too_much_are_said(opened: Callable[..., Sandbox]) -> None:
    """A killed command fails with what it printed, cut output says how much is missing."""
    workspace = SandboxWorkspace(opened("bubblewrap", SandboxLimits(wall_s=2, output=100)), int)
    with pytest.raises(ToolFailed, match=r"timeout: killed after 2 s; it printed:\nbegun"):
        workspace.run("echo begun; sleep 60")
    with pytest.raises(ToolFailed, match="killed after 2 s without output"):
        workspace.run("sleep 60")
    assert workspace.run("head -c 300 /dev/zero | tr '\\0' x")[1].endswith("\n[200 more bytes are not shown]")


def test_the_world_is_brought_up_to_date_first(opened: Callable[..., Sandbox]) -> None:
    """Before anything is done inside, the caller has a chance to let commits happen."""
    seen: list[str] = []
    workspace = SandboxWorkspace(opened("bubblewrap"), lambda: seen.append("now"))
    workspace.run("true")
    workspace.operate("list_directory", {"path": ".", "detailed": False})
    assert seen == ["now", "now"]
