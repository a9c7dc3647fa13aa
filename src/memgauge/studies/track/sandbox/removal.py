"""Remove a folder that an attacker has filled: nothing is followed, nothing waited for, and no error comes out.

Every folder is carried up into the topmost one before it is looked into, so that neither paths nor stack nor open
descriptors grow with the depth, and so that what cannot be carried, a mount, is let go and never emptied.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import secrets
import shutil
import signal
import stat
import struct
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE_S = 60.0
_GET_FLAGS, _SET_FLAGS = 0x80086601, 0x40086602
_LOCKED = 0x10 | 0x20  # immutable, append only
_DETACH, _NO_FOLLOW = 2, 8


def remove(top: Path) -> str:
    """Remove *top* and all below it, and end what still writes there; return why something is left."""
    if sys.platform != "linux":
        shutil.rmtree(top, ignore_errors=True)
        return f"{top} could not be removed" if top.exists() else ""
    until = time.monotonic() + PATIENCE_S
    why = ""
    while time.monotonic() < until:
        try:
            with _opened(None, str(top)) as folder:
                _emptied(folder, until)
            top.rmdir()
        except FileNotFoundError:
            return ""
        except OSError as error:
            if error.strerror == why and error.errno != errno.ENOTEMPTY:
                break
            why = error.strerror or type(error).__name__
            _evict(top)
        else:
            return ""
    return f"{top} could not be removed: {why}"


def _emptied(top: int, until: float) -> None:
    waiting = _sorted_out(top, top)
    while waiting and time.monotonic() < until:
        name = waiting.pop()
        with _opened(top, name) as folder:
            waiting += _sorted_out(folder, top)
        _insist(partial(os.rmdir, name, dir_fd=top), top, name)


def _sorted_out(folder: int, top: int) -> list[str]:
    """Unlink every file of *folder*, and carry its folders up to *top* under names of ours."""
    folders = []
    with os.scandir(folder) as entries:
        listing = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in listing:
        if is_folder:
            fresh = secrets.token_hex(16)
            if _insist(partial(os.rename, name, fresh, src_dir_fd=folder, dst_dir_fd=top), folder, name):
                folders.append(fresh)
        else:
            _insist(partial(os.unlink, name, dir_fd=folder), folder, name)
    return folders


def _insist(work: Callable[[], None], folder: int, name: str) -> bool:
    """Do it, a second time after what stood in the way was taken away; say whether it is done."""
    for _ in range(2):
        try:
            work()
        except FileNotFoundError:
            return False
        except OSError as error:
            if error.errno == errno.EBUSY:
                place = os.fsencode(f"/proc/self/fd/{folder}/{name}")
                ctypes.CDLL(None).umount2(place, _DETACH | _NO_FOLLOW)
            else:
                _unlock(folder, name)
        else:
            return True
    return False


@contextlib.contextmanager
def _opened(folder: int | None, name: str) -> Iterator[int]:
    """Open a folder whatever its mode, and take it from whoever could go on writing into it."""
    mark = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        itself = f"/proc/self/fd/{mark}"
        for _ in range(2):
            try:
                if os.geteuid() == 0:
                    os.chown(itself, 0, 0)
                os.chmod(itself, 0o700)  # noqa: PTH101 - a descriptor, not a path
                break
            except OSError:
                _clear_flags(itself, follow=True)
        descriptor = os.open(itself, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    finally:
        os.close(mark)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _unlock(folder: int, name: str) -> None:
    """Take away the marks that forbid a change of an entry and of its folder, where that is allowed."""
    _clear_flags(f"/proc/self/fd/{folder}", follow=True)
    with contextlib.suppress(OSError):
        kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISREG(kind) or stat.S_ISDIR(kind):  # opening anything else could wait, or do something
            _clear_flags(f"/proc/self/fd/{folder}/{name}")


def _clear_flags(path: str, *, follow: bool = False) -> None:
    how = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    with contextlib.suppress(OSError):
        file = os.open(path, how)
        try:
            (flags,) = struct.unpack("l", fcntl.ioctl(file, _GET_FLAGS, struct.pack("l", 0)))
            fcntl.ioctl(file, _SET_FLAGS, struct.pack("l", flags & ~_LOCKED))
        finally:
            os.close(file)


def _evict(top: Path) -> None:
    """Kill whatever still works in the folder: only what writes there can keep it from being emptied."""
    inside = f"{top}/"
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            places = [process / "cwd", process / "root", *(process / "fd").iterdir()]
            if int(process.name) != os.getpid() and any(_leads(place, inside) for place in places):
                os.kill(int(process.name), signal.SIGKILL)


def _leads(link: Path, inside: str) -> bool:
    with contextlib.suppress(OSError):
        return f"{os.readlink(link)}/".startswith(inside)  # noqa: PTH115 - a text, no path that exists
    return False
