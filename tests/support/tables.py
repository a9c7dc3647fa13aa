"""What was read of tables of runs: tests read the same small ones hundreds of times, in new commands."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any, TypeVar

from memgauge.runs.record import journal, store
from memgauge.runs.record.tables import ORDERS
from memgauge.scoring import verify
from memgauge.text import parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import pytest

    from memgauge.runs.record.seal import ContentHashes
    from memgauge.runs.record.store import Columns, Run

    Asking = Callable[[Run, str, Sequence[object]], list[dict[str, Any]]]

LARGEST = 1 << 20
"""Bytes of a file that is hashed to find what was read of it."""
REMEMBERED = 4096

Answer = TypeVar("Answer")
Key = tuple[object, ...]


def remember(patch: pytest.MonkeyPatch) -> None:
    """Ask the database once for what files with these very bytes say; what it refuses, it is asked again.

    What a query returns follows from the query and the bytes of the files that it names. Everything around the
    query, seals and hashes of files included, is done each time.
    """
    memory = _Memory()
    patch.setattr(store.Run, "_read", _columns(store.Run._read, memory))
    patch.setattr(store.Run, "_rows", _rows(store.Run._rows, memory))
    patch.setattr(verify, "_rebuilt", _hashes(verify._rebuilt, memory, [journal.FILE]))
    patch.setattr(verify, "_stored", _hashes(verify._stored, memory, [f"{table}.parquet" for table in ORDERS]))
    patch.setattr(parquet, "_check", _checked(parquet._check, memory))


class _Memory(dict[Key, Any]):
    """The last answers."""

    def ask(self, key: Key | None, ask: Callable[[], Answer]) -> Answer:
        """Return what is remembered under a key, or ask; without a key nothing is remembered."""
        if key is None:
            return ask()
        if key not in self:
            if len(self) >= REMEMBERED:
                del self[next(iter(self))]
            self[key] = ask()
        answer: Answer = self[key]
        return answer


def _digests(files: Iterable[Path]) -> Key | None:
    """Hash small files that are there; nothing is remembered of others."""
    digests = []
    for path in files:
        try:
            if path.stat().st_size > LARGEST:
                return None
            digests.append(hashlib.sha256(path.read_bytes()).digest())
        except OSError:
            return None
    return tuple(digests)


def _asked(run: Run, query: str, *more: object) -> Key | None:
    named = [table for table in ORDERS if f"{{{table}}}" in query]
    digests = _digests(run.folder / f"{table}.parquet" for table in named)
    return None if digests is None else (query, *more, digests)


def _columns(read: Callable[[Run, str], Columns], memory: _Memory) -> Callable[[Run, str], Columns]:
    @functools.wraps(read)
    def columns(run: Run, query: str) -> Columns:
        answer = memory.ask(_asked(run, query), lambda: read(run, query))
        return {name: column.copy() for name, column in answer.items()}

    return columns


def _rows(read: Asking, memory: _Memory) -> Asking:
    @functools.wraps(read)
    def rows(run: Run, query: str, parameters: Sequence[object]) -> list[dict[str, Any]]:
        key = _asked(run, query, repr(parameters))
        return list(map(dict, memory.ask(key, lambda: read(run, query, parameters))))

    return rows


def _hashes(
    find: Callable[..., ContentHashes], memory: _Memory, names: Sequence[str]
) -> Callable[..., ContentHashes]:
    @functools.wraps(find)
    def hashes(run: Run, *before: ContentHashes | None) -> ContentHashes:
        digests = _digests(run.folder / name for name in names)
        return memory.ask(None if digests is None else (find.__name__, digests), lambda: find(run, *before))

    return hashes


def _checked(check: Callable[[Path, int, int], None], memory: _Memory) -> Callable[[Path, int, int], None]:
    @functools.wraps(check)
    def checked(path: Path, size: int, written: int) -> None:
        digests = _digests([path])
        memory.ask(None if digests is None else ("check", digests), lambda: check(path, size, written))

    return checked
