"""What a process leaves behind: servers that it started, and that left its group to live on."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "MEMGAUGE_WORKER"
"""The variable by which everything that descends from a process is known, however it was started."""
_ROUNDS = 5
_thread = threading.local()


def end_left(mark: str) -> int:
    """End every process whose environment holds *mark*, and what these start meanwhile; return how many.

    A database that puts itself into the background has another parent and another group than the process that
    asked for it, but the environment that it was started with. Where there is no ``/proc``, nothing is found.
    """
    ended = 0
    for _ in range(_ROUNDS):
        with looking_after():
            marked = list(_marked(mark))
        if not marked:
            break
        for pid in marked:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                ended += 1
    return ended


@contextmanager
def looking_after() -> Iterator[None]:
    """Say that it is us who read of other processes meanwhile, on this thread, and no memory."""
    before = is_searching()
    _thread.searches = True
    try:
        yield
    finally:
        _thread.searches = before


def is_searching() -> bool:
    """Whether this thread reads of other processes right now to look after what was started here."""
    return getattr(_thread, "searches", False)


def _marked(mark: str) -> Iterator[int]:
    wanted = f"{MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended while it was looked at, or is somebody else's
            if wanted in (folder / "environ").read_bytes().split(b"\0") and not _ended(folder):
                yield int(folder.name)


def _ended(folder: Path) -> bool:
    """Whether nobody has taken note of its end yet."""
    return (folder / "stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z"
