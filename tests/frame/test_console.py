"""What is said while something takes long."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import closing
from io import StringIO
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from rich.text import Text

from memgauge.cli import invoke
from memgauge.frame import pacing
from memgauge.frame.console import aside, downloading, output, program, progress, say, working
from memgauge.frame.pacing import lines, remaining
from memgauge.frame.plainness import plainly
from memgauge.runs.play.execute import PlanProgress

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize(("columns", "widest"), [("0", 80), ("7", 40), ("62", 62), ("many", 80), ("400", 120)])
def test_a_width_that_is_none_loses_nothing(
    columns: str, widest: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A terminal that says it has no columns, or few, gets every word, and the help too."""
    monkeypatch.setenv("COLUMNS", columns)
    say("word " * 60)
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.count("word") for line in lines) == 60
    assert widest - 5 <= max(map(len, lines)) <= widest
    assert invoke(["run", "--help"]) == 0
    assert "Usage: memgauge run" in capsys.readouterr().out


def test_elsewhere_progress_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a terminal a line is written at most every two seconds, with the time left and the failures."""
    now = iter([7.0, 8.0, 12.0, 12.5, 17.0, 27.0])
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    write = lines(sys.stderr)
    for done, share in ((0, None), (1, None), (2, None), (3, 0.5), (3, 0.5), (4, 1.0)):
        write(PlanProgress(done, 4, "bm25", done, share))
    assert capsys.readouterr().err.splitlines() == [
        "2/4 conversations, 2 questions failed",
        "3/4 conversations, about 10 s left, 3 questions failed",
        "4/4 conversations, about 0 s left, 4 questions failed",
    ]


def test_hours_are_told_in_minutes_and_nothing_without_a_basis() -> None:
    """Seconds up to a minute and a half."""
    assert remaining(PlanProgress(1, 2, "", 0, 0.5), 80.0) == "about 80 s left"
    assert remaining(PlanProgress(1, 2, "", 0, 0.5), 7200.0) == "about 120 min left"
    assert remaining(PlanProgress(1, 2, "", 0), 7200.0) == ""


def test_names_between_colons_stay_names(capsys: pytest.CaptureFixture[str]) -> None:
    """A memory `mine:Key` is no picture of a key, wherever a colon follows it."""
    say("mine:Key: checked")
    aside("mine:Notebook: checked")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("mine:Key: checked\n", "mine:Notebook: checked\n")


def test_colour_is_for_terminals_and_for_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """FORCE_COLOR draws into a pipe, NO_COLOR takes colour away from it, plain takes all; a pipe gets neither."""
    heading = Text("Title", style="bold")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def printed() -> tuple[bool, bool, int]:
        console = output()
        with console.capture() as capture:
            console.print(heading)
        return console.is_terminal, "\x1b" in capture.get(), console.width

    assert printed() == (False, False, 80)
    monkeypatch.setenv("COLUMNS", "200")
    assert printed() == (False, False, 120)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    assert printed() == (True, True, 60)
    with plainly(plain=True):
        assert printed() == (False, False, 60)
    monkeypatch.setenv("NO_COLOR", "1")
    assert printed() == (True, False, 60)


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


def test_work_of_unknown_length_gives_signs_of_life_where_nobody_draws() -> None:
    """A line now and then: none within two seconds of the last."""
    file = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        clock = iter([0.0, 1.0, 2.5, 2.5, 3.0])
        patch.setattr(pacing, "time", SimpleNamespace(monotonic=lambda: next(clock)))
        write = pacing.notes(file)
        for what in ("early", "later", "too soon"):
            write(what)
    assert file.getvalue() == "later\n"


def test_a_word_that_is_longer_than_a_line_stands_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A contract or a path is copied as it is; what stands around it is set in lines."""
    monkeypatch.setenv("COLUMNS", "80")
    contract = ",".join(f"key{number}=value" for number in range(12))
    say(f"Scored under {contract}: {'many words ' * 20}\nand a second line")
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["Scored under", f"{contract}:"]
    assert max(map(len, printed[2:])) <= 80
    assert printed[-1] == "and a second line"
