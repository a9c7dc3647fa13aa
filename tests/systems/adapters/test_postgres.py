"""A Postgres that a product brings: it is started, stopped and waited for; a script plays it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memgauge.errors import CallFailed, MissingExtraError
from memgauge.systems.adapters import postgres
from memgauge.systems.adapters.postgres import Postgres, make_cluster
from support.postgres import write_programs


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """Write a server that can be started, and a cluster."""
    (tmp_path / "store" / "data").mkdir(parents=True)
    return write_programs(tmp_path)


def test_a_server_is_started_and_ends_with_everything_written(programs: Path) -> None:
    """It is asked to, and its socket's folder goes."""
    data = programs / "store" / "data"
    server = Postgres(programs, data)
    folder = server.start().partition("host=")[2]
    assert (data / "postmaster.pid").is_file()
    assert Path(folder).is_dir()
    server.stop()
    assert not (data / "postmaster.pid").exists()
    assert not Path(folder).is_dir()
    server.stop()


def test_a_server_that_hangs_is_told_to_go(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, and without writing anything more."""
    data = programs / "store" / "data"
    (data / "stubborn").touch()
    monkeypatch.setattr(postgres, "STOP_S", 0.1)
    server = Postgres(programs, data)
    server.start()
    server.stop()
    assert not (data / "postmaster.pid").exists()


def test_what_a_server_said_that_did_not_start_is_said(programs: Path) -> None:
    """Its own last words."""
    (programs / "store" / "data" / "broken").write_text("no such locale", encoding="utf-8")
    with pytest.raises(CallFailed, match="did not start: FATAL: no such locale"):
        Postgres(programs, programs / "store" / "data").start()


def test_a_server_does_not_outlive_a_process_that_is_killed(programs: Path) -> None:
    """Whoever started it need not be able to stop it."""
    data = programs / "store" / "data"
    ended = subprocess.run([sys.executable, "-c", _killed_owner(programs, data)], check=False)
    assert ended.returncode == -signal.SIGKILL
    until = time.monotonic() + 30
    while (data / "postmaster.pid").exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not (data / "postmaster.pid").exists()


def test_a_server_that_is_still_ending_is_waited_for(programs: Path) -> None:
    """Of a process that was killed: it holds the cluster, and its file says that it is ready."""
    data = programs / "store" / "data"
    (data / "slow").touch()
    ended = subprocess.run([sys.executable, "-c", _killed_owner(programs, data)], check=False)
    assert ended.returncode == -signal.SIGKILL
    before = (data / "postmaster.pid").read_text(encoding="utf-8")
    server = Postgres(programs, data)
    server.start()
    assert (data / "postmaster.pid").read_text(encoding="utf-8") != before
    server.stop()


def test_a_socket_stays_where_its_address_is_kept(programs: Path, tmp_path: Path) -> None:
    """And a server that runs is not started again."""
    (tmp_path / "socket").mkdir()
    server = Postgres(programs, programs / "store" / "data", str(tmp_path / "socket"))
    addresses = {server.start(), server.start()}
    server.stop()
    addresses.add(server.start())
    server.stop()
    assert addresses == {f"postgresql://postgres:{postgres.PASSWORD}@/postgres?host={tmp_path / 'socket'}"}
    assert (tmp_path / "socket").is_dir()


def test_a_cluster_is_made(programs: Path) -> None:
    """Or why not is said."""
    make_cluster(programs, programs / "store" / "other")
    assert (programs / "store" / "other").is_dir()
    (programs / "store" / "full").touch()
    with pytest.raises(CallFailed, match="initdb failed: FATAL: no space left"):
        make_cluster(programs, programs / "store" / "third")


def test_root_runs_it_as_nobody_where_it_can(monkeypatch: pytest.MonkeyPatch, programs: Path) -> None:
    """Others run it as themselves; without `unshare` root is told what to install."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(MissingExtraError, match="no unshare"):
        Postgres(programs, programs / "store" / "data").start()


def _killed_owner(programs: Path, data: Path) -> str:
    """Return a program that starts a server and is killed."""
    return f"""
import os
from pathlib import Path
from memgauge.systems.adapters.postgres import Postgres
Postgres(Path({str(programs)!r}), Path({str(data)!r})).start()
os.kill(os.getpid(), 9)
"""
