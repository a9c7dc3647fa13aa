"""Where files of a registry are opened that strangers propose: each lies there itself, and is not too large."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from memgauge.errors import MalformedDataError
from memgauge.runs.record.compact import SHARED
from memgauge.runs.record.files import own_file, why_none
from memgauge.show.numbers import in_bytes

if TYPE_CHECKING:
    from pathlib import Path

FILE_BYTES: Final = 10 << 20
"""Of the largest file that lies in a submission; larger bundles are pointed to."""


def lies(path: Path) -> bool:
    """Whether anything lies there at all; where a link leads is not looked at."""
    return os.path.lexists(path)


def own(root: Path, path: Path, most: int | None = FILE_BYTES) -> Path:
    """Return *path*, a file that lies below *root* and is to be read: along no link, and no pipe or device.

    Raises:
        MalformedDataError: It is none, or has more bytes than *most*. What lies behind a link is not said.
    """
    if not path.is_relative_to(root) or ".." in (place := path.relative_to(root)).parts:
        raise MalformedDataError(f"{path.name} does not lie in the registry.", "Put the file itself there.")
    try:
        with own_file(root, place) as file:
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:  # no name holds the character 0
        why = why_none(error) if isinstance(error, OSError) else "its name is none"
        raise MalformedDataError(
            f"{place.as_posix()} is no file of its own: {why}.",
            "Put the file itself there, and no link.",
        ) from error
    if most is not None and size > most:
        raise MalformedDataError(
            f"{place.as_posix()} has {in_bytes(size)}.", f"Up to {most >> 20} MiB are read of such a file."
        )
    return path


def own_bundle(root: Path, path: Path) -> Path:
    """Return the bundle at *path*, to be opened: it, and what it shares with others, are files of their own.

    How much may come of a bundle is bounded where it is unpacked.

    Raises:
        MalformedDataError: One of the two is none.
    """
    shared = path.with_name(SHARED)
    if lies(shared):
        own(root, shared, None)
    return own(root, path, None)
