"""Bounds on everything that a call started and stored, with the kernel's help and without."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.track.sandbox import groups
from memgauge.studies.track.sandbox import room as room_module
from memgauge.studies.track.sandbox.groups import ControlGroup
from memgauge.studies.track.sandbox.running import Launch, SandboxLimits, drive
from memgauge.studies.track.sandbox.stores import beyond, usage
from memgauge.studies.track.tools.router import ToolFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.studies.track.sandbox.sandbox import Sandbox

MIB = 1 << 20
HOARD = "import time; held = bytearray(b'x') * (80 << 20); print('held', flush=True); time.sleep(10)"


@pytest.fixture
def unaided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what only some machines have."""
    monkeypatch.setattr(groups, "_made", lambda *_: [])
    monkeypatch.setattr(room_module, "mounted", lambda *_: False)


def test_a_group_bounds_and_kills_its_tree() -> None:
    """Whatever a process starts is in its group, and ends with it; the group is gone afterwards."""
    with ControlGroup.made(SandboxLimits()) as group:
        if not group.holds:
            pytest.skip("no control group can be made here")
        with subprocess.Popen(["/bin/sh", "-c", "sleep 60 & wait"]) as process:
            group.take(process.pid)
            inside = (group.folders[0] / "cgroup.procs").read_text().split()
            assert str(process.pid) in inside
            group.close()
            assert process.wait() == -9
    assert not any(folder.exists() for folder in group.folders)


def test_groups_of_the_killed_are_swept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Empty ones whose owner has ended go; those of the living stay."""
    monkeypatch.setattr(groups, "_own", lambda: {"pids": "/"})
    (tmp_path / "pids").mkdir()
    names = [f"memgauge-{number}-x" for number in (2**22 + 1, os.getpid())]
    for name in (*names, "memgauge-other"):
        (tmp_path / "pids" / name).mkdir()
    groups.sweep(tmp_path)
    assert {each.name for each in (tmp_path / "pids").iterdir()} == {names[1], "memgauge-other"}


@pytest.mark.usefixtures("unaided")
def test_a_tree_is_watched_where_no_group_holds_it() -> None:
    """Three processes that are each within bounds are beyond them together, also with their output closed."""
    command = f'for n in 1 2 3; do python3 -c "{HOARD}" & done; exec >&- 2>&-; wait'
    done = drive(
        Launch(["/bin/bash", "-c", command], {"PATH": os.environ["PATH"]}), b"", SandboxLimits(memory=200 * MIB)
    )
    assert done.exceeded.startswith("memory: ")
    assert not done.timed_out
    subprocess.run(["/bin/sh", "-c", "true"], check=True)


@pytest.mark.usefixtures("unaided")
def test_files_without_a_name_count(opened: Callable[..., Sandbox]) -> None:
    """What was unlinked and is still open takes the disk all the same."""
    script = "for n in $(seq 30); do exec {f}>x; head -c 1000000 /dev/zero >&$f; rm x; sleep 0.02; done; sleep 5"
    done = opened("landlock", SandboxLimits(stored=8 * MIB)).run(script)
    assert done.exceeded.startswith("files below agent")


@pytest.mark.usefixtures("unaided")
def test_a_folder_is_counted_where_no_file_system_bounds_it(opened: Callable[..., Sandbox]) -> None:
    """A call that stores too much is killed; the next may clear up and write nothing until it has."""
    sandbox = opened("landlock", SandboxLimits(stored=4 * MIB))
    done = sandbox.run("for n in $(seq 40); do head -c 1000000 /dev/zero > $n; sleep 0.01; done")
    assert done.exceeded.startswith("files below agent")
    assert beyond(sandbox.room.workspace, 4 * MIB, 10)
    with pytest.raises(ToolFailed):
        sandbox.operate("write_file", {"file_path": "more", "content": "x"})
    assert sandbox.run("rm *").code == 0
    assert "Wrote 1 bytes" in sandbox.operate("write_file", {"file_path": "more", "content": "x"})


def test_a_file_that_goes_while_it_is_counted_hides_no_other(tmp_path: Path) -> None:
    """Whoever makes and removes files all the time is counted like anybody else."""
    for name in range(200):
        (tmp_path / f"kept{name}").write_bytes(bytes(5_000))
    least = usage(tmp_path, 10_000)
    script = "import os\nwhile True:\n for n in range(50): open(f'gone{n}', 'w').close(); os.remove(f'gone{n}')"
    with subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path) as busy:
        seen = [usage(tmp_path, 10_000) for _ in range(3_000)]
        busy.kill()
    assert min(seen) >= least


def test_bytes_and_files_are_counted(tmp_path: Path) -> None:
    """Folders count, links are not followed, and counting stops soon after the bound."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "file").write_bytes(bytes(10_000))
    (tmp_path / "link").symlink_to("/")
    size, files = usage(tmp_path, 100)
    assert files == 3
    assert 10_000 <= size <= 40_000
    with contextlib.suppress(OSError):
        assert usage(Path("/usr"), 50)[1] < 20_000
