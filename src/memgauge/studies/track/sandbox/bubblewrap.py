"""The default sandbox: bubblewrap, with namespaces of its own for users, files, processes and network.

What each flag is for was found by attacking a sandbox without it: `docs/track-sandbox.md` tells, and the tests
repeat it.
"""

from __future__ import annotations

import platform
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.studies.track.sandbox import supervisor
from memgauge.studies.track.sandbox.python import HOME, python
from memgauge.studies.track.sandbox.room import hidden
from memgauge.studies.track.sandbox.running import Launch, SandboxLimits, drive
from memgauge.studies.track.sandbox.sandbox import SCRIPT, SOCKET, WORKSPACE, Walls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.track.sandbox.room import Room

_ROOTS = ("bin", "sbin", "lib", "lib32", "lib64")
_ISOLATED = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--new-session", "--die-with-parent"),
)
_TRIED = SandboxLimits(wall_s=10)


class Bubblewrap(Walls):
    """Runs what is asked in a bubblewrap sandbox of its own, that ends with it."""

    kind = "bubblewrap"

    def __init__(self, room: Room, limits: SandboxLimits) -> None:
        super().__init__(room, limits)
        self._python = python()

    @classmethod
    def problem(cls, room: Room) -> str:
        """Try to start one."""
        if shutil.which("bwrap") is None:
            return "bwrap is not installed (Debian package bubblewrap)"
        command = [*_entry(), "/usr/bin/true"]
        finished = drive(replace(cls(room, _TRIED).launch(), command=command), b"", _TRIED)
        if finished.code == 0:
            return ""
        output = " ".join(finished.output.split()) or f"exit code {finished.code}"
        if "uid map" in output or "namespace" in output:
            return (
                f"bwrap may not make user namespaces ({output}); where AppArmor forbids them: "
                "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or install its profile for bwrap"
            )
        return f"bwrap does not start ({output})"

    def launch(self) -> Launch:
        """Say how the sandbox is entered."""
        flags = "\0".join(self._flags()).encode() + b"\0"
        command = [*_entry(), self._python.command, "-I", SCRIPT]
        return Launch(command, user=self._room.user, arguments=flags, filter=filtered())

    def _flags(self) -> Iterator[str]:
        room = self._room
        yield from _ISOLATED
        yield from _system()
        for source, inner_path in self._python.shown:
            yield from ("--ro-bind", str(source), inner_path)
        for folder in self._python.masked:
            yield from ("--tmpfs", folder)
        scratch = str(self._limits.scratch)
        yield from ("--proc", "/proc", "--dev", "/dev")
        for place in ("/dev/shm", "/tmp"):  # noqa: S108 - file systems of the sandbox's own
            yield from ("--size", scratch, "--tmpfs", place)
        yield from ("--ro-bind", str(room.etc), "/etc", "--ro-bind-try", "/etc/alternatives", "/etc/alternatives")
        yield from ("--ro-bind", str(room.script), SCRIPT)
        if room.socket.exists():
            yield from ("--ro-bind", str(room.socket), SOCKET)
        yield from ("--bind", str(room.workspace), WORKSPACE, "--chdir", WORKSPACE, "--remount-ro", "/")
        for name, value in self._environment().items():
            yield from ("--setenv", name, value)

    def _environment(self) -> dict[str, str]:
        variables = {
            "PATH": f"{HOME}/bin:/usr/bin:/bin" if self._python.shown else "/usr/bin:/bin",
            "HOME": WORKSPACE,
            "LANG": "C.UTF-8",
            "USER": "agent",
            "GIT_TERMINAL_PROMPT": "0",
            "MALLOC_ARENA_MAX": "2",  # address space is limited, and every arena takes 64 MB of it
        }
        return {**variables, "LD_LIBRARY_PATH": f"{HOME}/lib"} if self._python.shown else variables


def filtered() -> bytes:
    """Return the filter of system calls for this machine; nothing has a life of its own in the kernel."""
    machine = platform.machine()
    return supervisor.filter_program(machine, sockets=True) if machine in supervisor.MACHINES else b""


def _entry() -> Iterator[str]:
    yield from (shutil.which("bwrap") or "bwrap", "--args", "{arguments}")
    yield from (("--seccomp", "{filter}") if filtered() else ())
    yield "--"


def _system() -> Iterator[str]:
    """Show `/usr` and what belongs to it, without the folders where this package could be installed."""
    yield from ("--ro-bind", "/usr", "/usr")
    for folder in hidden():
        if folder.is_relative_to("/usr") and folder.is_dir():
            yield from ("--tmpfs", str(folder))
    for name in _ROOTS:
        root = Path("/", name)
        if root.is_symlink():
            yield from ("--symlink", f"usr/{name}", str(root))
        elif root.is_dir():
            yield from ("--ro-bind", str(root), str(root))
