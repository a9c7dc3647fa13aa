"""A small memory that is right on several threads: rows behind one lock, and a file that is replaced whole."""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, ClassVar
from weakref import finalize

from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, Scope
from memgauge.systems.protocol import Capabilities, Role
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Turn

    Rows = list[Memory]

WINDOW_S = 0.0005
_SLOT = re.compile(r"My (.+) is ")


def window() -> None:
    """Let others in, as a request to a database or a model does."""
    time.sleep(WINDOW_S)


class Shelved:
    """Keeps turns per scope behind one lock, and writes all of them to a file before it acknowledges any."""

    name = "racy:none"
    version = "1"
    how: ClassVar[str] = "none"
    supersedes = False
    """Whether a slot has one value."""

    def __init_subclass__(cls, *, how: str) -> None:
        """Name a memory by what is wrong with it."""
        super().__init_subclass__()
        cls.how, cls.name = how, f"racy:{how}"

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.rows: dict[Scope, Rows] = {}
        self.folder = Path(mkdtemp(prefix="memgauge-racy-"))
        finalize(self, rmtree, self.folder, ignore_errors=True)

    def capabilities(self) -> Capabilities:
        """Promise what needs no promise."""
        return Capabilities(declares_sources=True, reports_changes=True, role=Role.FLOOR)

    @contextmanager
    def guarded(self, scope: Scope) -> Iterator[Scope]:
        """Let nobody else in."""
        with self.lock:
            yield scope

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store turns; one that is there already changes nothing."""
        with self.guarded(scope):
            for turn in turns:
                self.add(Memory(turn.id, turn.text, Form.RAW, (turn.id,)), scope)
            self.save()
        return Receipt(tuple(Change(Operation.ADD, turn.id) for turn in turns))

    def add(self, memory: Memory, scope: Scope) -> None:
        """Store one memory."""
        rows = self.rows.get(scope, [])
        if all(row.id != memory.id for row in rows):
            self.rows[scope] = [*self.surviving(rows, memory), memory]

    def surviving(self, rows: Rows, new: Memory) -> Rows:
        """Return what a new memory leaves."""
        slot = _SLOT.match(new.text)
        return [row for row in rows if not (self.supersedes and slot and row.text.startswith(slot[0]))]

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return at once."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - all is returned
        """Return the latest first."""
        return Ranking(tuple(Hit(row) for row in reversed(list(self.dump(scope))))[:k])

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List what is stored."""
        with self.guarded(scope):
            return list(self.rows.get(scope, ()))

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace a text."""
        with self.guarded(scope):
            rows = self.rows.get(scope, [])
            self.rows[scope] = [replace(row, text=text) if row.id == memory else row for row in rows]
            self.save()
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories."""
        with self.guarded(scope):
            rows = self.rows.get(scope, [])
            self.rows[scope] = [row for row in rows if row.id not in memories]
            self.save()
            return len(rows) - len(self.rows[scope])

    def erase(self, scope: Scope) -> None:
        """Remove all of a scope."""
        with self.guarded(scope):
            self.rows.pop(scope, None)
            self.save()

    def reset(self) -> None:
        """Remove everything."""
        with self.lock:
            self.rows = {}
            self.save()

    @property
    def file(self) -> Path:
        """The one file."""
        return self.folder / "rows.json"

    def save(self) -> None:
        """Write everything beside the file, and put it in its place."""
        with self.lock:
            fresh = self.folder / f"rows-{threading.get_ident()}"
            fresh.write_text(self.content(), "utf-8")
            fresh.replace(self.file)

    def content(self) -> str:
        """Return what the file is to hold."""
        return json.dumps([[scope.user, row.id, row.text] for scope, rows in self.rows.items() for row in rows])

    def reopen(self) -> None:
        """Read the file."""
        with self.lock:
            self.rows = self.load()

    def load(self) -> dict[Scope, Rows]:
        """Return what the file holds."""
        rows: dict[Scope, Rows] = {}
        for user, key, text in json_file(self.file) if self.file.exists() else ():
            rows.setdefault(Scope(user), []).append(Memory(key, text, Form.RAW, (key,)))
        return rows

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder."""
        return (self.folder,)


class OneValue(Shelved, how="one-value"):
    """Right, and keeps one value a slot."""

    supersedes = True
