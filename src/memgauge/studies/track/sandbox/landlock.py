"""The sandbox where namespaces are forbidden: Landlock for files and signals, a call filter against sockets.

It is weaker than bubblewrap: that a file exists can be found out by who knows its name, `/proc` is closed, so that
`ps` does not work, and the agent sees its folder under the path that it has on this machine. Git's address leads
to the folder of repositories by a rule of Git's own, since no socket can be opened.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.studies.track.sandbox import supervisor
from memgauge.studies.track.sandbox.python import python
from memgauge.studies.track.sandbox.room import hidden
from memgauge.studies.track.sandbox.running import Launch
from memgauge.studies.track.sandbox.sandbox import Walls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.studies.track.sandbox.room import Room
    from memgauge.studies.track.sandbox.running import SandboxLimits

_GIT = "http://git.local:3000/"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")


class Landlock(Walls):
    """Runs what is asked as a process of this machine, behind walls or, as :class:`Unwalled`, without."""

    kind = "landlock"
    walls = True

    @classmethod
    def problem(cls, _: Room) -> str:
        """Ask the kernel for its version."""
        version = supervisor.abi()
        if version >= supervisor.NEEDED_ABI:
            return ""
        have = f"it has version {version}" if version else "it has none, or not on this kind of machine"
        return f"the kernel's Landlock has to be version {supervisor.NEEDED_ABI} or newer (Linux 6.12); {have}"

    def request(self, limits: SandboxLimits) -> dict[str, object]:
        """Return what the script inside has to know; processes of the same user count, whoever started them."""
        bounds = replace(limits, processes=limits.processes + _tasks_of(self._room.user))
        return {"limits": bounds.inside(), "git": None}

    def launch(self) -> Launch:
        """Say how it is entered."""
        room, interpreter = self._room, python()
        executable = interpreter.command if not interpreter.shown else str(interpreter.shown[0][0])
        job = {
            "walls": self.walls,
            "folder": str(room.workspace),
            "command": [executable, "-I", str(room.script)],
            "environment": self._environment(),
            "read": [
                *visible(map(Path, _SYSTEM), hidden()),
                *(str(source) for source, _ in interpreter.shown),
                *map(str, (room.etc, room.git, room.script)),
            ],
            "write": [str(room.workspace), str(room.scratch)],
            "devices": _DEVICES,
        }
        command = [executable, "-I", str(room.supervisor), "{arguments}"]
        return Launch(command, user=room.user, arguments=json.dumps(job).encode())

    def _environment(self) -> dict[str, str]:
        room = self._room
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(room.workspace),
            "TMPDIR": str(room.scratch),
            "LANG": "C.UTF-8",
            "USER": "agent",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(room.etc / "gitconfig"),
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": f"url.file://{room.git}/.insteadOf",
            "GIT_CONFIG_VALUE_0": f"{_GIT}pgym/",
            "GIT_CONFIG_KEY_1": "url.read-only://.pushInsteadOf",
            "GIT_CONFIG_VALUE_1": _GIT,
            "MALLOC_ARENA_MAX": "2",  # address space is limited, and every arena takes 64 MB of it
        }


class Unwalled(Landlock):
    """No sandbox: the agent can read and send whatever the user can; for agents that one trusts like oneself."""

    kind = "none"
    walls = False


def visible(roots: Iterable[Path], hidden_: Iterable[Path]) -> Iterator[str]:
    """Yield folders that together show all of *roots* but nothing of *hidden_*: rules only add."""
    hidden_folders = tuple(hidden_)
    for root in roots:
        if root.is_symlink() or not root.exists() or root in hidden_folders:
            continue
        if any(folder.is_relative_to(root) for folder in hidden_folders):
            yield from visible(sorted(root.iterdir()), hidden_folders)
        else:
            yield str(root)


def _tasks_of(user: int | None) -> int:
    """Count the processes and threads that a user has."""
    uid = os.geteuid() if user is None else user
    tasks = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.stat().st_uid == uid:
                tasks += len(list((process / "task").iterdir()))
        except OSError:  # it has ended meanwhile
            continue
    return tasks
