"""How a player is started so that it cannot reach what would be right: best means first, each tried before use.

Network, devices of this machine's graphics cards, temporary folders, caches and the working folder stay as they
are: systems under test need them. What is hidden is what a run names: files of data, folders of runs, keys.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge import version
from memgauge.runs.play.watch import GOLDEN
from memgauge.text.scrubbing import KEY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CARDS: Final = ("/dev/nvidia*", "/dev/dri", "/dev/kfd", "/dev/shm")  # noqa: S108 - devices
_DATA: Final = frozenset({".json", ".jsonl", ".csv", ".tsv", ".parquet", ".zip", ".gz"})
_MOST: Final = 512
"""Places that are hidden, at most; what is more goes in the order of their names."""

_LOOKED: Final = 50_000
"""Files that are looked at in a folder that cannot be hidden whole."""


@dataclass(frozen=True)
class Hidden:
    """What a player must not reach."""

    data: tuple[Path, ...] = ()
    """Files and folders of datasets."""
    runs: tuple[Path, ...] = ()
    """Folders of runs."""
    keys: frozenset[str] = field(default=frozenset())
    """Variables that are handed on although they look like keys: what is played declares them."""

    @property
    def places(self) -> tuple[Path, ...]:
        """Return every file and folder, none below another, and no folder that playing itself needs."""
        resolved = sorted({place.resolve() for place in (*self.data, *self.runs) if _there(place)})
        needed = tuple(_needed())
        single: dict[Path, None] = {}
        for place in resolved:
            if any(place in (need, *need.parents) for need in needed):
                single |= dict.fromkeys(_files(place))
            else:
                single[place] = None
        chosen = [place for place in single if not any(above in single for above in place.parents)]
        return tuple(chosen[:_MOST])


def bubblewrap(hidden: Hidden) -> list[str]:
    """Return what stands before a command that runs behind bubblewrap; empty where there is none.

    Processes are its own, so that the owner's memory is out of sight; devices are few, so that no disk can be read
    past its file system; Python and this package cannot be changed for whoever comes later.
    """
    program = shutil.which("bwrap")
    if program is None:
        return []
    flags = [program, "--bind", "/", "/", "--dev", "/dev"]
    for pattern in _CARDS:
        for device in sorted(Path("/dev").glob(pattern.removeprefix("/dev/"))):
            flags += ["--dev-bind-try", str(device), str(device)]
    for folder in _code():
        flags += ["--ro-bind", str(folder), str(folder)]
    for room in GOLDEN:
        flags += ["--tmpfs", str(_package() / room)]
    for place in hidden.places:
        flags += ["--tmpfs", str(place)] if _folder(place) else ["--ro-bind", os.devnull, str(place)]
    flags += ["--unshare-pid", "--proc", "/proc", "--cap-drop", "ALL", "--chdir", str(Path.cwd()), "--"]
    return flags


def secret(names: Iterable[str]) -> tuple[str, ...]:
    """Name the variables that look like keys and hold something here."""
    return tuple(name for name in names if os.environ.get(name) and KEY_NAME.search(name))


def _package() -> Path:
    return Path(version.__file__).resolve().parent


def _code() -> Iterator[Path]:
    package = _package()
    prefixes = {Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix)}
    yield from sorted(prefixes - {Path("/")})
    if not any(prefix in package.parents for prefix in prefixes):
        yield package.parent


def _needed() -> Iterator[Path]:
    """Yield the folders that have to stay: where we are, what is imported from, and Python itself."""
    yield Path.cwd()
    yield from _code()
    yield from (Path(entry).resolve() for entry in sys.path if entry and _folder(Path(entry)))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, or the file itself, that look like data; not those of code."""
    if not _folder(folder):
        yield folder
        return
    looked = 0
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "site-packages")
        looked += len(names)
        if looked > _LOOKED:
            return
        yield from (Path(above, name) for name in sorted(names) if Path(name).suffix.lower() in _DATA)


def _there(path: Path) -> bool:
    """Whether something is there, as far as one may look."""
    return os.path.exists(path)  # noqa: PTH110 - a path's own method raises where one may not


def _folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - as above
