"""Control groups of the kernel: bounds on a whole tree of processes, where this user may make one."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.studies.track.sandbox.watching import descendants

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.studies.track.sandbox.running import SandboxLimits

MOUNT = Path("/sys/fs/cgroup")
_PREFIX = "memgauge-"
_DYING_S = 2.0
_PASSES = 5
_OURS = 8
"""Processes of the sandbox itself."""


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """One call's groups: one of version 2, or one for memory and one for processes of version 1, or none."""

    folders: tuple[Path, ...] = ()

    @classmethod
    @contextmanager
    def made(cls, limits: SandboxLimits, mount: Path = MOUNT) -> Iterator[ControlGroup]:
        """Make groups for one call and remove them after it; where none may be made there is none."""
        group = cls(tuple(_made(limits, mount)))
        try:
            yield group
        finally:
            group.close()

    @property
    def holds(self) -> bool:
        """Whether the kernel bounds the tree."""
        return bool(self.folders)

    def take(self, process: int) -> None:
        """Put a process and what it has started so far in; what any of them starts later is born there."""
        for folder in self.folders:
            for _ in range(_PASSES):
                tree = set()
                for descendant in descendants(process):
                    tree.add(str(descendant))
                    with contextlib.suppress(OSError):  # it has ended meanwhile
                        _write(folder / "cgroup.procs", descendant)
                with contextlib.suppress(OSError):
                    if tree <= set((folder / "cgroup.procs").read_text(encoding="ascii").split()):
                        break

    def exceeded(self) -> str:
        """Say which bound was met, where the kernel killed something for it."""
        for folder in self.folders:
            for name in ("memory.events", "memory.oom_control"):
                events = _counts(folder / name)
                if events.get("oom_kill", 0):
                    return "memory: all that everything together is allowed"
        return ""

    def close(self) -> None:
        """Kill what is left in them, and remove them."""
        until = time.monotonic() + _DYING_S
        for folder in self.folders:
            while folder.exists() and time.monotonic() < until:
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                _kill(folder)
                time.sleep(0.002)


def sweep(mount: Path = MOUNT) -> None:
    """Remove the empty groups of processes that were killed; the number of its owner is in the name of each."""
    own_paths = _own()
    for kind in own_paths:
        for place in _places(mount, kind, own_paths):
            for folder in place.glob(f"{_PREFIX}*"):
                owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
                if owner.isdecimal() and not Path(f"/proc/{owner}").exists():
                    with contextlib.suppress(OSError):
                        folder.rmdir()


def _made(limits: SandboxLimits, mount: Path) -> list[Path]:
    """Make one group of version 2, or two of version 1; all of them or none."""
    tasks = limits.processes + _OURS
    bounds: Mapping[str, Mapping[str, int]] = {
        "": {"memory.max": limits.memory, "pids.max": tasks, "memory.swap.max": 0, "memory.oom.group": 1},
        "memory": {"memory.limit_in_bytes": limits.memory},
        "pids": {"pids.max": tasks},
    }
    name = f"{_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    own_paths = _own()
    for kinds in (("",), ("memory", "pids")):
        groups: list[Path] = []
        for kind in kinds:
            place = next(
                filter(None, (_bounded(up / name, bounds[kind]) for up in _places(mount, kind, own_paths))), None
            )
            groups += [place] if place is not None else []
        if len(groups) == len(kinds):
            return groups
        for place in groups:
            place.rmdir()
    return []


def _places(mount: Path, kind: str, own_paths: Mapping[str, str]) -> Iterator[Path]:
    """Yield where a group could be made: below this process's own, or beside it."""
    if kind not in own_paths:
        return
    root = mount / kind
    inner = root / own_paths[kind].lstrip("/")
    yield inner
    if inner != root:
        yield inner.parent


def _own() -> dict[str, str]:
    """Return the groups of this process, by controller; version 2 has no name."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        return {
            name: place for _, names, place in (line.split(":", 2) for line in lines) for name in names.split(",")
        }
    return {}


def _bounded(folder: Path, bounds: Mapping[str, int]) -> Path | None:
    """Make one group with *bounds*; the first two have to hold, the others where there is such a thing."""
    with contextlib.suppress(OSError):
        _write(folder.parent / "cgroup.subtree_control", "+memory +pids")
    try:
        folder.mkdir()
    except OSError:
        return None
    required_bounds = list(bounds)[:2]
    for name, value in bounds.items():
        try:
            _write(folder / name, value)
        except OSError:
            if name in required_bounds:
                with contextlib.suppress(OSError):
                    folder.rmdir()
                return None
    return folder


def _write(file: Path, value: object) -> None:
    """Write into a file that the kernel made; where there is none, this is no control group."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def _counts(file: Path) -> dict[str, int]:
    with contextlib.suppress(OSError, ValueError):
        return {name: int(value) for name, value in map(str.split, file.read_text().splitlines())}
    return {}


def _kill(folder: Path) -> None:
    with contextlib.suppress(OSError):
        _write(folder / "cgroup.kill", 1)
        return
    with contextlib.suppress(OSError, ValueError):
        for process in (folder / "cgroup.procs").read_text().split():
            os.kill(int(process), 9)
