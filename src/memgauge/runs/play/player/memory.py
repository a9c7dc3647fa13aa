"""The memory of this process, closed to others of the same user while it holds what they must not read."""

from __future__ import annotations

import ctypes
import sys
from typing import Final

_GET_DUMPABLE: Final = 3
_SET_DUMPABLE: Final = 4


def close_memory() -> bool:
    """Let nobody of the same user read it or trace it; whoever may do everything still can. Say if it was open."""
    if not sys.platform.startswith("linux"):
        return False
    control = ctypes.CDLL(None, use_errno=True).prctl
    was_open: bool = control(_GET_DUMPABLE, 0, 0, 0, 0) == 1
    return was_open and control(_SET_DUMPABLE, 0, 0, 0, 0) == 0


def open_memory() -> None:
    """Make it as it was."""
    ctypes.CDLL(None, use_errno=True).prctl(_SET_DUMPABLE, 1, 0, 0, 0)
