"""A mapping that may be larger than memory: what came last is held, all else lies in a file without a name."""

from __future__ import annotations

import hashlib
import json
import pickle
import sqlite3
import weakref
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

K = TypeVar("K")
V = TypeVar("V")
_HELD: Final = 1 << 14
"""Values that are held until they are written together."""
_CACHE_KIB: Final = 32 << 10
_LONG, _HEAD = 160, 64
"""Letters from which on a key is written as its beginning and its hash: neighbours stay neighbours."""


class DiskMap(Generic[K, V]):
    """Keys are texts, or tuples of texts and of such tuples; values are anything that can be pickled.

    What is taken out may be a copy: a value that was changed in place has to be put back.
    """

    def __init__(self, held: int = _HELD) -> None:
        """Make an empty mapping that holds so many values."""
        self._held = held
        self._new: dict[K, V] = {}
        # An empty name is a file of its own among the temporary ones, which goes when it is closed.
        self._file = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        weakref.finalize(self, self._file.close)
        for setting in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KIB}"):
            self._file.execute(f"PRAGMA {setting}")
        self._file.execute("CREATE TABLE pairs (number INTEGER PRIMARY KEY, key TEXT UNIQUE, value BLOB)")

    def __getitem__(self, key: K) -> V:
        if key in self._new:
            return self._new[key]
        row = self._file.execute("SELECT value FROM pairs WHERE key = ?", (_spelt(key),)).fetchone()
        if row is None:
            raise KeyError(key)
        value: V = pickle.loads(row[0])  # noqa: S301 - written by this process, read by no other
        return value

    def get(self, key: K) -> V | None:
        """Return a value, or nothing."""
        try:
            return self[key]
        except KeyError:
            return None

    def __contains__(self, key: K) -> bool:
        if key in self._new:
            return True
        return self._file.execute("SELECT 1 FROM pairs WHERE key = ?", (_spelt(key),)).fetchone() is not None

    def __setitem__(self, key: K, value: V) -> None:
        self._new[key] = value
        if len(self._new) >= self._held:
            self._write()

    def values(self) -> Iterator[V]:
        """Yield all values in the order in which their keys came, as a dictionary does."""
        self._write()
        for (value,) in self._file.execute("SELECT value FROM pairs ORDER BY number"):
            yield pickle.loads(value)  # noqa: S301 - as above

    def clear(self) -> None:
        """Forget everything."""
        self._new.clear()
        self._file.execute("DELETE FROM pairs")

    def _write(self) -> None:
        rows = [(_spelt(key), pickle.dumps(value, pickle.HIGHEST_PROTOCOL)) for key, value in self._new.items()]
        self._file.execute("BEGIN")
        self._file.executemany(
            "INSERT INTO pairs (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            rows,
        )
        self._file.execute("COMMIT")
        self._new.clear()


def _spelt(key: object) -> str:
    text = json.dumps(key)
    return text if len(text) <= _LONG else f"{text[:_HEAD]}#{hashlib.sha256(text.encode()).hexdigest()}"
