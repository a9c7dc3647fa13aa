"""Ctrl-C: only commands that go on say so, and none leaves halves behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


def interrupted(begun: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command and interrupt it as soon as a file shows that it has *begun*."""
    command = [sys.executable, "-m", "memgauge", *arguments]
    started = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not begun.exists() and started.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    return subprocess.CompletedProcess(command, started.returncode, out, err)


def test_data_that_were_half_written_are_taken_away(tmp_path: Path) -> None:
    """Nothing is kept of a world, nothing else is said, and the same command begins anew."""
    world = tmp_path / "world"
    said = interrupted(world / "turns.jsonl.partial", "data", "synth", "world", "--size", "large", cwd=tmp_path)
    assert (said.returncode, said.stderr) == (130, "memgauge: Interrupted.\n")
    assert list(world.iterdir()) == []


@pytest.mark.slow
def test_pages_that_were_half_written_are_taken_away(made: Path, tmp_path: Path) -> None:
    """An export is whole or not there: the same command may be given again."""
    pages = tmp_path / "pages"
    said = interrupted(pages / "index.html", "view", str(made), "--export", "pages", cwd=tmp_path)
    assert (said.returncode, said.stderr.splitlines()[-1]) == (130, "memgauge: Interrupted.")
    assert not pages.exists()
