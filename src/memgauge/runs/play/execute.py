"""Make the runs of a plan: announce it, resume what is there, append what is new, seal what is complete."""

from __future__ import annotations

import itertools
import os
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.datasets.folders import folders_of
from memgauge.errors import BudgetError, RunError
from memgauge.interruption import kept_in
from memgauge.runs.play.conforming import with_conformance
from memgauge.runs.play.executors import Processes, Task
from memgauge.runs.play.executors.base import Isolating, Resting
from memgauge.runs.play.owner import Owner
from memgauge.runs.play.player.keys import keys_of
from memgauge.runs.play.player.walls import Hidden, secret
from memgauge.runs.record.announced import AnnouncedPlan
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.seal import sealed
from memgauge.systems.protocol import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case
    from memgauge.runs.play.executors import Done, Executor
    from memgauge.runs.play.plan import Plan, PlannedRun
    from memgauge.runs.record.isolation import Isolation
    from memgauge.runs.record.manifest import Manifest
    from memgauge.streams import Stream


@dataclass(frozen=True)
class PlanProgress:
    """How far a plan is; conversations are the unit."""

    done: int
    total: int
    label: str
    """What was finished last."""
    failed: int
    """Questions without a result in the last attempt at their conversation, so far."""
    share: float | None = None
    """Of the work of this sitting that is done; ``None`` while that tells nothing of the rest."""

    def seconds_left(self, elapsed: float) -> float | None:
        """Return how long the rest takes, *elapsed* seconds after the sitting began, where that is known."""
        return elapsed * (1 - self.share) / self.share if self.share else None


def execute(
    planned: Plan,
    out: Path,
    *,
    executor: Executor | None = None,
    check: bool = True,
    uncounted: Callable[[Task], str] = lambda _: "",
    on_progress: Callable[[PlanProgress], None] = lambda _: None,
) -> list[Path]:
    """Make every run of the plan under *out* and return their folders, in the order of the cells.

    A finished run is left as it is; an unfinished one goes on after its last whole conversation. One that begins
    says of its system whether it conforms to the protocol; without *check*, that this was not looked at.
    *uncounted* says why an attempt that came back does not count, and with it the command ends; else nothing.

    Raises:
        RunError: A folder is in use, holds something else, or has no legible name, or the disk is full.
        BudgetError: An attempt does not count; what was finished before is kept.
    """
    _require_legible(out)
    folders = [out / cell.manifest.id for cell in planned.cells]
    unfinished = [not sealed(folder) for folder in folders]
    before = sum(cell.conversations for cell, open_ in zip(planned.cells, unfinished, strict=True) if not open_)
    chosen = executor or Processes(1)
    begun = {folder.name for folder in folders if (folder / MANIFEST).exists()}
    cells = with_conformance(planned.cells, begun) if check else planned.cells
    with _rested(chosen), kept_in(out):
        if any(unfinished):
            cells = _isolated(cells, planned.datasets.values(), out, folders, chosen)
            cells = _announced(cells, out)
        with Owner(cells, folders) as owner:
            on_progress(PlanProgress(before + owner.done, planned.conversations, "", 0))
            with closing(_perform(planned, owner, chosen, uncounted)) as finished:
                for label in finished:
                    done = before + owner.done
                    on_progress(PlanProgress(done, planned.conversations, label, owner.failed, owner.share))
    return folders


def _require_legible(out: Path) -> None:
    """Refuse a place whose name is no text: what makes tables takes none, and would say so when all is played."""
    try:
        str(out).encode()
    except UnicodeEncodeError:
        raise RunError(f"{str(out)!a} is no name in UTF-8.", "Choose another --out.") from None


@contextmanager
def _rested(executor: Executor) -> Iterator[None]:
    """Let an executor go of what it holds, whatever happens."""
    try:
        yield
    finally:
        if isinstance(executor, Resting):
            executor.close()


def _isolated(
    cells: tuple[PlannedRun, ...],
    datasets: Iterable[Dataset],
    out: Path,
    folders: Sequence[Path],
    executor: Executor,
) -> tuple[PlannedRun, ...]:
    """Keep datasets and runs from what is going to be played, and note in every cell how far that goes."""
    if not isinstance(executor, Isolating):
        return cells
    hidden = Hidden(folders_of(datasets), tuple(_runs(out, folders)))
    first = next(cell for cell, folder in zip(cells, folders, strict=True) if not sealed(folder))
    reached = executor.isolate(hidden, first.manifest.system.ref)
    return tuple(_isolated_cell(cell, reached) for cell in cells)


def _isolated_cell(cell: PlannedRun, reached: Isolation) -> PlannedRun:
    manifest = cell.manifest
    isolation = replace(
        reached, evidence=_told(manifest), keys=reached.keys and not secret(keys_of(manifest.system))
    )
    return replace(cell, manifest=manifest.model_copy(update={"isolation": isolation}))


