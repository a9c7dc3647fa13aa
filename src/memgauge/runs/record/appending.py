"""A file that one process at a time appends to: what was whole survives a kill, and nobody writes beside it."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING, Self

from memgauge.errors import RunBusyError, RunError
from memgauge.refusals import remedy

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Appender:
    """Appends bytes to a locked file; each call is on disk when it returns, or leaves no trace."""

    def __init__(self, path: Path, *, elsewhere: str = "choose another --out") -> None:
        """Open and lock the file.

        Raises:
            RunError: It cannot be opened.
            RunBusyError: Somebody else is writing it.
        """
        self.path = path
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise RunError(f"Cannot open {path}: {error.strerror}.", remedy(error)) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            raise RunBusyError(
                f"{path.parent} is being written by another process.", f"Wait for it, or {elsewhere}."
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        # A process that is just being started holds a copy of the descriptor, and with it the lock.
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        os.close(self._fd)

    def append(self, data: bytes, *, later: bool = False) -> None:
        """Append all of *data* and make sure that it is on disk; *later* leaves that to :meth:`settle`.

        Raises:
            RunError: The disk is full or fails; the file is cut back to what was whole.
        """
        self.append_all((data,), later=later)

    def append_all(self, portions: Iterable[bytes], standing: str = "", *, later: bool = False) -> None:
        """Append all *portions*, or none of them; see :meth:`append`. An error says what is *standing*.

        Raises:
            RunError: The disk is full or fails; the file is cut back to what was whole.
        """
        whole = os.fstat(self._fd).st_size
        try:
            for portion in portions:
                view = memoryview(portion)
                while view:
                    view = view[os.write(self._fd, view) :]
            if not later:
                os.fsync(self._fd)
        except OSError as error:
            os.ftruncate(self._fd, whole)
            what = f"Cannot write {self.path}: {error.strerror}."
            raise RunError(f"{what} {standing}." if standing else what, remedy(error)) from error

    def settle(self) -> None:
        """Make sure that everything is on disk.

        Raises:
            RunError: The disk is full or fails.
        """
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise RunError(f"Cannot write {self.path}: {error.strerror}.", remedy(error)) from error

    def cut(self, size: int) -> None:
        """Forget everything behind the first *size* bytes."""
        os.ftruncate(self._fd, size)
