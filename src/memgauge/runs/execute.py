"""Make the runs of a plan: resume what is there, append what is new, seal what is complete."""

from __future__ import annotations

import itertools
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import RunError
from memgauge.runs.executors import Inline, Task
from memgauge.runs.owner import Owner
from memgauge.runs.seal import sealed
from memgauge.systems.protocol import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case
    from memgauge.runs.executors import Done, Executor
    from memgauge.runs.manifest import Manifest
    from memgauge.runs.plan import Cell, Plan
    from memgauge.streams import Stream


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
    before = sum(cell.conversations for cell, f in zip(planned.cells, folders, strict=True) if sealed(f))
    with Owner(planned.cells, folders) as owner:
        on_progress(Progress(before + owner.done, planned.conversations, "", 0))
        with closing(_perform(planned, owner, executor or Inline())) as finished:
            for label in finished:
                on_progress(Progress(before + owner.done, planned.conversations, label, owner.failed))
    return folders


def _perform(planned: Plan, owner: Owner, executor: Executor) -> Generator[str]:
    """Write down every finished attempt; a conversation with failures is tried again as often as limits say.

    Each pass reads the datasets again rather than keeping what failed: a haystack may be as large as memory.
    """
    while owner.unfinished:
        before, yielded = owner.unfinished, set[int]()
        worked = False
        with closing(_written(executor.run(_tasks(planned, owner, yielded)), owner)) as written:
            for cell, label in written:
                worked = True
                owner.settle({cell} & yielded)
                yield label
        lost = owner.end_pass()
        if not worked and owner.unfinished == before:
            what = f"{lost} conversations did not come back" if lost else "a journal names what the data have not"
            raise RunError(f"The run cannot be finished: {what}.", "Run again elsewhere, or with another --out.")


def _written(finished: Iterator[Done], owner: Owner) -> Generator[tuple[int, str]]:
    try:
        for done in finished:
            owner.write(done)
            yield done.task.cell, f"{done.task.manifest.system.label} · {done.task.conversation}"
            del done  # and with it the haystack, before the next one is read
    finally:
        if hasattr(finished, "close"):  # an executor may return any iterator
            finished.close()


def _tasks(planned: Plan, owner: Owner, yielded: set[int]) -> Iterator[Task]:
    """Yield the conversations still to be done, each dataset read once for all its cells.

    *yielded* becomes the cells of which every task has been handed out.
    """
    for ref, dataset in planned.datasets.items():
        cells = {i: planned.cells[i] for i in owner.unfinished if planned.cells[i].manifest.dataset.ref == ref}
        if cells:
            yield from _tasks_of(dataset, cells, owner)
            yielded |= cells.keys()
            owner.settle(cells)


def _tasks_of(dataset: Dataset, cells: Mapping[int, Cell], owner: Owner) -> Iterator[Task]:
    told = {index for index, cell in cells.items() if _told(cell.manifest)}
    evidence = _evidence(dataset) if told else {}
    limit = max((cell.manifest.conversations or 1 << 62) for cell in cells.values())
    cases = itertools.islice(dataset.cases(), limit)
    for number in itertools.count():
        case = next(cases, None)  # not a loop over pairs, which would keep a haystack while the next one is read
        if case is None:
            return
        name = case.conversation.id
        wanted = {index: attempt for index in cells if (attempt := owner.next_attempt(index, name))}
        streams = _streams(case, [cells[index] for index in wanted])
        relevant = {q.id: evidence.get(q.id, ()) for q in case.questions} if wanted.keys() & told else {}
        del case
        for index, attempt in wanted.items():
            owner.hand_out(index)
            manifest, stream = cells[index].manifest, id(cells[index].stream)
            yield Task(index, number, name, streams[stream], manifest, attempt, relevant if index in told else {})
        del streams


def _streams(case: Case, cells: Collection[Cell]) -> dict[int, Stream]:
    """Order a conversation once for each protocol: cells that share one share the stream, wherever it is sent."""
    protocols = {id(cell.stream): cell.stream for cell in cells}
    return {key: protocol.order(case) for key, protocol in protocols.items()}


def _told(manifest: Manifest) -> bool:
    """Whether the harness needs to know evidence while it runs: for a ceiling, and for a system that learns."""
    system = manifest.system
    return system.capabilities.get("role") == Role.CEILING or "learning" in system.supports


def _evidence(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    return {gold.question: gold.anchors() for gold in dataset.gold()}