def _announced(cells: tuple[PlannedRun, ...], out: Path) -> tuple[PlannedRun, ...]:
    """Write down what is going to be run before anything is, and let every run that begins name it.

    Raises:
        RunError: The plan cannot be written.
    """
    plan = AnnouncedPlan.of(cell.manifest for cell in cells)
    plan.write(out)
    update = {"plan": plan.digest}
    return tuple(replace(cell, manifest=cell.manifest.model_copy(update=update)) for cell in cells)


def _runs(out: Path, folders: Sequence[Path]) -> Iterator[Path]:
    """Make the folders of the runs, and yield them with those of other runs beside them.

    Raises:
        RunError: A folder cannot be made.
    """
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"Cannot make {folder}: {error.strerror}.", "Choose another --out.") from error
        if not sealed(folder) and not os.access(folder, os.W_OK, effective_ids=True):
            raise RunError(f"Cannot write into {folder}: Permission denied.", "Choose another --out.")
    yield from folders
    yield from (path.parent for path in sorted(out.glob(f"*/{MANIFEST}")))


def _perform(planned: Plan, owner: Owner, executor: Executor, uncounted: Callable[[Task], str]) -> Generator[str]:
    """Write down every finished attempt; a conversation with failures is tried again as often as limits say.

    Each pass reads the datasets again rather than keeping what failed: a haystack may be as large as memory.
    """
    while owner.unfinished:
        before, yielded = owner.unfinished, set[int]()
        worked = False
        counted = _counted(executor.run(_tasks(planned, owner, yielded)), uncounted)
        with closing(counted), closing(_written(counted, owner)) as written:
            for cell, label in written:
                worked = True
                owner.settle({cell} & yielded)
                yield label
        lost = owner.end_pass()
        if not worked and owner.unfinished == before:
            what = f"{lost} conversations did not come back" if lost else "a journal names what the data have not"
            raise RunError(f"The run cannot be finished: {what}.", "Run again elsewhere, or with another --out.")


def _counted(finished: Iterator[Done], uncounted: Callable[[Task], str]) -> Generator[Done]:
    """Yield what came back, as long as it counts.

    Raises:
        BudgetError: An attempt does not.
    """
    try:
        for done in finished:
            if why := uncounted(done.task):
                raise BudgetError(f"{why} What was finished is kept; the same command goes on from there.")
            yield done
            del done  # and with it the haystack, before the next one is read
    finally:
        if hasattr(finished, "close"):  # an executor may return any iterator
            finished.close()


def _written(finished: Generator[Done], owner: Owner) -> Generator[tuple[int, str]]:
    for done in finished:
        owner.write(done)
        yield done.task.cell, f"{done.task.manifest.system.label} · {done.task.conversation}"
        del done  # and with it the haystack, before the next one is read


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


def _tasks_of(dataset: Dataset, cells: Mapping[int, PlannedRun], owner: Owner) -> Iterator[Task]:
    informed = {index for index, cell in cells.items() if _told(cell.manifest)}
    evidence = _evidence(dataset) if informed else {}
    limit = max((cell.manifest.conversations or 1 << 62) for cell in cells.values())
    cases = itertools.islice(dataset.cases(), limit)
    for number in itertools.count():
        case = next(cases, None)  # not a loop over pairs, which would keep a haystack while the next one is read
        if case is None:
            return
        name = case.conversation.id
        wanted = {index: attempt for index in cells if (attempt := owner.next_attempt(index, name))}
        streams = _streams(case, [cells[index] for index in wanted])
        relevant = {q.id: evidence.get(q.id, ()) for q in case.questions} if wanted.keys() & informed else {}
        del case
        for index, attempt in wanted.items():
            owner.hand_out(index)
            manifest, stream = cells[index].manifest, id(cells[index].stream)
            yield Task(
                index, number, name, streams[stream], manifest, attempt, relevant if index in informed else {}
            )
        del streams


def _streams(case: Case, cells: Collection[PlannedRun]) -> dict[int, Stream]:
    """Order a conversation once for each protocol: cells that share one share the stream, wherever it is sent."""
    protocols = {id(cell.stream): cell.stream for cell in cells}
    return {key: protocol.order(case) for key, protocol in protocols.items()}


def _told(manifest: Manifest) -> str:
    """Say what a system is told of evidence while it runs: ``all`` a ceiling, ``answers`` one that learns."""
    system = manifest.system
    if system.capabilities.get("role") == Role.CEILING:
        return "all"
    return "answers" if "learning" in system.supports else ""


def _evidence(dataset: Dataset) -> dict[str, tuple[str, ...]]:
    return {gold.question: gold.anchors() for gold in dataset.gold()}
