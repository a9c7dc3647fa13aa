"""Folders with an end: a file system of a stated size where it may be mounted, else counted as it fills."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SAFE = 2 | 4  # no set-user-id, no devices


def mounted(place: Path, size: int, files: int) -> bool:
    """Put a file system in memory that holds *size* bytes and *files* files; say whether that is allowed here."""
    if os.geteuid() != 0 or not hasattr(mount := ctypes.CDLL(None), "mount"):
        return False
    options = f"size={size},nr_inodes={files},mode=0755".encode()
    return bool(mount.mount(b"memgauge", os.fsencode(place), b"tmpfs", _SAFE, options) == 0)


def usage(folder: Path, most_files: int) -> tuple[int, int]:
    """Count the bytes and the files below a folder, up to a little more files than are allowed."""
    size = files = 0
    waiting = [str(folder)]
    while waiting and files <= most_files:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:  # a folder may go, or be closed to us
            for entry in entries:
                with suppress(OSError):  # a file that goes while it is counted hides none of the others
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return size, files


def beyond(folder: Path, most_bytes: int, most_files: int) -> bool:
    """Whether a folder holds more than it may."""
    size, files = usage(folder, most_files)
    return size > most_bytes or files > most_files
