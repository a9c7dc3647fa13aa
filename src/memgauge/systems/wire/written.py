"""Footprint: which files a memory has written, declared or not, as is known from outside.

Of what runs in this process, Python reports every file that is opened, renamed or handed to SQLite and every
folder that is made (audit events, PEP 578). Processes that it started are looked at where the system lists what
they hold open; the folders they were given were made here. A hook cannot be removed: there is one, which listens
while anybody does.
"""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND
_NOT_FILES: Final = re.compile("/(?:proc|dev(?!/shm)|sys)/")
_SIDE: Final = ("-wal", "-journal", "-shm", ".bak", "~", ".tmp", ".old", ".1", ".gz")
"""What is put beside a file by those who write it."""
_MOVES: Final = frozenset({"os.rename", "os.link", "os.symlink", "shutil.copyfile", "shutil.move"})
_FOLDERS: Final = frozenset({"os.mkdir", "tempfile.mkdtemp"})
_STARTS: Final = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"})
_NAMED: Final = re.compile(r"/[^\s'\"<>|&;()]+")
"""A path among the words of a command."""
_COMPILED: Final = ".pyc"


class WrittenFiles:
    """What was written since it was made."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self._began = time.time() - 1
        _listen(self)

    def files(self, declared: Iterable[Path] = ()) -> list[Path]:
        """Name the files that are still there of all that was written, beside them or beside *declared* ones."""
        beside = (str(path.parent / name) for path in declared for name in _beside(path))
        names = [*self.paths, *beside, *_held_open(_children(os.getpid()))]
        files: dict[Path, None] = {}
        for name in sorted(names):
            path = Path(name)
            below = (
                sorted(path.rglob("*")) if _is(path, "folder") else [path, *(Path(name + side) for side in _SIDE)]
            )
            files |= dict.fromkeys(file for file in below if self._is_new(file))
        return list(files)

    def _is_new(self, file: Path) -> bool:
        return _is(file, "file") and file.suffix != _COMPILED and file.stat().st_mtime >= self._began


_watching: WeakSet[WrittenFiles] = WeakSet()
_state = {"hooked": False}


def _listen(footprint: WrittenFiles) -> None:
    if not _state["hooked"]:
        _state["hooked"] = True
        sys.addaudithook(_heard)
    _watching.add(footprint)


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching:
        return
    if event == "open":
        if len(arguments) > 2 and isinstance(arguments[2], int) and arguments[2] & _WRITES:
            _keep(arguments[0])
    elif event in _MOVES and len(arguments) > 1:
        _keep(arguments[1])
    elif (event in _FOLDERS or event == "sqlite3.connect") and arguments:
        _keep(arguments[0])
    elif event in _STARTS:
        _keep_named(arguments[1] if len(arguments) > 1 else arguments[0])


def _keep_named(command: object) -> None:
    """Keep the paths that a command names; a folder that is there already was not made by it."""
    for word in command if isinstance(command, list | tuple) else [command]:
        if isinstance(word, str | bytes | os.PathLike):
            for match in _NAMED.finditer(os.fsdecode(word)):
                if not _is(Path(match[0]), "folder"):
                    _keep(match[0])


def _keep(path: object) -> None:
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if isinstance(path, str | os.PathLike):
        name = os.path.abspath(str(path).removeprefix("file:").partition("?")[0])  # noqa: PTH100 - it may be no path
        if not _NOT_FILES.match(name):
            for footprint in list(_watching):
                footprint.paths.add(name)


def _beside(path: Path) -> Iterator[str]:
    """Yield what lies beside a file and has its name and a mark before more."""
    for name in os.listdir(path.parent) if _is(path.parent, "folder") else ():  # noqa: PTH208 - the folder may be full
        more = name[len(path.name) :]
        if more and name.startswith(path.name) and not (more[0].isascii() and more[0].isalnum()):
            yield name


def _is(path: Path, kind: str) -> bool:
    try:
        return path.is_dir() if kind == "folder" else path.is_file()
    except (OSError, ValueError):
        return False


def _children(pid: int) -> Iterator[int]:
    """Yield the processes below one, where the system says."""
    try:
        tasks = [task / "children" for task in Path(f"/proc/{pid}/task").iterdir()]
        below = [int(child) for task in tasks for child in task.read_text("ascii").split()]
    except OSError:
        return
    for child in below:
        yield child
        yield from _children(child)


def _held_open(pids: Iterator[int]) -> Iterator[str]:
    """Yield the files that processes hold open to write to."""
    for pid in pids:
        try:
            for link in Path(f"/proc/{pid}/fd").iterdir():
                flags = Path(f"/proc/{pid}/fdinfo/{link.name}").read_text("ascii").partition("flags:")[2].split()
                if flags and int(flags[0], 8) & _WRITES:
                    yield str(link.readlink())
        except OSError:
            continue
