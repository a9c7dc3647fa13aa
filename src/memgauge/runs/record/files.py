"""Files of a run: small ones that are either there or not, and what is read, which has to be a file of its own."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Final

from memgauge.errors import RunError
from memgauge.refusals import remedy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from pathlib import Path, PurePath

SMALL: Final = 64 << 20
"""Bytes of the largest file that is read in one piece: what a run is, its seal, what made a layer, a signature."""
PLANS: Final = "plans"
"""The folder of announced plans, beside the runs."""
DEPTH: Final = 64
"""How deep runs, and files in a run, may lie."""
_HALF: Final = ".tmp"
"""How the name of a file ends that is being written."""
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
"""A pipe that nobody writes to is opened at once, and then refused."""


def write_atomically(path: Path, text: str) -> None:
    """Write *text* so that a reader sees the old file or the whole new one, whoever else writes it meanwhile.

    Raises:
        RunError: The disk is full or fails, or nothing can be written there.
    """
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}{_HALF}")
    try:
        with temporary.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise RunError(f"Cannot write {path}: {error.strerror}.", remedy(error)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def sweep(*paths: Path) -> None:
    """Remove what writers of *paths* left that were killed; nobody else may be writing them."""
    for path in paths:
        for half in path.parent.glob(f"{path.name}.*{_HALF}"):
            with suppress(OSError):
                half.unlink()


def opened(path: Path) -> BufferedReader:
    """Open a file of a run that is one: pipes hang, devices never end, and whoever hands over a folder chose them.

    Raises:
        RunError: It is none, or cannot be opened.
    """
    try:
        return _regular(os.open(path, _READ))
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.", "Restore it from a copy.") from error


def small(path: Path, most: int = SMALL) -> bytes:
    """Read a small file of a run in one piece.

    Raises:
        RunError: It is no file, cannot be opened, or is larger than any of its kind.
    """
    with opened(path) as file:
        size = min(os.fstat(file.fileno()).st_size, most)
        content = file.read(size + 1)
        if len(content) > size:  # it grew, or is one whose size nobody knows
            content += file.read(most + 1 - len(content))
    if len(content) > most:
        raise RunError(f"{path} is larger than {most >> 20} MiB, which none is.", "Restore it from a copy.")
    return content


def below(folder: Path) -> Iterator[Path]:
    """Yield what lies below a folder and is none, along no link; a folder that lies too deep is not entered."""
    waiting = [(folder, 0)]
    while waiting:
        place, depth = waiting.pop()
        try:
            entries = list(os.scandir(place)) if depth <= DEPTH else []
        except OSError:
            entries = []
        if not entries and depth and (depth > DEPTH or not os.access(place, os.R_OK | os.X_OK)):
            yield place
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append((place / entry.name, depth + 1))
            else:
                yield place / entry.name


def own_files(folder: Path) -> Iterator[tuple[str, BufferedReader]]:
    """Open every file that lies in *folder* and nowhere else, by name and in order, to hand it on to others.

    What is opened was looked at after it was opened, so that nobody can put a link in its place in between.

    Raises:
        RunError: A link, a hard link, a pipe or a device lies there, or a name that no archive can bear.
    """
    with ExitStack() as stack:
        root = os.open(folder, os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, root)
        for path in sorted(below(folder)):
            place = path.relative_to(folder)
            name = place.as_posix()
            try:
                file = _own(root, place.parts)
            except OSError as error:
                raise RunError(
                    f"{ascii(str(path))[1:-1]} is no file of the run: {why_none(error)}.",
                    "Remove it, or put a copy of what it leads to in its place.",
                ) from error
            with file:
                yield name, file


def own_file(folder: Path, place: PurePath) -> BufferedReader:
    """Open the file *place* below *folder*, which has to lie there and nowhere else.

    Raises:
        OSError: Nothing lies there, or a link, a hard link, a pipe or a device, or a link leads there.
    """
    root = os.open(folder, os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return _own(root, place.parts)
    finally:
        os.close(root)


def why_none(error: OSError) -> str:
    """Say why :func:`own_file` opened nothing."""
    return "it is a link" if error.errno in _LINKS else str(error.strerror)


_LINKS: Final = (errno.ELOOP, errno.ENOTDIR)
"""What opening says of a link that may not be followed: to a file, to a folder."""


def _own(root: int, parts: tuple[str, ...]) -> BufferedReader:
    """Open a file below the folder *root*, step by step and along no link."""
    if any("\\" in part or "\udc80" <= max(part) <= "\udcff" for part in parts):
        raise OSError(errno.EINVAL, "its name is one that no archive can bear")
    with ExitStack() as stack:
        for part in parts[:-1]:
            root = os.open(part, _READ | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=root)
            stack.callback(os.close, root)
        file = _regular(os.open(parts[-1], _READ | os.O_NOFOLLOW, dir_fd=root))
    if os.fstat(file.fileno()).st_nlink > 1:
        file.close()
        raise OSError(errno.EMLINK, "it has another name elsewhere (a hard link)")
    return file


def _regular(descriptor: int) -> BufferedReader:
    state = os.fstat(descriptor)
    empty = state.st_size > SMALL and state.st_blocks << 9 < state.st_size >> 10
    if empty or not stat.S_ISREG(state.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is a hole without end" if empty else "it is no regular file")
    with suppress(OSError):
        os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "rb")
