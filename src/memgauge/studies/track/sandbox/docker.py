"""The sandbox on machines without Linux' own means: a container without network, whose image has git and python3.

It has not been run by the authors against an engine; its command line is tested, the container is not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from memgauge.studies.track.sandbox.running import Launch

if TYPE_CHECKING:
    from memgauge.studies.track.sandbox.limits import SandboxLimits
    from memgauge.studies.track.sandbox.room import Room

IMAGE = "python:3.12-bookworm"
WORKSPACE = "/agent"
_SOCKET = "/run/git.sock"
_SCRIPT = "/run/inside.py"
_PATIENCE_S = 10


class Docker:
    """Runs what is asked in a container of its own."""

    kind = "docker"
    workspace = WORKSPACE

    def __init__(self, room: Room, limits: SandboxLimits, image: str = IMAGE) -> None:
        self._room = room
        self._limits = limits
        self._image = image

    def request(self, limits: SandboxLimits) -> dict[str, object]:
        """Return what the script inside has to know of this sandbox."""
        served = self._room.socket.exists()
        return {"limits": limits.inside(), "git": _SOCKET if served else None, "port": 3000}

    def launch(self) -> Launch:
        """Say how the container is entered; a client that is killed leaves it to `timeout` inside to end it."""
        room, limits = self._room, self._limits
        owner = room.user if room.user is not None else os.geteuid()
        shown = [(room.script, _SCRIPT), (room.etc / "gitconfig", "/etc/gitconfig")]
        shown += [(room.socket, _SOCKET)] if room.socket.exists() else []
        return Launch(
            [
                *(shutil.which("docker") or "docker", "run", "--rm", "--interactive", "--init"),
                *("--network", "none", "--read-only", "--cap-drop", "ALL", "--hostname", "sandbox"),
                *("--security-opt", "no-new-privileges", "--user", f"{owner}:{owner}"),
                *("--pids-limit", str(limits.processes), "--memory", str(limits.memory)),
                *("--tmpfs", f"/tmp:size={limits.scratch}"),  # noqa: S108 - the container's own
                *("--add-host", "git.local:127.0.0.1"),
                *("--volume", f"{room.workspace}:{WORKSPACE}", "--workdir", WORKSPACE),
                *(part for source, place in shown for part in ("--volume", f"{source}:{place}:ro")),
                *("--env", f"HOME={WORKSPACE}", "--env", "LANG=C.UTF-8", "--env", "GIT_TERMINAL_PROMPT=0"),
                *(self._image, "timeout", "--signal", "KILL", f"{limits.wall_s:g}", "python3", "-I", _SCRIPT),
            ],
            environment=client_environment(),
        )


def client_environment() -> dict[str, str]:
    """Return what the docker client needs to find its engine."""
    return {
        name: value for name, value in os.environ.items() if name in {"HOME", "PATH"} or name.startswith("DOCKER_")
    }


def problem() -> str:
    """Say why docker cannot be used here; empty where it can."""
    binary = shutil.which("docker")
    if binary is None:
        return "docker is not installed"
    try:
        done = subprocess.run(  # noqa: S603 - the docker client, without a shell
            [binary, "info", "--format", "{{.ServerVersion}}"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            env=client_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"the docker engine does not answer within {_PATIENCE_S} s"
    if done.returncode == 0 and done.stdout.strip():
        return ""
    return f"no docker engine answers ({(done.stderr or done.stdout).strip().splitlines()[0]})"
