"""The harness closes its memory where nothing hides it; programs look into no process but their own."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.runs.play.player import troupe
from memgauge.systems.wire import confining
from memgauge.systems.wire.confining import close_memory, confined, landlock, open_memory

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux knows it")


def dumpable() -> int:
    """Ask the kernel."""
    return int(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))


def test_memory_is_closed_once_and_opened_again() -> None:
    """Whoever closed it knows that it was open before."""
    assert dumpable() == 1
    assert close_memory()
    assert dumpable() == 0
    assert not close_memory()
    open_memory()
    assert dumpable() == 1


def test_a_troupe_without_walls_closes_it_while_it_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain player finds it closed; afterwards it is as it was."""
    monkeypatch.setattr(troupe, "bubblewrap", lambda _: [])
    players = troupe.Troupe()
    try:
        assert players.isolation().means == ""
        assert dumpable() == 0
    finally:
        players.close()
    assert dumpable() == 1


_LOOK = """
import os, sys
try:
    print(len(open(f"/proc/{sys.argv[1]}/environ", "rb").read()) > 0)
except PermissionError:
    print("closed")
os.makedirs("a/b")
open("a/file", "w").close()
os.rename("a/file", "a/b/file")
print(os.listdir("a/b"))
"""


@pytest.mark.parametrize("version", [landlock(), 0])
def test_a_confined_program_looks_into_no_other_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    """Also where the kernel knows no Landlock; files it moves as everybody does."""
    monkeypatch.setattr(confining, "landlock", lambda: version)
    command = [sys.executable, "-S", "-c", _LOOK, str(os.getpid())]
    try:
        done = confined(lambda: subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True))
    finally:
        open_memory()
    assert done.stdout == "closed\n['file']\n"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    plain = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, check=True)
    assert plain.stdout == "True\n['file']\n"  # what it looked for is there


def test_what_cannot_start_says_so_here() -> None:
    """The error of a thread is that of its caller."""
    with pytest.raises(FileNotFoundError):
        confined(lambda: subprocess.Popen(["/no/such/program"]))
