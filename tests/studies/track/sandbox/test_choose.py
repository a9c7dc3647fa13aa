"""The strongest sandbox that works is taken, and none only when it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.studies.track.sandbox import choose, docker, supervisor
from memgauge.studies.track.sandbox.bubblewrap import Bubblewrap
from memgauge.studies.track.sandbox.choose import Kind, open_sandbox
from memgauge.studies.track.sandbox.docker import Docker
from memgauge.studies.track.sandbox.landlock import Landlock, visible
from memgauge.studies.track.sandbox.room import Room
from memgauge.studies.track.sandbox.running import SandboxLimits
from memgauge.studies.track.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TRIED = ("bubblewrap", "landlock", "docker")


@pytest.fixture
def room() -> Iterator[Room]:
    """Open a room."""
    made = Room.open()
    yield made
    made.close()


@pytest.mark.parametrize("works", TRIED)
def test_the_first_that_works_is_taken(works: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bubblewrap before Landlock before docker."""
    monkeypatch.setattr(choose, "problem", lambda kind, _: "" if kind == works else "not today")
    with open_sandbox() as sandbox:
        assert sandbox.kind == works


def test_where_nothing_works_it_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names every reason, and what has to be typed to go without; nothing is left behind."""
    rooms: list[Room] = []

    def broken(kind: Kind, room: Room) -> str:
        rooms.append(room)
        return f"{kind} is broken"

    monkeypatch.setattr(choose, "problem", broken)
    with pytest.raises(ConfigError) as refused:
        open_sandbox()
    assert all(f"{kind}: {kind} is broken" in str(refused.value) for kind in TRIED)
    assert "type --sandbox none" in str(refused.value)
    assert not rooms[0].top.exists()


def test_what_is_named_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox that is asked for by name and does not work is an error, whatever else would."""
    monkeypatch.setattr(choose, "problem", lambda kind, _: "no" if kind == "landlock" else "")
    with pytest.raises(ConfigError, match="does not work here: landlock: no"):
        open_sandbox("landlock")


def test_none_has_to_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it works everywhere, and Git and file tools work in it."""
    monkeypatch.setattr(choose, "problem", lambda *_: "broken")
    with open_sandbox("none", SandboxLimits(wall_s=20)) as sandbox:
        assert sandbox.kind == "none"
        assert sandbox.run("pwd").output.strip() == str(sandbox.room.workspace)
        assert sandbox.operate("list_directory", {"path": ".", "detailed": False}) == "(empty)"


def test_bubblewrap_says_why_not(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not installed, forbidden by AppArmor, and otherwise broken are three sentences."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "Debian package bubblewrap" in Bubblewrap.problem(room)
    for said, wanted in (
        ("bwrap: setting up uid map: Permission denied", "apparmor_restrict_unprivileged_userns=0"),
        ("bwrap: Unknown option", "does not start (bwrap: Unknown option)"),
    ):
        program = room.top / "bwrap"
        program.write_text(f"#!/bin/sh\necho '{said}' >&2; exit 1\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{room.top}:/usr/bin")
        assert wanted in Bubblewrap.problem(room)


def test_landlock_has_to_be_new_enough(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel whose Landlock lets signals through is not used."""
    monkeypatch.setattr(supervisor, "abi", lambda: 5)
    assert "version 6 or newer (Linux 6.12); it has version 5" in Landlock.problem(room)
    monkeypatch.setattr(supervisor, "abi", lambda: 0)
    assert "it has none" in Landlock.problem(room)
    monkeypatch.setattr(supervisor, "abi", lambda: 7)
    assert Landlock.problem(room) == ""


def test_only_known_machines_have_a_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call filter is written for two architectures."""
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert supervisor.abi() == 0


def test_rules_show_everything_but_what_is_hidden(tmp_path: Path) -> None:
    """Where a hidden folder lies below a shown one, its siblings are shown one by one."""
    for name in ("usr/bin", "usr/lib/python/pkg", "usr/lib/gcc", "usr/local"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "bin").symlink_to("usr/bin")
    roots = [tmp_path / "usr", tmp_path / "bin", tmp_path / "sbin"]
    found = visible(roots, [tmp_path / "usr/local", tmp_path / "usr/lib/python/pkg"])
    assert [path.removeprefix(f"{tmp_path}/") for path in found] == ["usr/bin", "usr/lib/gcc"]


DOCKER = """#!/bin/sh
echo "$@" >> {log}
case "$1" in
  info) {info};;
  run) cat > /dev/null; echo '{{"text": "from the container"}}';;
esac
"""


@pytest.fixture
def script(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a docker on the path that only writes down what it is told; returns where."""
    program = room.top / "bin" / "docker"
    program.parent.mkdir()
    program.parent.chmod(0o755)
    program.write_text(DOCKER.format(log=tmp_path / "log", info="echo 28.0"))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return tmp_path / "log"


def test_a_container_is_shut_in(room: Room, script: Path) -> None:
    """No network, no rights, limits, a read-only system, and a clock inside that kills it."""
    assert Docker.problem(room) == ""
    room.socket.touch()
    sandbox = Sandbox(room, Docker(room, SandboxLimits(wall_s=5)), SandboxLimits(wall_s=5))
    assert sandbox.operate("list_directory", {}) == "from the container"
    said = script.read_text().splitlines()[-1]
    for wanted in (
        "--network none --read-only --cap-drop ALL",
        "--security-opt no-new-privileges",
        f"--volume {room.workspace}:/agent",
        f"--volume {room.socket}:/run/git.sock:ro",
        "--add-host git.local:127.0.0.1",
        "bookworm timeout --signal KILL 5 python3 -I /run/inside.py",
    ):
        assert wanted in said


def test_docker_says_why_not(room: Room, script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No engine, a silent engine and no client are three sentences."""
    program = room.top / "bin" / "docker"
    program.write_text(DOCKER.format(log=script, info="echo 'Cannot connect' >&2; exit 1"))
    assert Docker.problem(room) == "no docker engine answers (Cannot connect)"
    monkeypatch.setattr(docker, "_PATIENCE_S", 0.2)
    program.write_text(DOCKER.format(log=script, info="exec sleep 5"))
    assert "does not answer within" in Docker.problem(room)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Docker.problem(room) == "docker is not installed"


def test_every_kind_can_be_asked_about(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reasons come from the kinds themselves."""
    for walls, why in ((Bubblewrap, "b"), (Landlock, "l"), (Docker, "d")):
        monkeypatch.setattr(walls, "problem", lambda _, why=why: why)
    assert [choose.problem(kind, room) for kind in ("bubblewrap", "landlock", "docker")] == ["b", "l", "d"]
