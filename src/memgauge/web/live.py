"""How far unfinished runs are, from what their journals say so far; nothing is locked, nothing is waited for."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from memgauge.errors import MemgaugeError, RunError
from memgauge.runs.record.files import opened
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.text.halves import encodable
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.web.library import Item, Library

_END, _QUESTION = b'{"t":"end"', b'{"t":"question"'


@dataclass(frozen=True)
class Progress:
    """What is on disk of a run."""

    run: str
    conversations: int
    questions: int
    failed: int
    total: int | None
    """Conversations of the plan, where the data is here to be counted."""
    sealed: bool

    @property
    def text(self) -> str:
        """Say it in a line."""
        of = f" of {self.total:,}" if self.total else ""
        failures = f", {self.failed:,} without a result" if self.failed else ""
        counts = f"{self.conversations:,}{of} conversations, {self.questions:,} questions{failures}"
        return f"finished: {counts}" if self.sealed else counts


@dataclass
class _Counted:
    offset: int = 0
    finished: set[str] = field(default_factory=set)
    questions: int = 0
    failed: dict[str, int] = field(default_factory=dict)


class Tails:
    """Follows journals: each is read once, and then only what was added."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._counted: dict[Path, _Counted] = {}
        self._totals: dict[str, int] = {}
        self._lock = Lock()

    def progress(self, *, totals: bool = False) -> list[Progress]:
        """Return how far every unfinished run is; *totals* opens data to count what is planned."""
        self._library.note_momentary()
        with self._lock:
            return [self._progress(item, totals) for item in self._library.items() if not item.sealed]

    def event(self) -> str:
        """Return the same as one server-sent event."""
        by_run = {
            progress.run: asdict(progress) | {"text": progress.text} for progress in self.progress(totals=True)
        }
        return f"data: {json.dumps(by_run)}\n\n"

    def _progress(self, item: Item, totals: bool) -> Progress:
        counts = self._counted.setdefault(item.folder, _Counted())
        _read_on(item.folder / JOURNAL, counts)
        failures = sum(counts.failed.values())
        total = self._total(item, totals)
        return Progress(item.key, len(counts.finished), counts.questions, failures, total, item.sealed)

    def _total(self, item: Item, look: bool) -> int | None:
        if item.manifest is None:
            return None
        ref = item.manifest.dataset.ref
        if look and ref not in self._totals:
            try:
                self._totals[ref] = sum(1 for _ in self._library.dataset(ref).cases())
            except MemgaugeError:
                self._totals[ref] = 0  # the data is elsewhere: progress is shown without its end
        known_total = self._totals.get(ref) or None
        limit = item.manifest.conversations
        return min(limit, known_total) if limit and known_total else limit or known_total


def _read_on(path: Path, counts: _Counted) -> None:
    """Count the whole lines that were added; a torn last line waits for its rest."""
    try:
        with opened(path) as file:
            if file.seek(0, 2) < counts.offset:  # it was cut back after a kill
                counts.__init__()  # type: ignore[misc]
            file.seek(counts.offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                counts.offset += len(line)
                if line.startswith(_QUESTION):
                    counts.questions += 1
                elif line.startswith(_END):
                    _note(line, counts)
    except (OSError, RunError):
        return  # it has not been begun, or went away


def _note(line: bytes, counts: _Counted) -> None:
    try:
        row = json_of(line)
        name, failures = encodable(str(row["conversation"])), int(row["failed"])
    except (ValueError, KeyError, TypeError):
        return  # a line of somebody else's making says nothing
    counts.finished.add(name)
    counts.failed[name] = failures
