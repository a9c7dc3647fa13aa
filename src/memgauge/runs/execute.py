"""Make the runs of a plan: resume what is there, append what is new, seal what is complete."""

from __future__ import annotations

import itertools
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.errors import IdentityError, RunError
from memgauge.runs.executors import Done, Inline, Task
from memgauge.runs.journal import Journal, encode
from memgauge.runs.manifest import FILE as MANIFEST
from memgauge.runs.manifest import Manifest
from memgauge.runs.seal import seal, sealed
from memgauge.systems.protocol import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.runs.executors import Executor
    from memgauge.runs.plan import Cell, Plan


@dataclass(frozen=True)
class Progress:
    """How far a plan is; conversations are the unit."""

    done: int
    total: int
    label: str
    """What was finished last."""
    failed: int
    """Questions without a result in the last attempt at their conversation, so far."""


def execute(
    planned: Plan,
    out: Path,
    *,
    executor: Executor | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> list[Path]:
    """Make every run of the plan under *out* and return their folders, in the order of the cells.

    A finished run is left as it is; an unfinished one goes on after its last whole conversation.

    Raises:
        RunError: A folder is in use, or holds something else, or the disk is full.
    """
    folders = [out / cell.manifest.id for cell in planned.cells]
    done = sum(cell.conversations for cell, f in zip(planned.cells, folders, strict=True) if sealed(f))
    with ExitStack() as stack:
        journals = {
            index: stack.enter_context(_open(cell, folder))
            for index, (cell, folder) in enumerate(zip(planned.cells, folders, strict=True))
            if not sealed(folder)
        }
        done += sum(len(journal.finished) for journal in journals.values())
        on_progress(Progress(done, planned.conversations, "", 0))
        for finished in _perform(planned, journals, executor or Inline()):
            task = finished.task
            journals[task.cell].append(task.conversation, encode(finished.rows), finished.failed)
            done += task.attempt == 1
            failed = sum(sum(journal.failed.values()) for journal in journals.values())
            label = f"{task.manifest.system.label} · {task.conversation}"
            on_progress(Progress(done, planned.conversations, label, failed))
        for index in journals:
            seal(folders[index])
    return folders


def _open(cell: Cell, folder: Path) -> Journal:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"Cannot make {folder}: {error.strerror}.", "Choose another --out.") from error
    if not (folder / MANIFEST).exists():
        cell.manifest.write(folder)
    elif (found := Manifest.read(folder)).identity != cell.manifest.identity:
        raise IdentityError(f"{folder} holds another run ({found.id}).", "Choose another --out.")
    return Journal(folder)


def _perform(planned: Plan, journals: Mapping[int, Journal], executor: Executor) -> Iterator[Done]:
    """Yield every finished attempt; a conversation with failures is tried again as often as the limits say."""
    tasks: Iterable[Task] = _tasks(planned, journals)
    while True:
        again: list[Task] = []
        for finished in executor.run(tasks):
            yield finished
            task = finished.task
            if finished.failed and task.attempt < task.manifest.limits.attempts:
                again.append(replace(task, attempt=task.attempt + 1))
        if not again:
            return
        tasks = again


def _tasks(planned: Plan, journals: Mapping[int, Journal]) -> Iterator[Task]:
    """Yield the conversations still to be done, each dataset read once for all its cells."""
    for ref, dataset in planned.datasets.items():
        cells = {i: planned.cells[i] for i in journals if planned.cells[i].manifest.dataset.ref == ref}
        if not cells:
            continue
        evidence = _evidence(dataset) if any(_told(cell.manifest) for cell in cells.values()) else {}
        limit = max((cell.manifest.conversations or 1 << 62) for cell in cells.values())
        for number, case in enumerate(itertools.islice(dataset.cases(), limit)):
            name = case.conversation.id
            relevant = {q.id: evidence.get(q.id, ()) for q in case.questions} if evidence else {}
            for index, cell in cells.items():
                attempt = journals[index].finished.get(name, 0) + 1
                failed = journals[index].failed.get(name)
                if attempt == 1 or (failed and attempt <= cell.manifest.limits.attempts):
                    told = relevant if _told(cell.manifest) else {}
                    stream = cell.stream.order(case)
                    yield Task(index, number, name, stream, cell.manifest, attempt, told)


def _told(manifest: Manifest) -> bool:
    """Whether the harness needs to know evidence while it runs: for a ceiling, and for a system that learns."""
    system = manifest.system
    return system.capabilities.get("role") == Role.CEILING or "learning" in system.supports


def _evidence(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    return {gold.question: gold.anchors() for gold in dataset.gold()}
