"""The Postgres that Hindsight brings (pg0), one server a store, on a socket of its own and no port.

pg0 unpacks programs and makes a first cluster. From then on the programs are called without it: it knows no
socket, and a cluster that was made once is copied faster than it is made. Postgres refuses to run as root; there
it runs in a namespace of users where it is nobody, and its files stay root's.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from memgauge.errors import CallFailed, MissingExtraError
from memgauge.systems.adapters.kept import kept

if TYPE_CHECKING:
    from pathlib import Path

NOT_ROOT = ("unshare", "--user")
"""Puts a program where its user has no name: root without its rights may do that, and may not become anybody."""
READY_S, STOP_S, PAUSE_S = 60.0, 30.0, 0.02
PASSWORD = "memgauge"  # noqa: S105 - of a server that nobody else can reach


class Postgres:
    """One cluster, started and stopped."""

    def __init__(self, programs: Path, data: Path) -> None:
        """Take the cluster at *data*, which is not started yet."""
        self._programs, self._data = programs, data
        self._log = data.parent / "server.log"
        self._status = data / "postmaster.pid"
        """Its first line is the number of the server's process, its last how far it is."""
        self._server: subprocess.Popen[bytes] | None = None
        self._socket = ""

    def start(self) -> str:
        """Start the server, and return its address.

        Raises:
            CallFailed: It ends, or does not answer in time.
        """
        self._socket = mkdtemp(prefix="memgauge-pg-")
        command = [str(self._programs / "bin" / "postgres"), "-D", str(self._data), "-k", self._socket, "-h", ""]
        with self._log.open("ab") as log:
            self._server = subprocess.Popen(  # noqa: S603 - what pg0 unpacked
                kept(_as_somebody(command), "INT"),
                env=_with(self._programs),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )
        self._wait()
        return f"postgresql://postgres:{PASSWORD}@/postgres?host={self._socket}"

    def _wait(self) -> None:
        until = time.monotonic() + READY_S
        while self._server is not None and self._server.poll() is None and time.monotonic() < until:
            with suppress(OSError):
                if self._status.read_text(encoding="utf-8").rstrip().endswith("ready"):
                    return
            time.sleep(PAUSE_S)
        last_words = self._log.read_text(encoding="utf-8", errors="replace").strip()[-300:]
        self.stop()
        raise CallFailed(f"Postgres of Hindsight did not start: {last_words or 'it says nothing'}")

    def stop(self) -> None:
        """End the server, with everything written; one that hangs is killed."""
        server, self._server = self._server, None
        if server is not None and server.stdin is not None:
            server.stdin.close()
            try:
                server.wait(STOP_S)
            except subprocess.TimeoutExpired:
                with suppress(OSError, ValueError, IndexError):
                    os.kill(int(self._status.read_text(encoding="utf-8").split()[0]), signal.SIGQUIT)
                server.wait()
        shutil.rmtree(self._socket, ignore_errors=True)


def unpacked(pg0: Path, folder: Path) -> tuple[Path, Path]:
    """Let pg0 unpack Postgres into *folder* and make an empty cluster; return its programs and the cluster.

    Raises:
        CallFailed: pg0 fails, and says why.
    """
    data = folder / "data"
    own = {**os.environ, "HOME": str(folder)}
    for arguments in (["start", "--data-dir", str(data), "--password", PASSWORD], ["stop"]):
        command = _as_somebody([str(pg0), arguments[0], "--name", "memgauge", *arguments[1:]])
        ended = subprocess.run(  # noqa: S603 - the program of an installed package
            command, env=own, capture_output=True, text=True, check=False
        )
        if ended.returncode:
            raise CallFailed(f"pg0 {arguments[0]} failed: {(ended.stderr or ended.stdout).strip()[-300:]}")
    (programs,) = (folder / ".pg0" / "installation").iterdir()
    return programs, data


def _as_somebody(command: list[str]) -> list[str]:
    """Put a command where it is not root, if it would be.

    Raises:
        MissingExtraError: Nothing here can do that.
    """
    if os.geteuid():
        return command
    if shutil.which(NOT_ROOT[0]) is None:
        what = "Postgres does not run as root, and there is no unshare on the path."
        raise MissingExtraError(what, "Install util-linux, or run memgauge as another user.")
    return [*NOT_ROOT, *command]


def _with(programs: Path) -> dict[str, str]:
    """Return an environment in which the programs find their libraries."""
    return {**os.environ, "LD_LIBRARY_PATH": str(programs / "lib")}
