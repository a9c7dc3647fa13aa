"""Stands between this machine and a command where there are no namespaces: restricts it, leaves nothing behind.

This file is started by a bare interpreter, so it imports the standard library only. What to do comes as JSON in
the file behind the descriptor that its only argument names. With walls, the command gets a Landlock domain (files
that are named, no TCP, no signals and no abstract sockets outwards) and a system call filter that lets it open no
socket at all, and make nothing that has a life of its own in the kernel.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import platform
import signal
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

NEEDED_ABI = 6
"""The first Landlock that keeps signals and abstract sockets in; older ones are not used."""
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_READ = 0b1101  # execute, read file, read folder
_FILE_ONLY = 0b1100000000000111  # what makes sense for a file: execute, write, read, truncate, ioctl
_EVERYTHING = (1 << 16) - 1
_DEVICE = 0b110  # write and read
_TCP = 0b11
_SCOPES = 0b11
_NO_NEW_PRIVILEGES, _SECCOMP, _DEATH_SIGNAL, _SUBREAPER = 38, 22, 1, 36
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Audit number of the architecture."""
_SOCKET = {"x86_64": 41, "aarch64": 198}
_COMMON = (425, 426, 427, 438, 447)  # io_uring_*, pidfd_getfd, memfd_secret
_LIVING_ON = {
    # shm*, sem*, msg*, mq_*, add_key request_key keyctl, memfd_create, process_vm_*, kcmp, userfaultfd, bpf, perf
    "x86_64": (
        *(29, 30, 31, 67, 64, 65, 66, 220, *range(68, 72), *range(240, 246), 248, 249, 250, 319),
        *(310, 311, 312, 323, 321, 298),
    ),
    "aarch64": (*range(180, 198), 217, 218, 219, 279, 270, 271, 272, 282, 280, 241),
}
"""What can keep or share something beyond files, or look into another process."""
_ITS_OWN = {"x86_64": (302, 203, 144, 142, 314), "aarch64": (261, 122, 119, 118, 274)}
"""prlimit64, sched_setaffinity, sched_setscheduler, sched_setparam, sched_setattr: of oneself (0) only."""
_WHICH = {"x86_64": (141, 251), "aarch64": (140, 30)}
"""setpriority and ioprio_set, whose second argument says whose."""
_KEYCTL = {"x86_64": 250, "aarch64": 219}
_OTHER_ABI = 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_KILL, _DENY, _ALLOW = 0x80000000, 0x00050000 | 13, 0x7FFF0000


def main() -> None:
    """Run one command to its end, then end everything that it started."""
    with open(int(sys.argv[1]), encoding="utf-8") as file:  # noqa: PTH123 - a descriptor, not a path
        job = json.load(file)
    libc = ctypes.CDLL(None, use_errno=True)
    _must(libc.prctl(_SUBREAPER, 1, 0, 0, 0), "become the parent of orphans")
    _must(libc.prctl(_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0), "end with the harness")
    signal.signal(signal.SIGTERM, _stop)
    code = 128 + signal.SIGKILL
    with contextlib.suppress(_StopRequested):
        child = os.fork()
        if not child:
            _become(job, libc)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _end_all()
    sys.exit(code if code >= 0 else 128 - code)


def abi() -> int:
    """Return which Landlock the kernel has; 0 for none, or for a machine that the filter does not know."""
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_CREATE, None, ctypes.c_size_t(0), 1)))


class _StopRequested(Exception):  # noqa: N818 - a request, no error
    """The harness wants an end."""


def _stop(*_: object) -> None:
    raise _StopRequested


def _become(job: Mapping[str, Any], libc: ctypes.CDLL) -> None:
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.chdir(job["folder"])
        if job["walls"]:
            _must(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "give up new privileges")
            _enclose(libc, job)
            _silence(libc)
        os.execve(job["command"][0], job["command"], job["environment"])  # noqa: S606 - what the script is for
    finally:
        os._exit(126)


def _enclose(libc: ctypes.CDLL, job: Mapping[str, Any]) -> None:
    """Let the rest of this process reach only the folders that are named."""
    attributes = struct.pack("QQQ", _EVERYTHING, _TCP, _SCOPES)
    ruleset = libc.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    _must(ruleset, "make a Landlock ruleset")
    rights = {"read": _READ, "write": _EVERYTHING, "devices": _DEVICE}
    for name, permitted in rights.items():
        for path in job[name]:
            _permit(libc, ruleset, path, permitted)
    _must(libc.syscall(_RESTRICT, ruleset, 0), "enter the Landlock domain")
    os.close(ruleset)


def _permit(libc: ctypes.CDLL, ruleset: int, path: str, permitted: int) -> None:
    if not Path(path).exists():
        return
    target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rights = permitted if Path(path).is_dir() else permitted & _FILE_ONLY
    rule = struct.pack("=Qi", rights, target)
    _must(libc.syscall(_ADD, ruleset, 1, rule, 0), f"permit {path}")
    os.close(target)


def filter_program(machine: str, *, sockets: bool) -> bytes:
    """Write the filter of system calls; without *sockets* none can be opened either."""
    denied_calls = (*_COMMON, *_LIVING_ON[machine], *(() if sockets else (_SOCKET[machine],)))
    code = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, MACHINES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        *_skipping(_AT_LEAST, _OTHER_ABI, [(_RETURN, 0, 0, _DENY)]),
    ]
    for call in denied_calls:
        code += _skipping(_EQUAL, call, [(_RETURN, 0, 0, _DENY)])
    for calls, argument in ((_ITS_OWN[machine], 16), (_WHICH[machine], 24)):
        for call in calls:
            code += _skipping(_EQUAL, call, [(_LOAD, 0, 0, argument), (_EQUAL, 1, 0, 0), (_RETURN, 0, 0, _DENY)])
            code += [(_LOAD, 0, 0, 0)]
    code += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *line) for line in code)


def _skipping(test: int, value: int, block: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    return [(test, 0, len(block), value), *block]


def _silence(libc: ctypes.CDLL) -> None:
    """Let the rest of this process open no socket, by any way there is, and keep nothing but files."""
    _must(libc.syscall(_KEYCTL[platform.machine()], 1, None), "begin a session of keys of its own")
    code = filter_program(platform.machine(), sockets=False)
    program = ctypes.create_string_buffer(code)
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(program))
    _must(libc.prctl(_SECCOMP, 2, header, 0, 0), "filter system calls")


def _end_all() -> None:
    """Kill whatever is left below this process, until nothing is."""
    while True:
        for process in _descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _descendants(process: int) -> list[int]:
    children = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            children += [int(child) for child in (thread / "children").read_text().split()]
    return [deeper for child in children for deeper in (child, *_descendants(child))]


def _must(result: int, step: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot {step}: {os.strerror(number)}")


if __name__ == "__main__":
    main()
