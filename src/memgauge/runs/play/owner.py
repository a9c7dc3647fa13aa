"""The one owner of the journals of a command: who writes, what is still to be done, and what is sealed when.

A journal is open, and so locked, from the first task of its cell that is handed out until the last one is back:
a grid of many datasets does not hold a file for each of its cells.
"""

from __future__ import annotations

import hashlib
import resource
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from memgauge.errors import IdentityError, RunError
from memgauge.runs.play.remaining import WorkDone
from memgauge.runs.play.sealers import Sealers
from memgauge.runs.play.written import WrittenRecord
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.journal import Journal
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.manifest import Manifest
from memgauge.runs.record.seal import sealed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memgauge.runs.play.executors.base import Done
    from memgauge.runs.play.plan import PlannedRun

_PIECE = 1 << 20
SPARE = 256
"""Files that everything else may need: datasets, workers, libraries."""


class Owner:
    """Owns the journals of all cells that are not finished."""

    def __init__(self, cells: Sequence[PlannedRun], folders: Sequence[Path]) -> None:
        """Make the folders that are missing, and read how far each cell is.

        Raises:
            RunError: A folder is in use, or holds something else, or cannot be made.
        """
        self._cells = cells
        self._folders = folders
        self._sealers = Sealers(sum(not sealed(folder) for folder in folders))
        self._journals: dict[int, Journal] = {}
        self._open: dict[int, ExitStack] = {}
        self._away: dict[int, int] = {}
        self._begun: dict[int, hashlib._Hash] = {}
        """Manifests as they were written or found."""
        self._written: dict[int, hashlib._Hash] = {}
        """Of journals, everything that was found and appended."""
        self._played = False
        """Whether anything was handed out; until then only another command can have changed a record."""
        for index, (cell, folder) in enumerate(zip(cells, folders, strict=True)):
            if not sealed(folder):
                _make(folder)
                _begun(cell, folder)
                with Journal(folder) as journal:  # whoever plays it already has a manifest to go by
                    _prepare(cell, folder)
                    self._journals[index] = journal
                self._remember(index)
        self.done = sum(len(journal.finished) for journal in self._journals.values())
        """Conversations finished, in the cells that are owned."""
        self.failed = sum(sum(journal.failed.values()) for journal in self._journals.values())
        """Questions without a result in the last attempt at their conversation."""
        finished = {index: journal.finished.keys() for index, journal in self._journals.items()}
        self._pace = WorkDone({index: cells[index] for index in finished}, finished)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for opened in self._open.values():
            opened.close()
        self._open.clear()
        self._sealers.close()

    @property
    def unfinished(self) -> tuple[int, ...]:
        """The cells that are not sealed."""
        return tuple(self._journals)

    @property
    def share(self) -> float | None:
        """The share of what this sitting has to do that is done, where it tells how long the rest takes."""
        return self._pace.share(sum(self._away.values()))

    def next_attempt(self, index: int, conversation: str) -> int | None:
        """Number the attempt that a conversation needs; ``None`` where it needs none."""
        journal = self._journals[index]
        number = journal.finished.get(conversation, 0) + 1
        again = journal.failed.get(conversation) and number <= self._cells[index].manifest.limits.attempts
        return number if number == 1 or again else None

    def hand_out(self, index: int) -> None:
        """Note that a task of the cell is on its way; from now on nobody else writes its journal.

        Raises:
            RunError: Somebody does, or too many files are open.
        """
        self._lock(index)
        self._played = True
        self._away[index] = self._away.get(index, 0) + 1

    def write(self, done: Done) -> bool:
        """Write what came back, unless it was written before; say whether it is the first of its conversation.

        Raises:
            RunError: The disk is full or fails.
        """
        task, result = done.task, done.result
        journal = self._journals[task.cell]
        self._away[task.cell] = max(0, self._away.get(task.cell, 0) - 1)
        if journal.finished.get(task.conversation, 0) >= task.attempt:
            return False
        self.failed += result.failed - journal.failed.get(task.conversation, 0)
        journal.append(task.conversation, result.lines, result.failed, hashed=self._written[task.cell])
        if task.attempt == 1:
            self.done += 1
            self._pace.finish(task.cell, task.conversation)
        return True

    def end_pass(self) -> int:
        """Settle every cell of which all tasks came back, and count those that did not; they are still to be done.

        Raises:
            RunError: The disk is full or fails.
        """
        lost = {index: count for index, count in self._away.items() if count}
        self._away.clear()
        self.settle(index for index in self.unfinished if index not in lost)
        self._sealers.wait()
        return sum(lost.values())

    def settle(self, cells: Iterable[int]) -> None:
        """Seal what is complete of *cells*, of which every task was handed out, and close what waits for later.

        Raises:
            RunError: The disk is full or fails.
        """
        for index in [i for i in cells if i in self._journals and not self._away.get(i)]:
            if any(self.next_attempt(index, name) for name in self._journals[index].finished):
                self._close(index)
            else:
                self._lock(index)
                self._close(index)  # whoever seals it locks it
                self._sealers.begin(self._record(index))
                del self._journals[index]

    def _lock(self, index: int) -> None:
        if index in self._open:
            return
        if self._played:
            self._record(index).compare()
        _make_room(len(self._open))
        stack = ExitStack()
        self._journals[index] = stack.enter_context(Journal(self._folders[index]))
        self._open[index] = stack
        if not self._played:
            self._remember(index)

    def _remember(self, index: int) -> None:
        folder = self._folders[index]
        self._begun[index] = hashlib.sha256((folder / MANIFEST).read_bytes())
        self._written[index] = hashlib.sha256()
        with (folder / JOURNAL).open("rb") as file:
            while piece := file.read(_PIECE):
                self._written[index].update(piece)

    def _record(self, index: int) -> WrittenRecord:
        """Say what was written of a run."""
        return WrittenRecord(
            str(self._folders[index]), self._written[index].hexdigest(), self._begun[index].hexdigest()
        )

    def _close(self, index: int) -> None:
        opened = self._open.pop(index, None)
        if opened is not None:
            opened.close()


def _make_room(open_files: int) -> None:
    """Ask for more open files than the usual limit where a grid is that wide; the system may say no later."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = open_files + SPARE
    if soft != resource.RLIM_INFINITY and wanted > soft and (hard == resource.RLIM_INFINITY or soft < hard):
        most = wanted * 2 if hard == resource.RLIM_INFINITY else min(wanted * 2, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"Cannot make {folder}: {error.strerror}.", "Choose another --out.") from error


def _begun(cell: PlannedRun, folder: Path) -> Manifest | None:
    """Read what was begun in a folder, which has to be the same run; ``None`` where nothing was."""
    if not (folder / MANIFEST).exists():
        return None
    begun = Manifest.read(folder)
    if begun.identity != cell.manifest.identity:
        raise IdentityError(f"{folder} holds another run ({begun.id}).", "Choose another --out.")
    return begun


def _prepare(cell: PlannedRun, folder: Path) -> None:
    begun = _begun(cell, folder)
    if begun is None:
        cell.manifest.write(folder)
        return
    both = begun.isolation.weaker(cell.manifest.isolation)  # of two sittings a run can claim what both reached
    begun.model_copy(update={"isolation": both, "sittings": begun.sittings + 1}).write(folder)
