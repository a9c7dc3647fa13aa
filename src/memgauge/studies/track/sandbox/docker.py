"""The sandbox on machines without Linux' own means: a container without network, whose image has git and python3.

It has not been run by the authors against an engine; its command line is tested, the container is not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from memgauge.studies.track.sandbox.running import Launch
from memgauge.studies.track.sandbox.sandbox import SCRIPT, SOCKET, WORKSPACE, Walls

if TYPE_CHECKING:
    from memgauge.studies.track.sandbox.room import Room

_IMAGE = "python:3.12-bookworm"
_PATIENCE_S = 10


class Docker(Walls):
    """Runs what is asked in a container of its own."""

    kind = "docker"

    @classmethod
    def problem(cls, _: Room) -> str:
        """Ask the engine for its version."""
        binary = shutil.which("docker")
        if binary is None:
            return "docker is not installed"
        try:
            completed = subprocess.run(  # noqa: S603 - the docker client, without a shell
                [binary, "info", "--format", "{{.ServerVersion}}"],
                capture_output=True,
                text=True,
                timeout=_PATIENCE_S,
                env=client_environment(),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"the docker engine does not answer within {_PATIENCE_S} s"
        if completed.returncode == 0 and completed.stdout.strip():
            return ""
        return f"no docker engine answers ({(completed.stderr or completed.stdout).strip().splitlines()[0]})"

    def launch(self) -> Launch:
        """Say how the container is entered; a client that is killed leaves it to `timeout` inside to end it."""
        room, limits = self._room, self._limits
        owner = room.user if room.user is not None else os.geteuid()
        mounts = [(room.script, SCRIPT), (room.etc / "gitconfig", "/etc/gitconfig")]
        mounts += [(room.socket, SOCKET)] if room.socket.exists() else []
        return Launch(
            [
                *(shutil.which("docker") or "docker", "run", "--rm", "--interactive", "--init"),
                *("--network", "none", "--read-only", "--cap-drop", "ALL", "--hostname", "sandbox"),
                *("--security-opt", "no-new-privileges", "--user", f"{owner}:{owner}"),
                *("--pids-limit", str(limits.processes), "--memory", str(limits.memory)),
                *("--tmpfs", f"/tmp:size={limits.scratch}"),  # noqa: S108 - the container's own
                *("--add-host", "git.local:127.0.0.1"),
                *("--volume", f"{room.workspace}:{WORKSPACE}", "--workdir", WORKSPACE),
                *(part for source, place in mounts for part in ("--volume", f"{source}:{place}:ro")),
                *("--env", f"HOME={WORKSPACE}", "--env", "LANG=C.UTF-8", "--env", "GIT_TERMINAL_PROMPT=0"),
                *(_IMAGE, "timeout", "--signal", "KILL", f"{limits.wall_s:g}", "python3", "-I", SCRIPT),
            ],
            environment=client_environment(),
        )


def client_environment() -> dict[str, str]:
    """Return what the docker client needs to find its engine."""
    return {
        name: value for name, value in os.environ.items() if name in {"HOME", "PATH"} or name.startswith("DOCKER_")
    }
