"""Several processes serve from one socket: each is replaced when it dies, and none is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.web.processes import usual_jobs

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_S = 120.0


@contextmanager
def viewed(folder: Path, cache: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve a folder by the command, and yield its process and address; whatever is left of it is ended."""
    command = [sys.executable, "-m", "memgauge", "view", str(folder), "--port", "0", "--json", *options]
    environment = {**os.environ, "MEMGAUGE_CACHE": str(cache)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as server:
        try:
            assert server.stdout is not None
            printed = ""
            while "}" not in printed:
                printed += server.stdout.readline()
            yield server, json.loads(printed)["address"].replace("localhost", "127.0.0.1").rstrip("/")
        finally:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGKILL)


def take(address: str) -> bytes:
    """Fetch a page."""
    with urllib.request.urlopen(address, timeout=PATIENCE_S) as reply:  # noqa: S310 - our own server
        return bytes(reply.read())


def crew(pid: int) -> set[int]:
    """Return the processes that serve for a command, which is watched by the process that was started."""
    return {child for watched in _children(pid) for child in _children(watched) if "spawn_main" in _command(child)}


def _children(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()))


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode()
    except OSError:
        return ""


def alive(pids: set[int]) -> set[int]:
    """Return those that run; one that ended and was not waited for does not."""
    return {pid for pid in pids if _command(pid)}


def until(wanted: object, look: object) -> None:
    """Look until what is seen is what is wanted."""
    assert callable(look)
    end = time.monotonic() + PATIENCE_S
    while (seen := look()) != wanted and time.monotonic() < end:
        time.sleep(0.05)
    assert seen == wanted


@pytest.mark.slow
def test_pages_have_the_same_bytes_from_one_process_and_from_several(shelf: Path, tmp_path: Path) -> None:
    """Whoever answers, and whether it was kept."""
    with viewed(shelf / "runs", tmp_path / "a", "--jobs", "1") as (_, one):
        board = next(part for part in take(f"{one}/board").decode().split('"') if part.startswith("/board/"))
        pages = ["/", "/runs", "/board", board, f"{board}?as=svg&of=scores", f"{board}?as=json&of=leaderboard"]
        alone = [take(one + page) for page in pages]
    with viewed(shelf / "runs", tmp_path / "b", "--jobs", "3") as (_, several):
        for _ in range(4):
            assert [take(several + page) for page in pages] == alone


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_when_it_is_told_to_end(shelf: Path, tmp_path: Path, number: signal.Signals) -> None:
    """At Ctrl+C, which reaches all of them, and at SIGTERM, which reaches the first; without a traceback."""
    with viewed(shelf / "runs", tmp_path, "--jobs", "2") as (server, address):
        take(address)
        ours = crew(server.pid)
        assert len(ours) == 2
        if number == signal.SIGINT:
            os.killpg(server.pid, number)
        else:
            os.kill(server.pid, number)
        assert server.wait(timeout=30) in {0, 128 + number, -number}
        until(set(), lambda: alive(ours))
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()


def test_nothing_is_left_when_the_first_is_killed(shelf: Path, tmp_path: Path) -> None:
    """Nobody could tell the others: they see it themselves."""
    with viewed(shelf / "runs", tmp_path, "--jobs", "2") as (server, address):
        take(address)
        ours = crew(server.pid)
        server.kill()
        server.wait(timeout=30)
        until(set(), lambda: alive(ours))
        assert len(ours) == 2


def test_one_that_is_killed_is_replaced(shelf: Path, tmp_path: Path) -> None:
    """Pages go on, and there are as many as before."""
    with viewed(shelf / "runs", tmp_path, "--jobs", "2") as (server, address):
        page = take(address)
        ours = crew(server.pid)
        killed = min(ours)
        os.kill(killed, signal.SIGKILL)
        until(2, lambda: len(crew(server.pid) - {killed}))
        assert {take(address) for _ in range(8)} == {page}
        assert crew(server.pid) != ours


def test_nobody_else_is_listened_to(shelf: Path, tmp_path: Path) -> None:
    """The one socket is bound to this machine, and a foreign name is turned away by every process."""
    with viewed(shelf / "runs", tmp_path, "--jobs", "2") as (_, address):
        assert address.startswith("http://127.0.0.1:")
        port = int(address.rpartition(":")[2])
        listening = [
            fields[1]
            for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]
            if (fields := line.split())[3] == "0A" and fields[1].endswith(f":{port:04X}")
        ]
        assert listening == [f"0100007F:{port:04X}"]
        for _ in range(6):
            asked = urllib.request.Request(address, headers={"host": "evil.example"})  # noqa: S310 - the same
            with pytest.raises(urllib.error.HTTPError, match="421"):
                urllib.request.urlopen(asked, timeout=PATIENCE_S)  # noqa: S310 - the same


def test_the_usual_number_is_that_of_cores() -> None:
    """One a core, and four at most."""
    assert 1 <= usual_jobs() <= min(4, os.cpu_count() or 1)
