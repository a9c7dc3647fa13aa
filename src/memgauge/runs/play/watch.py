"""What foreign code looks for in the process that plays it, as Python reports it (audit events, PEP 578).

A memory needs none of this. Whoever reads every living object, the frames of other threads or the files of other
processes looks for something that it was not given; that nothing was there to be found does not make it honest.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from typing import Final

from memgauge.out_of_reach import close
from memgauge.systems.wire.left import is_searching

_EVENTS: Final = frozenset(
    {"gc.get_objects", "gc.get_referrers", "sys._current_frames", "sys._current_exceptions"}
)
GOLDEN: Final = ("datasets", "scoring", "studies", "reproduce", "suites")
"""Rooms of this package that make worlds with their answers, or know what would be right; no memory needs them."""
_MODULES: Final = tuple(f"memgauge.{room}" for room in GOLDEN)
_MAKERS: Final = ("memgauge.runs.play.plan", "memgauge.runs.play.execute")
"""What makes runs, and opens datasets for it; public names live there."""
_FILES: Final = frozenset({"open", "os.listdir", "os.scandir"})
_PROCESS: Final = re.compile(r"/proc/(?!self\b|thread-self\b)\d+(/|$)")
_seen: Counter[str] = Counter()


def watch() -> None:
    """Count from now on what is looked for in this process; it cannot be undone, by nobody."""
    close(*_MODULES, *_MAKERS)  # so that `from memgauge import *` does not look for them
    sys.addaudithook(_heard)


def noticed() -> dict[str, int]:
    """Return what was looked for since the last time, and how often."""
    counts = dict(sorted(_seen.items()))
    _seen.clear()
    return counts


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    if event == "import" and arguments and isinstance(arguments[0], str) and arguments[0].startswith(_MODULES):
        _seen[f"the module {arguments[0]}"] += 1
        raise ImportError(f"{arguments[0]} is not for memories: a player holds turns and questions only.")
    if event in _EVENTS:
        _seen[event] += 1
    elif event in _FILES and arguments and isinstance(arguments[0], str) and _foreign(arguments[0]):
        if is_searching():
            return
        _seen["the files of other processes"] += 1


def _foreign(path: str) -> bool:
    match = _PROCESS.match(path)
    return match is not None and not path.startswith(f"/proc/{os.getpid()}/")
