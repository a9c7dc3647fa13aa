"""Commands whose memory ends their process, prints, or is interrupted: real commands, each in its own process."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import needs_no_memory
from support.golden import GOOD

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MEMORY = """
import os, sys, time
from memgauge import open_system

class Memory:
    name, version = "home-made", "1"
    def __init__(self):
        self.inner = open_system("bm25")
        if END == "open": os._exit(0)
        if END == "sys.exit": sys.exit(0)
    def capabilities(self): return self.inner.capabilities()
    def ingest(self, *a, **k): return self.inner.ingest(*a, **k)
    def flush(self, *a, **k): return self.inner.flush(*a, **k)
    def dump(self, *a, **k): return self.inner.dump(*a, **k)
    def reset(self, *a, **k): return self.inner.reset(*a, **k)
    def search(self, *a, **k):
        if END == "exit": os._exit(0)
        if END == "crash": os.kill(os.getpid(), 11)
        if END == "kill the other": os.kill(os.getppid(), 9); time.sleep(30)
        if END == "print":
            print("\\x1b[31mfrom Python")
            os.write(1, "\\x1b[31mfrom below\\r\\n".encode())
            os.write(2, "\\x1b[31mto errors\\rhidden\\n".encode())
        if END == "wait":
            open("waits", "w").close()
            time.sleep(60)
        return self.inner.search(*a, **k)
"""


def _memory(folder: Path, end: str) -> None:
    (folder / "mine.py").write_text(MEMORY.replace("END", repr(end)), "utf-8")


def _command(words: str) -> list[str]:
    return [sys.executable, "-m", "memgauge", *words.split()]


def _ended(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(_command(words), cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("words", ["study erasure report mine:Memory", "systems card mine:Memory"])
@pytest.mark.parametrize(("end", "how"), [("exit", "exit status 0"), ("crash", "SIGSEGV")])
def test_a_memory_that_ends_the_process_of_a_command_fails_it(
    words: str, end: str, how: str, tmp_path: Path
) -> None:
    """Whatever status the process had, the command fails and says which command it was and how it ended."""
    _memory(tmp_path, end)
    done = _ended(words, tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"`memgauge {words}` was ended from within ({how})" in done.stderr
    assert "memgauge systems check" in done.stderr


def test_a_gate_counts_a_memory_that_ends_its_process(tmp_path: Path) -> None:
    """With one worker, too, each scenario that it ends is an error, and it is not let through."""
    _memory(tmp_path, "exit")
    (tmp_path / "one.memsuite.yaml").write_text(GOOD, "utf-8")
    done = _ended("study golden run -s mine:Memory --suite one.memsuite.yaml", tmp_path)
    assert done.returncode == 1
    assert "NOT let through" in done.stdout
    assert "the memory ended its process" in done.stdout


@pytest.mark.parametrize("end", ["open", "sys.exit"])
def test_a_memory_that_asks_for_the_end_when_it_is_opened_fails_the_command(end: str, tmp_path: Path) -> None:
    """`sys.exit(0)` of a memory is no success of the command that opens it."""
    _memory(tmp_path, end)
    done = _ended("systems card mine:Memory", tmp_path)
    assert done.returncode == 1
    assert "(exit status 0)" in done.stderr


def test_a_memory_cannot_end_the_one_that_watches_unnoticed(tmp_path: Path) -> None:
    """Who kills the watching process leaves no command that succeeded."""
    _memory(tmp_path, "kill the other")
    assert _ended("systems card mine:Memory", tmp_path).returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    "words", ["systems card mine:Memory --json", "run -d synthetic:tiny -s mine:Memory --json"]
)
def test_what_a_memory_prints_goes_aside_and_does_nothing(words: str, tmp_path: Path) -> None:
    """Data stays data, and a terminal is told what a memory printed without obeying it."""
    _memory(tmp_path, "print")
    done = _ended(words, tmp_path)
    json.loads(done.stdout)
    for line in ("\N{REPLACEMENT CHARACTER}[31mfrom Python", "\N{REPLACEMENT CHARACTER}[31mfrom below", "hidden"):
        assert line in done.stderr.split("\n")
    assert not {"\x1b", "\r"} & set(done.stderr)


def _waiting(folder: Path, words: str = "systems card mine:Memory") -> subprocess.Popen[bytes]:
    """Start a command whose memory does not return, and wait until it is called."""
    _memory(folder, "wait")
    command = _command(words)
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, start_new_session=True)
    until = time.monotonic() + 60
    while not (folder / "waits").exists() and time.monotonic() < until:
        time.sleep(0.02)
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_signals_reach_the_command(number: signal.Signals, code: int, tmp_path: Path) -> None:
    """An interrupted command says so with 130, and one that is terminated ended by that signal."""
    process = _waiting(tmp_path)
    process.send_signal(number)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == code
    assert (b"Interrupted" in complaint) is (number == signal.SIGINT)
    assert b"from within" not in complaint


@pytest.mark.parametrize("words", ["systems card mine:Memory", "study golden run -s mine:Memory --quick"])
def test_nothing_goes_on_after_the_one_that_watches(words: str, tmp_path: Path) -> None:
    """Where a command is killed, its memory is not played on, as nobody could tell anybody."""
    process = _waiting(tmp_path, words)
    process.kill()
    assert process.communicate(timeout=20)[1] == b""  # its errors have no writer left
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    pytest.fail("something of the killed command still runs")


def _on_a_terminal(words: str, folder: Path, keys: Mapping[str, bytes]) -> tuple[int, str]:
    """Run a command in front of a terminal of its own, and type the *keys* for which a file has appeared."""
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(folder)
        command = _command(words)
        os.execve(command[0], command, {**os.environ, "TERM": "xterm", "COLUMNS": "100"})  # noqa: S606 - our own program
    seen, left, until = b"", dict(keys), time.monotonic() + 120
    while time.monotonic() < until:
        for name in [name for name in left if (folder / name).exists()]:
            os.write(screen, left.pop(name))
        if select.select([screen], [], [], 0.05)[0]:
            try:
                seen += os.read(screen, 4096)
            except OSError:
                break  # how Linux says that nobody is left on the terminal
    os.close(screen)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode("utf-8", "replace")


def test_ctrl_c_on_a_terminal_interrupts_once(tmp_path: Path) -> None:
    """The terminal tells both processes, and the command is interrupted in one sentence."""
    _memory(tmp_path, "wait")
    code, seen = _on_a_terminal("systems card mine:Memory", tmp_path, {"waits": b"\x03"})
    assert code == 130
    assert seen.count("Interrupted") == 1
    assert "Traceback" not in seen


def test_progress_is_drawn_on_a_terminal(tmp_path: Path) -> None:
    """A run shows its bar and a coloured board where there is a terminal, and its memory's colours are dead."""
    _memory(tmp_path, "print")
    code, seen = _on_a_terminal("run -d synthetic:tiny -s mine:Memory", tmp_path, {})
    assert code == 0
    assert "2/2" in seen
    assert "\x1b[31mfrom" not in seen


