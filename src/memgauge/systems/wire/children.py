"""The processor time of what this process started, as ``/proc`` says it; nothing where there is none."""

from __future__ import annotations

import os
from typing import Final

from memgauge.systems.wire.left import looking_after

_TICK_MS: Final = 1000 / os.sysconf("SC_CLK_TCK")
_MOST: Final = 1000
"""Processes that are looked at."""


def children_cpu_ms() -> float:
    """Add up the processes that descend from this one and live, with what they have waited for."""
    if _childless():
        return 0.0
    with looking_after():
        waiting, seen, ticks = _children("self"), set[str](), 0
        while waiting and len(seen) < _MOST:
            pid = waiting.pop()
            if pid not in seen:
                seen.add(pid)
                ticks += _ticks(pid)
                waiting += _children(pid)
    return ticks * _TICK_MS


def _childless() -> bool:
    """Whether this process has no child, living or ended and not waited for; nobody is waited for here."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    except (AttributeError, OSError):  # a system that does not say
        pass
    return False


def _children(pid: str) -> list[str]:
    children: list[str] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - often, and a Path costs more
        for thread in threads:
            with open(f"/proc/{pid}/task/{thread}/children", encoding="utf-8") as file:  # noqa: PTH123 - as above
                children += file.read().split()
    except OSError:  # it ended meanwhile, or nobody says
        pass
    return children


def _ticks(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - as above
            return sum(map(int, file.read().rpartition(b")")[2].split()[11:15]))
    except OSError:
        return 0
