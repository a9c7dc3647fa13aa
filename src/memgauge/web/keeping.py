"""What was made, by a key that names all it follows from: the last of it in memory, more in the user's cache.

Processes share the folder, and the next start finds it. A file that was cut or altered is as good as none.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections import OrderedDict
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from threading import Lock
from typing import TYPE_CHECKING, Final

from memgauge.datasets.files import cache_root
from memgauge.submissions.rows.keeping import code_digest, sum_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER: Final = "viewer"
"""Below the cache folder."""
MEMORY: Final = 48 << 20
"""Bytes that a process holds of what it read or made last."""
DISK: Final = 512 << 20
"""Bytes of the folder, from which on the oldest go."""
LARGEST: Final = 64 << 20
"""Bytes of what is kept at all."""
_EACH: Final = 1 << 20
"""Bytes of what is held in memory too."""
_SUM: Final = 64
_PACKAGES: Final = ("altair", "duckdb", "jinja2", "markupsafe", "numpy", "scipy", "vl-convert-python")


def viewer_cache() -> Path:
    """Return where the viewer keeps what it made."""
    return cache_root() / FOLDER


@cache
def made_by() -> str:
    """Name the code that makes pages: all of ours, and of the packages that count and draw."""
    return " ".join([code_digest(("",)), *(f"{package}={version(package)}" for package in _PACKAGES)])


def key_of(*parts: str) -> str:
    """Hash what something follows from, the code that makes it included."""
    return hashlib.sha256("\0".join((made_by(), *parts)).encode("utf-8", "surrogatepass")).hexdigest()


class ContentStore:
    """Bytes by key, in memory and, where a folder is named, there."""

    def __init__(self, folder: Path | None = None, *, memory: int = MEMORY, disk: int = DISK) -> None:
        self.folder = folder
        self._memory, self._disk = memory, disk
        self._held: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._written = disk  # so that the first one that is written makes room
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[ContentStore], tuple[Path | None]]:
        """Let another process have the folder, and a memory of its own."""
        return ContentStore, (self.folder,)

    def get(self, key: str) -> bytes | None:
        """Return what is kept under *key*; ``None`` where nothing is, or not as it was written."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        content = self._read(key)
        if content is not None:
            self._hold(key, content)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep *content*; a disk that is full or not ours is no reason to show nothing."""
        if len(content) > LARGEST:
            return
        self._hold(key, content)
        if self.folder is None:
            return
        path = self._path(key)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            self._make_room(len(content))
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.write_bytes(sum_of(key, content) + content)
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """Let one process of all make what is kept under *key*; the others wait until it has, or died."""
        if self.folder is None:
            yield
            return
        path = self._path(key).with_suffix(".lock")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = path.open("wb")
        except OSError:
            yield
            return
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _path(self, key: str) -> Path:
        assert self.folder is not None  # noqa: S101 - asked above
        return self.folder / key[:2] / key

    def _read(self, key: str) -> bytes | None:
        if self.folder is None:
            return None
        try:
            stored = self._path(key).read_bytes()
        except OSError:
            return None
        content = stored[_SUM:]
        return content if stored[:_SUM] == sum_of(key, content) else None

    def _hold(self, key: str, content: bytes) -> None:
        with self._lock:
            self._size -= len(self._held.pop(key, b""))
            if len(content) <= _EACH:
                self._held[key] = content
                self._size += len(content)
            while self._size > self._memory:
                self._size -= len(self._held.popitem(last=False)[1])

    def _make_room(self, size: int) -> None:
        """Look at the whole folder each time that an eighth of what it may hold was written."""
        self._written += size
        if self._written < self._disk // 8 or self.folder is None:
            return
        self._written = 0
        files = [(state.st_mtime_ns, state.st_size, path) for path, state in _files(self.folder)]
        total = sum(size_of_file for _, size_of_file, _ in files)
        for _, size_of_file, path in sorted(files):
            if total <= self._disk * 3 // 4:
                break
            with suppress(OSError):
                path.unlink()
            total -= size_of_file


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for path in folder.glob("*/*"):
        with suppress(OSError):
            yield path, path.stat()
