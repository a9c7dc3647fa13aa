"""What a sandbox is made of, and what is left of it."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.studies.track.sandbox import bubblewrap, landlock
from memgauge.studies.track.sandbox import python as python_module
from memgauge.studies.track.sandbox.python import Python, python
from memgauge.studies.track.sandbox.room import Room, hidden
from memgauge.studies.track.sandbox.running import Launch, SandboxLimits, drive
from memgauge.studies.track.sandbox.sandbox import Sandbox, Walls
from memgauge.studies.track.tools.router import ToolFailed

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_room_disappears_whatever_the_agent_did(opened: Callable[..., Sandbox]) -> None:
    """Locked folders are removed, and links are not followed."""
    room = Room.open()
    with tempfile.TemporaryDirectory() as outside:
        Path(outside, "kept").touch()
        (room.workspace / "locked" / "deep").mkdir(parents=True)
        (room.workspace / "locked" / "deep" / "file").touch()
        (room.workspace / "out").symlink_to(outside)
        (room.workspace / "locked" / "deep").chmod(0)
        (room.workspace / "locked").chmod(0)
        room.close()
        assert not room.top.exists()
        assert Path(outside, "kept").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs sandboxes as somebody else")
def test_a_room_lies_where_its_user_can_reach_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder for temporary files that is root's alone is passed over; if there is no other, that is said."""
    tmp_path.chmod(0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    room = Room.open()
    assert not room.top.is_relative_to(tmp_path)
    room.close()
    monkeypatch.setattr(Path, "is_dir", lambda _: False)
    with pytest.raises(ConfigError, match="Set TMPDIR"):
        Room.open()


def test_this_package_is_hidden() -> None:
    """What holds it, and `/usr/local`, are on the list; `/usr` itself is not."""
    assert Path("/usr/local") in hidden()
    assert any(Path(sys.prefix).is_relative_to(one) for one in hidden())
    assert Path("/usr") not in hidden()


def test_an_interpreter_elsewhere_is_shown_without_its_packages(tmp_path: Path) -> None:
    """Where the system has no Python, ours is shown: program and library, but nothing that was installed."""
    chosen = python(tmp_path / "nothing")
    assert chosen.command == "/opt/python/bin/python3"
    assert all(source.exists() for source, _ in chosen.shown)
    [library] = [source for source, inside in chosen.shown if source.is_dir()]
    # Debian's own Python keeps what is installed elsewhere.
    assert {Path(folder).name for folder in chosen.masked} == {
        folder.name for folder in library.glob("*-packages")
    }
    assert python(tmp_path) == Python(str(tmp_path))


def test_a_sandbox_runs_with_an_interpreter_from_elsewhere(
    opened: Callable[..., Sandbox], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File tools and the agent use it, and it has no packages of ours."""
    elsewhere = python_module.python(tmp_path / "nothing")
    room = opened("bubblewrap").room
    monkeypatch.setattr(bubblewrap, "python", lambda: elsewhere)
    if room.user is not None and not _open_to_all(elsewhere.shown[0][0]):  # ours lies in the home of root
        room = replace(room, user=None)
        os.chown(room.workspace, 0, 0)
    sandbox = Sandbox(room, bubblewrap.Bubblewrap(room, SandboxLimits()), SandboxLimits())
    assert "small" in sandbox.run("git clone -q http://git.local:3000/pgym/small.git; ls").output
    assert sandbox.operate("list_directory", {"path": "small", "detailed": False}) == ".git/\nhello.txt"
    done = sandbox.run("command -v python3; python3 -c 'import sys; print(sys.prefix, flush=True); import pytest'")
    assert done.output.startswith("/opt/python/bin/python3\n/opt/python\n")
    assert "No module named 'pytest'" in done.output


def _open_to_all(path: Path) -> bool:
    return all(one.stat().st_mode & 0o001 for one in path.resolve().parents)


def test_landlock_starts_an_interpreter_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a system's Python it is started where it lies, and may be read there."""
    monkeypatch.setattr(landlock, "python", lambda: python(tmp_path / "nothing"))
    room = Room.open()
    launch = landlock.Landlock(room, SandboxLimits()).launch()
    room.close()
    assert Path(launch.command[0]).name.startswith("python3")
    assert launch.command[0].encode() in launch.arguments


class Stub(Walls):
    """Walls that are none, around a program of the test."""

    kind = "stub"

    def __init__(self, room: Room, script: str) -> None:
        super().__init__(room, SandboxLimits())
        self.script = script

    @classmethod
    def problem(cls, _: Room) -> str:
        """Work everywhere."""
        return ""

    def launch(self) -> Launch:
        """Start the program."""
        return Launch(["/bin/sh", "-c", self.script])


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("sleep 5", "timeout"),
        ("head -c 700000 /dev/zero", "too_large"),
        ("echo no json", "stopped"),
        ("exit 1", "stopped"),
    ],
)
def test_an_operation_that_goes_wrong_has_a_code(script: str, code: str) -> None:
    """Whatever happens inside, the host gets a failure with a name."""
    room = Room.open()
    with (
        Sandbox(room, Stub(room, script), SandboxLimits(wall_s=1)) as sandbox,
        pytest.raises(ToolFailed) as failed,
    ):
        sandbox.operate("read_file", {})
    assert failed.value.code == code


def test_a_long_result_is_cut() -> None:
    """The model sees the beginning, and how much is missing."""
    room = Room.open()
    script = """echo '{"text": "%s"}'""" % ("x" * 50)
    with Sandbox(room, Stub(room, script), SandboxLimits(output=20)) as sandbox:
        assert sandbox.operate("read_file", {}) == "x" * 20 + "\n[30 more characters are not shown]"


def test_what_ignores_being_asked_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that closes its output and ignores signals ends all the same."""
    monkeypatch.setattr("memgauge.studies.track.sandbox.running._GRACE_S", 0.2)
    launch = Launch(["/bin/sh", "-c", "trap '' TERM; exec >/dev/null 2>&1; sleep 20 & wait; wait"])
    done = drive(launch, b"", SandboxLimits(wall_s=0.5))
    assert done.timed_out
    assert done.code == 137
