"""claude-mem's worker: a program of Bun that serves one folder at a port of this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed, MissingExtraError
from memgauge.systems.adapters.kept import kept
from memgauge.systems.adapters.services import Service, ServiceNames
from memgauge.systems.mcp.hosting import find_program

if TYPE_CHECKING:
    from collections.abc import Mapping

READY_S, STOP_S, PAUSE_S = 90.0, 20.0, 0.05
SCRIPT = ("claude-mem", "plugin", "scripts", "worker-service.cjs")
SETTINGS = {
    "CLAUDE_MEM_WORKER_HOST": "127.0.0.1",
    "CLAUDE_MEM_CHROMA_ENABLED": "false",  # it would download a server of Chroma
    "CLAUDE_MEM_TRANSCRIPTS_ENABLED": "false",
    "CLAUDE_MEM_TELEMETRY": "0",
    "CLAUDE_MEM_MANAGED": "true",  # it is not to start another one in its place
    "DO_NOT_TRACK": "1",
}
_NAMES = ServiceNames("claude-mem", "CLAUDE_MEM_URL", "CLAUDE_MEM_KEY")


class BunWorker:
    """One worker over one folder, started and stopped."""

    def __init__(self, folder: Path) -> None:
        """Start the worker on *folder*, and wait until it answers.

        Raises:
            MissingExtraError: Bun or claude-mem is absent.
            CallFailed: It ends, or does not answer in time.
        """
        program = find_program("bun")
        script = next(
            (each.joinpath(*SCRIPT) for each in Path(program).parents if each.name == "node_modules"), None
        )
        if script is None or not script.is_file():
            raise MissingExtraError(
                "claude-mem is not installed here.", "Run `memgauge systems install claude-mem`."
            )
        self._folder, port = folder, _free_port()
        env = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TMPDIR": str(folder), **SETTINGS}
        env |= {"CLAUDE_MEM_DATA_DIR": str(folder), "CLAUDE_MEM_WORKER_PORT": str(port)}
        self._server: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - what npm installed
            kept([program, str(script), "--daemon"], "TERM"),
            env=env,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._service = Service(_NAMES, f"http://127.0.0.1:{port}")
        self._wait()

    def _wait(self) -> None:
        until, why = time.monotonic() + READY_S, "it ended"
        while self._server.poll() is None and time.monotonic() < until:
            try:
                self.ask("GET", "api/readiness")
            except CallFailed as error:
                why = str(error)
                time.sleep(PAUSE_S)
            else:
                return
        self.stop()
        raise CallFailed(f"the worker of claude-mem did not start: {why}")

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Send a request and return what comes.

        Raises:
            ServiceRefused: It is refused.
            CallFailed: The worker is gone.
        """
        return self._service.request(method, path, body, **query)

    def stop(self) -> None:
        """End the worker, with everything written; one that hangs is killed."""
        self._service.close()
        if self._server.stdin is not None:
            self._server.stdin.close()
        try:
            self._server.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()


def _free_port() -> int:
    """Name a port that nobody listens on now; a worker takes one by its number alone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
