"""What is said while something takes long."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from memgauge.frame.console import downloading, program, progress, working
from memgauge.frame.pacing import lines, remaining
from memgauge.runs.play.execute import PlanProgress

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def _on_a_terminal(code: str, cwd: Path) -> str:
    """Run code with standard error on a real terminal and return what appears there."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with os.fdopen(leader, "rb", buffering=0) as screen, closing(os.fdopen(follower, "wb")) as terminal:
        done = subprocess.run(
            [sys.executable, "-c", code],
            stderr=terminal,
            stdout=subprocess.DEVNULL,
            env=environment,
            cwd=cwd,
            check=False,
        )
        terminal.close()
        seen = b""
        try:
            while chunk := screen.read(4096):
                seen += chunk
        except OSError:
            pass  # how Linux says that the other end of a terminal has gone
    assert done.returncode == 0, seen
    return seen.decode("utf-8", "replace")


def test_a_run_on_a_terminal_shows_a_bar_with_the_time_left(tmp_path: Path) -> None:
    """The bar names what was finished last and counts conversations."""
    code = "from memgauge.cli import invoke; raise SystemExit(invoke('run -d synthetic:tiny -s bm25'.split()))"
    seen = _on_a_terminal(code, tmp_path)
    assert "bm25 · u00000" in seen
    assert "2/2" in seen


def test_work_of_unknown_length_and_downloads_are_announced_on_a_terminal(tmp_path: Path) -> None:
    """A terminal hears what is worked on, and how far a download is."""
    code = (
        "from memgauge.frame.console import working, downloading\n"
        "with working('verifying runs'): pass\n"
        "with downloading('locomo10.json') as say: say(5, 10)\n"
    )
    seen = _on_a_terminal(code, tmp_path)
    assert "verifying runs" in seen
    assert "locomo10.json" in seen
    assert "5/10 bytes" in seen


def test_elsewhere_progress_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a terminal a line is written at most every two seconds, with the time left and the failures."""
    now = iter([0.0, 1.0, 5.0, 5.5, 10.0])
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    lines = _Lines()
    for done in (1, 2, 3, 4):
        lines(PlanProgress(done, 4, "bm25", failed=done))
    assert capsys.readouterr().err.splitlines() == [
        "2/4 conversations, about 5 s left, 2 questions failed",
        "4/4 conversations, about 0 s left, 4 questions failed",
    ]


def test_nothing_is_said_when_data_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    """Quiet progress, work and downloads leave standard error empty where there is no terminal."""
    with progress(quiet=True) as on_progress, working("nothing"), downloading("nothing") as on_bytes:
        on_progress(PlanProgress(1, 1, "", 0))
        on_bytes(1, 2)
    assert capsys.readouterr().err == ""


def test_the_next_command_is_one_that_works_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is not on the path is called by its place, relative to where one stands."""
    program_file = tmp_path / "bin" / "memgauge"
    program_file.parent.mkdir()
    program_file.write_text("#!/bin/sh\n")
    program_file.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(program_file)])
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == "bin/memgauge"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert program() == str(program_file)
    monkeypatch.setenv("PATH", str(program_file.parent))
    assert program() == "memgauge"
