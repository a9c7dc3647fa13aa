"""The few files that a sandbox is made of: a folder for the agent, an `/etc` of its own, a socket, a script."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import memgauge
from memgauge.errors import ConfigError
from memgauge.studies.track.sandbox import inside, supervisor

STAND_IN = 64_055
"""The user that a sandbox started by root runs as: one that owns nothing, since root has no limit of processes."""
_ETC = {
    "passwd": "root:x:0:0:root:/:/usr/sbin/nologin\nagent:x:1000:1000:agent:/agent:/bin/bash\n",
    "group": "root:x:0:\nagent:x:1000:\n",
    "hosts": "127.0.0.1 localhost git.local sandbox\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "gitconfig": (
        "[user]\n\tname = CodeAgent\n\temail = agent@git.local\n[safe]\n\tdirectory = *\n"
        "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n[core]\n\tpager = cat\n"
        "[pack]\n\tthreads = 1\n[index]\n\tthreads = 1\n"
    ),
}


@dataclass(frozen=True)
class Room:
    """What one agent's sandbox has of its own; it is removed when the agent is done."""

    top: Path
    user: int | None
    """Who commands run as, where that is somebody else than us."""

    @classmethod
    def open(cls) -> Room:
        """Make a room where the user of the sandbox can reach it.

        Raises:
            ConfigError: There is no such place.
        """
        user = STAND_IN if os.geteuid() == 0 else None
        top = Path(tempfile.mkdtemp(prefix="memgauge-", dir=_reachable(user)))
        room = cls(top, user)
        top.chmod(0o711)
        for folder in (room.workspace, room.etc, room.etc / "alternatives", room.git, room.scratch):
            folder.mkdir()
            folder.chmod(0o755)
        for name, content in _ETC.items():
            (room.etc / name).write_text(content, encoding="ascii")
            (room.etc / name).chmod(0o644)
        for module, copy in ((inside, room.script), (supervisor, room.supervisor)):
            shutil.copyfile(str(module.__file__), copy)
            copy.chmod(0o644)
        if user is not None:
            for folder in (room.workspace, room.scratch):
                os.chown(folder, user, user)
        return room

    @property
    def workspace(self) -> Path:
        """Return the agent's folder, `/agent` inside."""
        return self.top / "agent"

    @property
    def etc(self) -> Path:
        """Return the sandbox's `/etc`."""
        return self.top / "etc"

    @property
    def git(self) -> Path:
        """Return the folder of bare repositories that a host serves."""
        return self.top / "git"

    @property
    def socket(self) -> Path:
        """Return where the Git host listens."""
        return self.top / "git.sock"

    @property
    def scratch(self) -> Path:
        """Return a folder for temporary files, for sandboxes that cannot make one."""
        return self.top / "scratch"

    @property
    def script(self) -> Path:
        """Return the copy of the script that runs inside."""
        return self.top / "inside.py"

    @property
    def supervisor(self) -> Path:
        """Return the copy of the script that stands in for namespaces."""
        return self.top / "supervisor.py"

    def close(self) -> None:
        """Remove everything, folders that the agent locked included; no link is followed."""
        for folder, folders, _ in os.walk(self.top):
            for name in folders:
                path = Path(folder, name)
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(self.top)


def hidden() -> tuple[Path, ...]:
    """Return folders that no sandbox may show although they can lie below `/usr`: whatever holds this package."""
    places = {Path("/usr/local"), Path(memgauge.__file__).resolve().parent, Path(sys.prefix).resolve()}
    return tuple(sorted(place for place in places if place != Path("/usr")))


def _reachable(user: int | None) -> str:
    """Return a folder for temporary files that *user* can pass through."""
    candidates = [tempfile.gettempdir(), "/tmp", "/var/tmp"]  # noqa: S108 - a private folder is made in it
    for candidate in candidates:
        path = Path(candidate).resolve()
        if path.is_dir() and (user is None or all(part.stat().st_mode & 0o001 for part in (path, *path.parents))):
            return str(path)
    raise ConfigError(
        f"No temporary folder can be reached by user {user}.",
        "Set TMPDIR to a folder that others may pass through.",
    )
