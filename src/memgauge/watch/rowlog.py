"""An append-only file of checked lines, one a process, that neither fork nor thread nor full disk spoils.

A row is acknowledged when ``write(2)`` has returned for all of it: from then on it is the kernel's, and survives
the process, however that ends. A machine that loses power may lose the last seconds: nothing waits for the disk.
"""

# ruff: noqa: PTH100, PTH103, PTH108, PTH118 - pathlib costs a host's start as much as half of this package
from __future__ import annotations

import errno
import json
import os
import zlib
from threading import RLock
from time import monotonic, strftime, time_ns
from typing import Final

from memgauge.version import __version__
from memgauge.watch.troubles import Troubles

FORMAT: Final = 1
SUFFIX: Final = ".watch.jsonl"
_WAIT_S: Final = 1.0
"""How long nothing is tried again after a file could not be opened."""


class RotatingLog:
    """Appends rows to a file of this process, and goes on in another one when it is full."""

    def __init__(self, folder: str, mark: str, rotate_bytes: int) -> None:
        self._folder = folder
        self._mark = mark
        self._rotate_bytes = rotate_bytes
        self._begin()

    def _begin(self) -> None:
        """Start as the log of this process, with nothing open."""
        self._lock = RLock()  # a signal's handler may use the memory while a row is written
        self._name = f"{strftime('%Y%m%dT%H%M%S')}-{os.getpid()}-{os.urandom(4).hex()}"
        self._file = -1
        self._identity: tuple[int, int] = (0, 0)
        self._part = self._sequence = self._in_part = 0
        self._torn = False
        self._closed_until = 0.0
        self.written = 0
        self.troubles = Troubles()

    def append(self, body: str) -> bool:
        """Write a row, which is an object of JSON; return whether it is acknowledged."""
        with self._lock:
            number = self._sequence
            self._sequence += 1  # also of a row that is lost, so that a reader sees the gap
            line = checked(f'{{"seq":{number},{body[1:]}')
            try:
                self._ready(len(line), number)
                self._write(line)
            except OSError as error:
                self._refused(error)
                return False
            self._in_part += 1
            self.written += 1
            return True

    def _ready(self, size: int, first: int) -> None:
        """Have a file open that is still ours, is still there, and has room."""
        if self._file >= 0:
            try:
                state = os.fstat(self._file)
            except OSError:
                self._file = -1  # somebody closed it, as daemons do with all files
            else:
                if (state.st_dev, state.st_ino) != self._identity:
                    self._file = -1  # and the number is another file's by now
                elif not state.st_nlink or (self._in_part and state.st_size + size > self._rotate_bytes):
                    self.close()
        if self._file < 0:
            self._open(first)

    def _open(self, first: int) -> None:
        if monotonic() < self._closed_until:
            raise OSError(errno.EAGAIN, "it could not be opened a moment ago")
        self._closed_until = monotonic() + _WAIT_S
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        path = os.path.join(self._folder, f"{self._name}-{self._part:05}{SUFFIX}")
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        state = os.fstat(file)
        self._file, self._identity, self._torn, self._in_part = file, (state.st_dev, state.st_ino), False, 0
        self._part += 1
        head = {
            "watch": FORMAT,
            "log": self._name,
            "part": self._part - 1,
            "first": first,
            "pid": os.getpid(),
            "began_ns": time_ns(),
            "version": __version__,
            "salt": self._mark,
        }
        try:
            self._write(checked(json.dumps(head, separators=(",", ":"))))
        except OSError:
            self.close()
            os.unlink(path)
            raise
        self._closed_until = 0.0

    def _write(self, line: bytes) -> None:
        """Write a whole line; what was begun and not ended is ended first, so that it spoils itself alone."""
        unwritten = b"\n" + line if self._torn else line
        self._torn = True
        while unwritten:
            unwritten = unwritten[os.write(self._file, unwritten) :]
        self._torn = False

    def _refused(self, error: OSError) -> None:
        if error.errno == errno.EFBIG and self._in_part:
            self.close()  # a limit on the size of one file, which the next one keeps
        reason = error.strerror or "it is unknown why"
        self.troubles.count("lost", f"rows cannot be written to {self._folder}: {reason}")

    def close(self) -> None:
        """Close the file, unless its number is another file's by now."""
        try:
            state = os.fstat(self._file)
            if (state.st_dev, state.st_ino) == self._identity:
                os.close(self._file)
        except OSError:
            pass
        self._file = -1

    def reborn(self) -> None:
        """Leave the file to the parent, after a fork, and begin one of this process."""
        self.close()
        self._begin()


def checked(body: str) -> bytes:
    """End an object of JSON with a checksum of what stands before, and the line."""
    data = body.encode("ascii")
    return b'%b,"crc":"%08x"}\n' % (data[:-1], zlib.crc32(data))


_LOGS: Final[dict[tuple[str, str], RotatingLog]] = {}


def shared_log(folder: str | os.PathLike[str], mark: str, rotate_bytes: int) -> RotatingLog:
    """Return the log of this process for a folder and a salt, whatever memories are watched."""
    place = os.path.abspath(folder)  # a host may go elsewhere later
    return _LOGS.setdefault((place, mark), RotatingLog(place, mark, rotate_bytes))


def _after_fork() -> None:
    for log in _LOGS.values():
        log.reborn()


os.register_at_fork(after_in_child=_after_fork)
