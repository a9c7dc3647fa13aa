"""Processes that work for another one do not outlive it, and leave what is said of its end to it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.workers import worker_pool

if TYPE_CHECKING:
    from concurrent.futures import Future

SOURCE = Path(__file__).parents[1] / "src" / "memgauge"
PATIENCE_S = 60.0
WORKING = """
import multiprocessing, time
from memgauge.workers import worker_pool

if __name__ == "__main__":
    with worker_pool(2) as pool:
        sleeping = [pool.submit(time.sleep, 600) for _ in range(2)]
        print(*(process.pid for process in multiprocessing.active_children()), flush=True)
        sleeping[0].result()
"""


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_process_that_they_work_for(tmp_path: Path, ending: signal.Signals) -> None:
    """However it ends, nobody goes on working for nobody; Ctrl-C, which all of them hear, is its to speak of."""
    script = tmp_path / "working.py"
    script.write_text(WORKING)
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as command:
        assert command.stdout is not None
        workers = set(map(int, command.stdout.readline().split()))
        assert len(workers) == len(_living(workers)) == 2
        if ending == signal.SIGINT:
            _wait_until_sleeping(workers)
            os.killpg(command.pid, ending)
        else:
            command.send_signal(ending)
        _, complaints = command.communicate(timeout=PATIENCE_S)
    until = time.monotonic() + PATIENCE_S
    while (left := _living(workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
    assert complaints.count("Traceback") == (ending == signal.SIGINT)


def test_work_that_is_broken_off_is_not_waited_for() -> None:
    """An error of this process ends the others at once, whatever they are at."""
    begun: list[Future[None]] = []
    with pytest.raises(ValueError, match="broken off"):
        _break_off(begun)
    with pytest.raises(BrokenProcessPool):
        begun[0].result(timeout=0)


def test_work_that_is_not_broken_off_is_done() -> None:
    """The end of the block waits for what was begun."""
    with worker_pool(1) as pool:
        done = [pool.submit(pow, 2, exponent) for exponent in range(8)]
    assert [each.result(timeout=0) for each in done] == [2**exponent for exponent in range(8)]


def test_there_is_one_pool() -> None:
    """Whoever starts workers of their own leaves them behind."""
    pools = [path.name for path in SOURCE.rglob("*.py") if "ProcessPoolExecutor(" in path.read_text("utf-8")]
    assert pools == ["workers.py"]


def _break_off(begun: list[Future[None]]) -> None:
    with worker_pool(1) as pool:
        begun.append(pool.submit(time.sleep, 600))
        raise ValueError("broken off")


def _living(pids: set[int]) -> set[int]:
    return {pid for pid in pids if _state(pid) not in {"", "Z", "X"}}


def _state(pid: int) -> str:
    """Return the letter of a process's state; nothing where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _wait_until_sleeping(pids: set[int]) -> None:
    """Wait until workers have imported what they need: a signal that comes before finds Python as it is."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and not all(_is_begun(pid) for pid in pids):
        time.sleep(0.05)


def _is_begun(pid: int) -> bool:
    """Whether a process ignores Ctrl-C by now."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    ignored = int(re.findall(r"^SigIgn:\s*(\w+)", status, re.MULTILINE)[0], 16)
    return bool(ignored >> (signal.SIGINT - 1) & 1)