def test_codes_of_commands_are_kept(tmp_path: Path) -> None:
    """What was asked wrong is 2, what failed is 1, what is well is 0, and help is help."""
    codes = {words: _ended(words, tmp_path).returncode for words in ("nonsense", "runs list nowhere", "measures")}
    assert codes == {"nonsense": 2, "runs list nowhere": 2, "measures": 2}
    assert _ended("results measures", tmp_path).returncode == 0


@pytest.mark.parametrize("shape", ["--json", "--plain"])
def test_a_reader_that_goes_changes_no_code(shape: str, tmp_path: Path) -> None:
    """`| head` ends a command quietly, with what it found out."""
    _memory(tmp_path, "exit")
    for words, code in (("results measures", 0), ("systems check mine:Memory", 1)):
        process = subprocess.Popen(
            _command(f"{words} {shape}"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.close()
        assert process.communicate(timeout=60)[1] == b""
        assert process.returncode == code


def test_a_command_without_outputs_ends_as_any_other(tmp_path: Path) -> None:
    """Where standard output and errors are closed, nothing takes their place."""
    shell = f"{sys.executable} -m memgauge results measures >&- 2>&-"
    assert subprocess.run(["sh", "-c", shell], cwd=tmp_path, check=False, timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("command", "is_quick"),
    [
        ([], True),
        (["--version"], True),
        (["study", "golden", "--help"], True),
        (["run", "-h"], True),
        (["systems", "card", "mine:Memory"], False),
        (["systems", "card", "mine:Memory", "--version"], False),
    ],
)
def test_help_needs_no_second_process(command: list[str], is_quick: bool) -> None:
    """Help and the version open no memory."""
    assert needs_no_memory(command) is is_quick
