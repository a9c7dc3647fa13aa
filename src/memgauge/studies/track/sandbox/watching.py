"""What everything that a call started uses together, looked at again and again where the kernel keeps no count."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.studies.track.sandbox.stores import usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.studies.track.sandbox.groups import ControlGroup
    from memgauge.studies.track.sandbox.running import SandboxLimits

TICK_S = 0.05
_EASE = 10
"""Watching takes a tenth of the time at most."""
_OWN = re.compile(r"^Rss(?:Anon):\s+(\d+)", re.MULTILINE)
_PROPORTIONAL = re.compile(r"^Pss(?:_Anon)?:\s+(\d+)", re.MULTILINE)
_SHARED = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) \S+s \S+ \S+ (\d+) +/(?:dev/zero|SYSV\w+|memfd:.*) \(deleted\)$", re.MULTILINE
)
_NEWS = 16
"""A folder is counted again when its disk has changed by this part of what it may hold."""


@dataclass
class TreeWatch:
    """Looks at one call: memory and processes where no control group holds them, and folders without an end."""

    process: int
    limits: SandboxLimits
    stores: Mapping[Path, int]
    group: ControlGroup
    exceeded: str = ""
    """Which limit was met."""
    pause: float = TICK_S
    """Seconds until the next look."""
    _next: float = 0.0
    _before: dict[Path, tuple[int, int]] = field(default_factory=dict)
    """What each folder held when the call began: whoever is over may still clear up."""
    _free: dict[Path, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for folder in self.stores:
            self._before[folder] = usage(folder, self.limits.files)
            self._free[folder] = _free(folder)

    def beyond(self) -> bool:
        """Look, if it is time to; say whether a limit is met."""
        now = time.monotonic()
        if now >= self._next:
            self.exceeded = self.exceeded or self.group.exceeded() or self._memory() or self._stored()
            took = time.monotonic() - now
            self.pause = max(TICK_S, _EASE * took)
            self._next = now + took + self.pause
        return bool(self.exceeded)

    def _memory(self) -> str:
        if self.group.holds:
            return ""
        tree = list(descendants(self.process))
        if len(tree) > self.limits.processes * 2:
            return f"{len(tree)} processes, and {self.limits.processes} are allowed"
        used_bytes = _used(tree, "status", _OWN)
        if used_bytes > self.limits.memory:
            used_bytes = _used(tree, "smaps_rollup", _PROPORTIONAL) or used_bytes  # copies of a fork count once
        return over("memory", used_bytes, self.limits.memory)

    def _stored(self) -> str:
        for folder, allowance in self.stores.items():
            free_bytes, free_entries = _free(folder)
            free_bytes_before, entries_before = self._free[folder]
            if (
                abs(free_bytes - free_bytes_before) * _NEWS < allowance
                and abs(free_entries - entries_before) * _NEWS < self.limits.files
            ):
                continue
            self._free[folder] = free_bytes, free_entries
            size, files = usage(folder, self.limits.files)
            size += _unlinked(self.process, folder)
            begun = self._before[folder]
            # A file system may give a file another block long after it was written, also while nobody may write.
            later = 0 if self.limits.file_size else allowance // _NEWS
            problem = over(f"files below {folder.name}", size, max(allowance, begun[0] + later))
            if not problem and files > max(self.limits.files, begun[1]):
                problem = f"{files} files below {folder.name}, and {self.limits.files} are allowed"
            if problem:
                return problem
        return ""


def over(name: str, used_bytes: int, allowed_bytes: int) -> str:
    """Say that too much is used; empty where it is not."""
    return (
        f"{name}: {used_bytes >> 20} MiB, and {allowed_bytes >> 20} MiB are allowed"
        if used_bytes > allowed_bytes
        else ""
    )


def descendants(process: int) -> Iterator[int]:
    """Yield a process and all below it, as far as they can be seen."""
    waiting = [process]
    while waiting:
        process = waiting.pop()
        yield process
        with contextlib.suppress(OSError):
            for thread in Path(f"/proc/{process}/task").iterdir():
                waiting += map(int, (thread / "children").read_text(encoding="ascii").split())


def _used(tree: list[int], file: str, pattern: re.Pattern[str]) -> int:
    """Add up memory of their own, and memory that they share, each piece of it once."""
    own_bytes, shared_bytes = 0, dict[str, int]()
    for process in tree:
        with contextlib.suppress(OSError):
            own_bytes += sum(
                int(kib) << 10 for kib in pattern.findall(Path(f"/proc/{process}/{file}").read_text())[:1]
            )
            for begin, end, inode in _SHARED.findall(Path(f"/proc/{process}/maps").read_text()):
                shared_bytes[inode] = max(shared_bytes.get(inode, 0), int(end, 16) - int(begin, 16))
    return own_bytes + sum(shared_bytes.values())


def _unlinked(process: int, folder: Path) -> int:
    """Count bytes of files that have no name any more, and are still open."""
    sizes: dict[int, int] = {}
    with contextlib.suppress(OSError):
        device = folder.stat().st_dev
        for descendant in descendants(process):
            with contextlib.suppress(OSError):
                for link in Path(f"/proc/{descendant}/fd").iterdir():
                    with contextlib.suppress(OSError):
                        status = link.stat()
                        if status.st_dev == device and not status.st_nlink:
                            sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def _free(folder: Path) -> tuple[int, int]:
    try:
        return shutil.disk_usage(folder).free, os.statvfs(folder).f_ffree
    except OSError:  # it has gone
        return 0, 0
