"""Answers of git that were given before: as long as no ref has moved, a request has the same answer."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from memgauge.studies.track.git.backend import GitRequest

TOGETHER: Final = 64 << 20
"""Bytes of all answers that are held."""
LARGEST: Final = 16 << 20
"""Bytes of one."""
_ASKED: Final = ("Content-Type", "Content-Encoding", "Git-Protocol")
"""Heads of a request that git is told of."""
_STATE: Final = ("HEAD", "config", "packed-refs", "shallow")
"""Files of a repository, beside its refs, that decide what it hands out."""
_CHUNK: Final = 1 << 16


@dataclass(frozen=True)
class HeldAnswer:
    """An answer, whole."""

    status: int
    headers: tuple[tuple[str, str], ...]
    content: bytes


class HeldAnswers:
    """The last answers, by request and by where the refs stood."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, HeldAnswer] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, key: str) -> HeldAnswer | None:
        """Return what was answered."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def put(self, key: str, answer: HeldAnswer) -> None:
        """Hold an answer, unless it is too large."""
        if len(answer.content) > LARGEST:
            return
        with self._lock:
            if key in self._held:
                return
            self._held[key] = answer
            self._size += len(answer.content)
            while self._size > TOGETHER:
                self._size -= len(self._held.popitem(last=False)[1].content)


def request_key(repository: Path, request: GitRequest, body: BinaryIO) -> str:
    """Hash a request and all that its answer follows from; *body* is left where it began."""
    digest = hashlib.sha256(
        f"{request.method}\0{request.path}\0{request.query}".encode("utf-8", "surrogateescape")
    )
    for name in _ASKED:
        digest.update(f"\0{request.headers.get(name) or ''}".encode("utf-8", "surrogateescape"))
    while piece := body.read(_CHUNK):
        digest.update(hashlib.sha256(piece).digest())
    body.seek(0)
    digest.update(refs_state(repository).encode())
    return digest.hexdigest()


def refs_state(repository: Path) -> str:
    """Hash where every ref of a repository stands: what a commit holds never changes."""
    digest = hashlib.sha256()
    loose = sorted(path for path in (repository / "refs").rglob("*") if path.is_file())
    for path in (*(repository / name for name in _STATE), *loose):
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        digest.update(f"{path}\0".encode("utf-8", "surrogateescape") + hashlib.sha256(content).digest())
    return digest.hexdigest()
