"""What was added, by whom and under which request: so that a replay stores nothing, here or after a restart."""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.systems.aml.reading import AddRequest, Refused
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MADE: Final = """
CREATE TABLE IF NOT EXISTS adds (
    place INTEGER PRIMARY KEY, user TEXT NOT NULL, request TEXT NOT NULL, sha256 TEXT NOT NULL, body TEXT,
    UNIQUE (user, request)
)
"""


class Seen(StrEnum):
    """What is known of a request."""

    NEW = "new"
    REPLAY = "replay"
    CONFLICT = "conflict"
    """The same id, and another body."""


class RequestJournal:
    """Requests that were answered with success: in memory, or in a file that outlives its process."""

    def __init__(self, path: Path | None = None) -> None:
        """Open a journal; a file keeps bodies too, so that a memory that lost them can be filled again.

        Raises:
            ConfigError: The file is no journal, or cannot be used.
        """
        self._keeps_bodies = path is not None
        self._lock = threading.Lock()
        try:
            self._rows = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
            weakref.finalize(self, self._rows.close)
            self._rows.execute("PRAGMA journal_mode = WAL")
            self._rows.execute("PRAGMA synchronous = FULL")
            self._rows.execute(_MADE)
        except sqlite3.Error as error:
            raise ConfigError(
                f"{path} cannot be a journal: {error}.", "Name a file that is not there yet."
            ) from error

    def seen(self, add: AddRequest) -> Seen:
        """Say whether a request was answered before."""
        with self._lock:
            row = self._rows.execute(
                "SELECT sha256 FROM adds WHERE user = ? AND request = ?", _key(add)
            ).fetchone()
        if row is None:
            return Seen.NEW
        return Seen.REPLAY if row[0] == add.sha256 else Seen.CONFLICT

    def note(self, add: AddRequest) -> None:
        """Note that a request is stored, on disk before this returns."""
        body = json.dumps(add.plain()) if self._keeps_bodies else None
        with self._lock:
            self._rows.execute(
                "INSERT INTO adds (user, request, sha256, body) VALUES (?, ?, ?, ?)",
                (*_key(add), add.sha256, body),
            )

    def stored(self) -> Iterator[AddRequest]:
        """Yield what was added, in order, where bodies are kept.

        Raises:
            ConfigError: A row was changed by somebody else.
        """
        for place, body in self._rows.execute(
            "SELECT place, body FROM adds WHERE body IS NOT NULL ORDER BY place"
        ):
            try:
                yield AddRequest.read(json_of(body))
            except (ValueError, Refused) as error:
                raise ConfigError(
                    f"Row {place} of the journal is none: {error}.", "Begin with a new file."
                ) from None

    def close(self) -> None:
        """Let go of the file."""
        self._rows.close()


def _key(add: AddRequest) -> tuple[str, str]:
    """Spell the ids as a database takes them, each in its own way: escapes keep unlike ids unlike."""
    return json.dumps(add.user), json.dumps(add.request)
