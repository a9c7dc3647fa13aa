"""The few files that a sandbox is made of: a folder for the agent, an `/etc` of its own, a socket, a script."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import memgauge
from memgauge.errors import ConfigError
from memgauge.studies.track.sandbox import groups, inside, supervisor
from memgauge.studies.track.sandbox.removal import remove
from memgauge.studies.track.sandbox.running import SandboxLimits
from memgauge.studies.track.sandbox.stores import mounted

if TYPE_CHECKING:
    from collections.abc import Iterable

STAND_INS = range(64_055, 64_955)
"""Users that sandboxes started by root run as: each owns nothing and has a room to itself. Root has no limits."""
PREFIX = "memgauge-room-"
_YOUNG_S = 60
"""A room without a lock is left alone for so long: its owner may be about to take it."""
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
    lock: int = -1
    """An open file that is locked as long as its owner lives."""
    bounded: bool = False
    """Whether the kernel bounds what the agent stores; else it is watched."""

    @classmethod
    def open(cls, limits: SandboxLimits | None = None) -> Room:
        """Make a room where the user of the sandbox can reach it, and remove those whose owners were killed.

        Raises:
            ConfigError: There is no such place.
        """
        place = _reachable()
        sweep(place)
        user = _stand_in(place) if os.geteuid() == 0 else None
        top = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        top.chmod(0o711)
        lock = os.open(top / "locking", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        (top / "locking").rename(top / "lock")  # so that nobody finds it before it is locked
        room = cls(top, user, lock)
        _LIVING[top] = room
        room._furnish()
        return room._bounded(limits or SandboxLimits())

    def _furnish(self) -> None:
        for folder in (self.workspace, self.etc, self.etc / "alternatives", self.git, self.scratch):
            folder.mkdir()
            folder.chmod(0o755)
        for name, content in _ETC.items():
            (self.etc / name).write_text(content, encoding="ascii")
            (self.etc / name).chmod(0o644)
        for module, copy in ((inside, self.script), (supervisor, self.supervisor)):
            shutil.copyfile(str(module.__file__), copy)
            copy.chmod(0o644)

    def _bounded(self, limits: SandboxLimits) -> Room:
        """Give the agent's folders to it, as file systems of their own where that is allowed."""
        sizes = {self.workspace: (limits.stored, limits.files), self.scratch: (limits.scratch, limits.files)}
        mounts = [mounted(place, *size) for place, size in sizes.items()]
        for folder in sizes if self.user is not None else ():
            os.chown(folder, self.user or 0, self.user or 0)
        room = replace(self, bounded=all(mounts))
        _LIVING[self.top] = room
        return room

    def open_up(self) -> None:
        """Let the agent into its own folders again, whatever it did to them."""
        for folder in (self.workspace, self.scratch):
            if (mode := folder.stat().st_mode) & 0o700 != 0o700:
                folder.chmod(mode | 0o700)

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
        """Remove everything, whatever the agent made of it; what cannot be is named, and nothing raised."""
        if _LIVING.pop(self.top, None) is None and not self.top.exists():
            return
        remains = remove(self.top)
        with contextlib.suppress(OSError):
            os.close(self.lock)
        if remains:
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write(f"memgauge: {remains}. Remove it by hand.\n")


_LIVING: dict[Path, Room] = {}
"""Rooms of this process."""


def close_all() -> None:
    """Remove every room of this process: it is about to end."""
    for room in tuple(_LIVING.values()):
        room.close()


def sweep(place: str) -> None:
    """Remove the rooms in a folder whose owners ended without doing so; those of the living are locked."""
    groups.sweep()
    for top in _ours(Path(place).glob(f"{PREFIX}*")):
        lock = -1
        with contextlib.suppress(OSError):
            lock = os.open(top / "lock", os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(top)
        if lock >= 0:
            os.close(lock)
        elif _age(top) > _YOUNG_S:
            remove(top)


def _ours(places: Iterable[Path]) -> list[Path]:
    """Return the folders that are of this user, and rooms of no living owner in this process."""
    own_rooms = []
    for place in places:
        with contextlib.suppress(OSError):
            status = place.lstat()
            if (
                status.st_uid == os.geteuid()
                and place.is_dir()
                and not place.is_symlink()
                and place not in _LIVING
            ):
                own_rooms.append(place)
    return own_rooms


def _age(place: Path) -> float:
    with contextlib.suppress(OSError):
        return time.time() - place.lstat().st_mtime
    return 0.0


def hidden() -> tuple[Path, ...]:
    """Return folders that no sandbox may show although they can lie below `/usr`: whatever holds this package."""
    places = {Path("/usr/local"), Path(memgauge.__file__).resolve().parent, Path(sys.prefix).resolve()}
    return tuple(sorted(place for place in places if place != Path("/usr")))


def _stand_in(place: str) -> int:
    """Choose a user for a room: at random among those of no other room and no process."""
    taken_users = set()
    for owned_place in (*Path("/proc").glob("[0-9]*"), *Path(place).glob(f"{PREFIX}*/agent")):
        with contextlib.suppress(OSError):
            taken_users.add(owned_place.lstat().st_uid)
    free_users = [user for user in STAND_INS if user not in taken_users]
    return secrets.choice(free_users or STAND_INS)


def _reachable() -> str:
    """Return a folder for temporary files that whoever a sandbox runs as can pass through."""
    foreign = os.geteuid() == 0
    candidates = [tempfile.gettempdir(), "/tmp", "/var/tmp"]  # noqa: S108 - a private folder is made in it
    for candidate in candidates:
        path = Path(candidate).resolve()
        if path.is_dir() and (not foreign or all(part.stat().st_mode & 0o001 for part in (path, *path.parents))):
            return str(path)
    raise ConfigError(
        "No temporary folder can be reached by the user that a sandbox runs as.",
        "Set TMPDIR to a folder that others may pass through.",
    )
