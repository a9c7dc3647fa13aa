"""What a file system refuses: which file it was, why, and what its reader can do about it."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_REMEDIES: Final[Mapping[int, str]] = {
    errno.ENOSPC: "Make room and run the same command again",
    errno.EDQUOT: "Make room within your quota and run the same command again",
    errno.EFBIG: "Allow files of this size (`ulimit -f`) and run the same command again",
    errno.EROFS: "Name a place that is not read-only",
    errno.EACCES: "Get the permission, or name another place",
    errno.EPERM: "Get the permission, or name another place",
    errno.ENOTDIR: "Name a path that leads through folders only",
    errno.EISDIR: "Name a file and no folder",
    errno.ENOENT: "Check the spelling, and that its folder is there",
    errno.EEXIST: "Name another path, for something lies at this one",
    errno.ENAMETOOLONG: "Name a shorter path",
    errno.ELOOP: "Name a path without links that lead in a circle",
    errno.EIO: "See whether the disk is sound, and run the same command again",
    errno.EMFILE: "Allow this program more open files (`ulimit -n`)",
    errno.ENFILE: "Close programs that hold files open",
}
REFUSALS: Final = frozenset(_REMEDIES)
"""What can be wrong with a path that somebody named, or with the disk that it leads to."""
UNNAMED: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""What a file may say while it is written, which no longer names it."""


def number_of(error: Exception) -> int | None:
    """Return the number of what was refused; a database tells it only by its words."""
    if isinstance(error, OSError):
        return error.errno
    reason = str(error)
    return next((number for number in _REMEDIES if os.strerror(number) in reason), None)


def remedy(error: Exception) -> str:
    """Say what can be done about what was refused."""
    return f"{_REMEDIES.get(number_of(error) or 0, 'Name another place')}."


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let what is refused while *path* is written name it: a full disk does not.

    Raises:
        OSError: It was.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise
