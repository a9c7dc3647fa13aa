"""Start foreign programs so that they cannot look into the processes around them.

A thread gives its rights up for good and starts the program, which has what is left of them: behind Landlock and
without the rights of root that see past it, memory, environment and open files of every process that it did not
start are closed to it. Where the kernel knows no Landlock, this process closes its memory while such programs run.
"""

from __future__ import annotations

import ctypes
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""The calls of Landlock, the same on every kind of machine."""
_NEEDED_ABI: Final = 2
"""Before it, nobody behind Landlock may move a file into another folder."""
_SIGNALS_ABI: Final = 6
_MAKE_BLOCK, _REFER, _SIGNAL = 1 << 11, 1 << 13, 1 << 1
_BENEATH: Final = 1
_NO_NEW_PRIVS, _DROP_FROM_BOUND = 38, 24
_GET_DUMPABLE, _SET_DUMPABLE = 3, 4
_CAPABILITIES: Final = 0x20080522
_RIGHTS: Final = (2, 16, 17, 19, 21, 27, 38, 39, 40)
"""Of root: searching everything, modules, raw memory, tracing, administration, devices, counters, programs of the
kernel, checkpoints."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


@cache
def landlock() -> int:
    """Return the version of Landlock here; 0 where it cannot be used."""
    if not sys.platform.startswith("linux"):
        return 0
    version = int(_library().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1)))
    return version if version >= _NEEDED_ABI else 0


def confined(start: Callable[[], T]) -> T:
    """Call *start* on a thread that has given up looking into other processes, and return what it returns."""
    if not sys.platform.startswith("linux"):
        return start()
    if not landlock():
        close_memory()
    with ThreadPoolExecutor(1, "memgauge-confined") as pool:
        return pool.submit(_given_up, start).result()


def _given_up(start: Callable[[], T]) -> T:
    """Give rights up on this thread, and call."""
    _without_rights()  # whoever may count events reads every environment, also from behind Landlock
    if landlock():
        _walled()
    return start()


def _walled() -> None:
    """Put this thread behind Landlock: it may look into what it starts alone, and makes no block device."""
    call, scoped = _library().syscall, landlock() >= _SIGNALS_ABI
    wanted = _Ruleset(_MAKE_BLOCK | _REFER, 0, _SIGNAL if scoped else 0)
    size = ctypes.sizeof(wanted) if scoped else ctypes.sizeof(ctypes.c_uint64)
    rules = call(_CREATE_RULESET, ctypes.byref(wanted), ctypes.c_size_t(size), ctypes.c_uint32(0))
    if rules < 0:
        return
    root = os.open("/", os.O_PATH | os.O_CLOEXEC)
    try:
        moving = _Beneath(_REFER, root)
        call(_ADD_RULE, rules, _BENEATH, ctypes.byref(moving), ctypes.c_uint32(0))
        call(_RESTRICT_SELF, rules, ctypes.c_uint32(0))
    finally:
        os.close(root)
        os.close(rules)


def _without_rights() -> None:
    """Take from this thread, where it is root's, the rights that open what others closed."""
    library = _library()
    library.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    for right in _RIGHTS:
        library.prctl(_DROP_FROM_BOUND, right, 0, 0, 0)
    head, sets = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    if library.capget(head, sets) != 0:
        return
    for right in _RIGHTS:
        for which in range(3):  # effective, permitted, inheritable: two words of each
            sets[3 * (right // 32) + which] &= ~(1 << right % 32) & 0xFFFFFFFF
    library.capset(head, sets)


def close_memory() -> bool:
    """Let nobody of the same user read or trace this process, but who may do everything. Say if it was open."""
    if not sys.platform.startswith("linux"):
        return False
    control = _library().prctl
    was_open: bool = control(_GET_DUMPABLE, 0, 0, 0, 0) == 1
    return was_open and control(_SET_DUMPABLE, 0, 0, 0, 0) == 0


def open_memory() -> None:
    """Make it as it was."""
    _library().prctl(_SET_DUMPABLE, 1, 0, 0, 0)
