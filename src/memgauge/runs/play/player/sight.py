"""What a process can reach, looked at from inside before any foreign code is loaded."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

_PROCESSES = "/proc/self/ns/pid"


@dataclass(frozen=True)
class HiddenFiles:
    """What should be out of sight, as its owner knows it."""

    places: Mapping[str, tuple[int, int]]
    """Device and number of every file and folder, by its path: another thing may stand there in its place."""
    owner: int
    """The process id of the owner."""
    namespace: str
    """Of processes, that the owner lives in."""
    expected: str = ""
    """The system that will probably be played first."""


def sought(places: Iterable[Path], expected: str = "") -> HiddenFiles:
    """Describe what is here, for somebody who is to look for it elsewhere."""
    known = {str(place): _identity(str(place)) for place in places}
    there = {place: identity for place, identity in known.items() if identity is not None}
    return HiddenFiles(there, os.getpid(), _namespace(), expected)


def look(wanted: HiddenFiles) -> dict[str, Sequence[str] | bool]:
    """Say which places can be read, and whether the owner's memory can."""
    return {
        "places": [place for place, identity in wanted.places.items() if _readable(place, identity)],
        "owner": _namespace() == wanted.namespace and _opens(f"/proc/{wanted.owner}/mem"),
    }


def _readable(place: str, identity: tuple[int, int]) -> bool:
    if _identity(place) != identity:
        return False
    if not os.path.isdir(place):  # noqa: PTH112 - this process imports little
        return _opens(place)
    with suppress(OSError):
        os.listdir(place)  # noqa: PTH208 - as above
        return True
    return False


def _identity(place: str) -> tuple[int, int] | None:
    with suppress(OSError):
        status = os.stat(place)  # noqa: PTH116 - as above
        return status.st_dev, status.st_ino
    return None


def _opens(path: str) -> bool:
    with suppress(OSError), open(path, "rb"):  # noqa: PTH123 - as above
        return True
    return False


def _namespace() -> str:
    with suppress(OSError):
        return os.readlink(_PROCESSES)  # noqa: PTH115 - as above
    return ""
