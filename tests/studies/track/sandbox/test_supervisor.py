"""What stands in for namespaces, in children of this process whose walls are their own."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.studies.track.sandbox import supervisor

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.skipif(supervisor.abi() < supervisor.NEEDED_ABI, reason="needs a newer Landlock"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # forking is what is tested
]


def in_child(work: Callable[..., None], *arguments: Any) -> int:
    """Do some work in a child of this process and return how it ended."""
    child = multiprocessing.get_context("fork").Process(target=work, args=arguments)
    child.start()
    child.join(30)
    assert child.exitcode is not None
    return child.exitcode


def enclosed(closed: Path, harness: int) -> None:
    """Enter a domain that may do everything but what the domain itself forbids."""
    libc = ctypes.CDLL(None, use_errno=True)
    readable = [str(path) for path in Path("/").iterdir() if not closed.is_relative_to(path)]
    readable += [str(path) for path in closed.parent.iterdir() if path != closed]
    libc.prctl(38, 1, 0, 0, 0)
    supervisor._enclose(libc, {"read": [*readable, "/nowhere"], "write": [str(Path.cwd())], "devices": []})
    supervisor._silence(libc)
    refused = 0
    attempts: list[tuple[Callable[..., object], tuple[object, ...]]] = [
        ((closed / "secret").read_text, ()),
        (os.kill, (harness, 0)),
        (socket.socket, (socket.AF_INET, socket.SOCK_DGRAM)),
        (socket.socket, (socket.AF_UNIX,)),
    ]
    for attempt, given in attempts:
        try:
            attempt(*given)
        except PermissionError:
            refused += 1
    assert Path("open.txt").read_text() == "open"
    os._exit(refused)  # nothing may be written at the end either, not even a measurement of these tests


def test_what_is_not_named_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files outside, signals to the harness, datagrams and sockets are all refused; the rest works."""
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "secret").write_text("secret")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "open.txt").write_text("open")
    monkeypatch.chdir(tmp_path / "work")
    assert in_child(enclosed, tmp_path / "closed", os.getpid()) == 4


def supervised(job: Path) -> None:
    """Supervise a command as the script does, and write down with which code it would end."""
    sys.argv = ["supervisor.py", str(os.open(job, os.O_RDONLY))]
    with pytest.raises(SystemExit) as ended:
        supervisor.main()
    (job.parent / "code").write_text(str(ended.value.code))


@pytest.fixture
def job(tmp_path: Path) -> Callable[[str], Path]:
    """Write down a command to be supervised, without walls."""

    def make(script: str) -> Path:
        told = {"walls": False, "folder": str(tmp_path), "command": ["/bin/sh", "-c", script], "environment": {}}
        path = tmp_path / "job.json"
        path.write_text(json.dumps(told))
        return path

    return make


@pytest.mark.parametrize(("script", "code"), [("exit 5", 5), ("kill -9 $$", 137), ("nowhere 2>/dev/null", 127)])
def test_the_code_of_the_command_is_passed_on(
    job: Callable[[str], Path], tmp_path: Path, script: str, code: int
) -> None:
    """Whether it ended by itself or was killed."""
    in_child(supervised, job(script))
    assert int((tmp_path / "code").read_text()) == code


def test_what_left_its_session_is_ended_too(job: Callable[[str], Path], tmp_path: Path) -> None:
    """Orphans come back to the supervisor, which waits until none is left."""
    in_child(supervised, job("setsid sh -c 'echo $$ > pid; exec sleep 60' & while [ ! -s pid ]; do :; done"))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_it_cleans_up_when_it_is_asked_to_stop(job: Callable[[str], Path], tmp_path: Path) -> None:
    """A signal from the harness ends the command and whatever it started."""
    child = multiprocessing.get_context("fork").Process(
        target=supervised, args=(job("sleep 60 & echo $! > pid; wait"),)
    )
    child.start()
    until = time.monotonic() + 20
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < until
        time.sleep(0.01)
    os.kill(child.pid or 0, signal.SIGTERM)
    child.join(20)
    assert (tmp_path / "code").read_text() == "137"
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_wall_that_cannot_be_built_stops_everything(tmp_path: Path) -> None:
    """A command never starts without its walls."""
    told = {"walls": True, "folder": "/nowhere", "command": ["/bin/echo", "free"], "environment": {}}
    (tmp_path / "job.json").write_text(json.dumps(told))
    with (tmp_path / "job.json").open() as file:
        done = subprocess.run(
            [sys.executable, "-I", str(supervisor.__file__), str(file.fileno())],
            pass_fds=[file.fileno()],
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stdout) == (126, "")


def test_a_call_that_fails_is_an_error() -> None:
    """Nothing is taken for granted."""
    with pytest.raises(OSError, match="cannot enter"):
        supervisor._must(-1, "enter")
