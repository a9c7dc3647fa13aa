"""The Postgres that a product brings, one server a store, on a socket and no port.

It refuses to run as root; there it runs in a namespace of users where it is nobody, and its files stay root's.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from memgauge.errors import CallFailed, MissingExtraError
from memgauge.systems.adapters.kept import kept

NOT_ROOT = ("unshare", "--user")
"""Puts a program where its user has no name: root without its rights may do that, and may not become anybody."""
READY_S, STOP_S, PAUSE_S = 60.0, 30.0, 0.02
PASSWORD = "memgauge"  # noqa: S105 - of a server that nobody else can reach


class Postgres:
    """One cluster, started and stopped."""

    def __init__(self, programs: Path, data: Path, socket: str = "") -> None:
        """Take a cluster, which is not started yet.

        ``bin/postgres`` lies in *programs*, with its ``lib``. *socket* is a folder for who keeps its address; else
        it has one while it runs.
        """
        self._programs, self._data = programs, data
        self._kept_socket = socket
        self._log = data.parent / "server.log"
        self._status = data / "postmaster.pid"
        """Its first line is the number of the server's process, its last how far it is."""
        self._server: subprocess.Popen[bytes] | None = None
        self._socket = ""

    def start(self) -> str:
        """Start the server if it does not run, and return its address.

        Raises:
            CallFailed: It ends, or does not answer in time.
        """
        if self._server is None:
            self._outwait()
            self._socket = self._kept_socket or mkdtemp(prefix="memgauge-pg-")
            self._begin()
            self._wait()
        return f"postgresql://postgres:{PASSWORD}@/postgres?host={self._socket}"

    def _outwait(self) -> None:
        """Let the server of a process that was killed end: until then it has the cluster, and is called ready."""
        until = time.monotonic() + STOP_S
        while self._is_served() and time.monotonic() < until:
            time.sleep(PAUSE_S)

    def _is_served(self) -> bool:
        try:
            number = self._status.read_text(encoding="utf-8").partition("\n")[0]
            command = Path("/proc", number, "cmdline").read_bytes()
        except OSError:
            return False
        return os.fsencode(self._data) in command.split(b"\0")

    def _begin(self) -> None:
        command = [str(self._programs / "bin" / "postgres"), "-D", str(self._data), "-k", self._socket, "-h", ""]
        with self._log.open("ab") as log:
            self._server = subprocess.Popen(  # noqa: S603 - what a product brought
                kept(as_somebody(command), "INT"),
                env=_with(self._programs),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )

    def _wait(self) -> None:
        until = time.monotonic() + READY_S
        while self._server is not None and self._server.poll() is None and time.monotonic() < until:
            with suppress(OSError):
                if self._status.read_text(encoding="utf-8").rstrip().endswith("ready"):
                    return
            time.sleep(PAUSE_S)
        last_words = self._log.read_text(encoding="utf-8", errors="replace").strip()[-300:]
        self.stop()
        raise CallFailed(f"Postgres did not start: {last_words or 'it says nothing'}")

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
        if not self._kept_socket:
            shutil.rmtree(self._socket, ignore_errors=True)


def make_cluster(programs: Path, data: Path) -> None:
    """Make an empty cluster, whose one user needs no password.

    Raises:
        CallFailed: It cannot be made.
    """
    how = ("--auth=trust", "--encoding=utf8", "--username=postgres")
    command = as_somebody([str(programs / "bin" / "initdb"), *how, "-D", str(data)])
    ended = subprocess.run(  # noqa: S603 - what a product brought
        command, env=_with(programs), capture_output=True, text=True, check=False
    )
    if ended.returncode:
        raise CallFailed(f"initdb failed: {(ended.stderr or ended.stdout).strip()[-300:]}")


def as_somebody(command: list[str]) -> list[str]:
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
