"""Where units of work run: in this process, or in several, with the same bytes."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from memgauge.records import Outcome
from memgauge.runs.engine import Row, refuse_case, run_case
from memgauge.runs.plan import STREAMS
from memgauge.systems.catalogue import open_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.records import Case
    from memgauge.runs.manifest import Manifest


@dataclass(frozen=True)
class Task:
    """One conversation through one system; everything in it can be pickled."""

    cell: int
    number: int
    case: Case
    manifest: Manifest
    attempt: int = 1
    relevant: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """A finished task and its rows."""

    task: Task
    rows: list[Row]

    @property
    def failed(self) -> int:
        """Count the questions that ended without a result."""
        return sum(row["t"] == "question" and not Outcome(row["outcome"]).valid for row in self.rows)


def perform(task: Task) -> Done:
    """Do one task, here."""
    manifest = task.manifest
    rows = run_case(
        task.case,
        STREAMS.get(manifest.stream.protocol),
        lambda: open_system(manifest.system.ref, seed=manifest.seed),
        manifest.limits,
        number=task.number,
        attempt=task.attempt,
        relevant=task.relevant,
    )
    return Done(task, rows)


class Executor(Protocol):
    """Anything that performs tasks, in any order."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Yield every task when it is done; take no more tasks than can be worked on soon."""
        ...


class Inline:
    """One after the other in this process."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Perform the tasks in order."""
        return map(perform, tasks)


class Processes:
    """Several worker processes; a task whose worker dies is recorded as failed and takes nothing else with it."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Perform the tasks on all workers, at most two waiting for each."""
        source = iter(tasks)
        pending: dict[Future[Done], Task] = {}
        pool = self._pool(self._workers)
        try:
            while True:
                for task in source:
                    pending[pool.submit(perform, task)] = task
                    if len(pending) >= 2 * self._workers:
                        break
                if not pending:
                    return
                finished, _ = wait(pending, return_when=FIRST_COMPLETED)
                if any(isinstance(future.exception(), BrokenProcessPool) for future in finished):
                    pool.shutdown(cancel_futures=True)
                    yield from map(self._alone, pending.values())
                    pending, pool = {}, self._pool(self._workers)
                    continue
                for future in finished:
                    del pending[future]
                    yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _alone(self, task: Task) -> Done:
        """Perform a task in a process of its own, so that only the guilty one fails."""
        with self._pool(1) as pool:
            try:
                return pool.submit(perform, task).result()
            except BrokenProcessPool:
                reason = "the process died while running this conversation"
                return Done(task, refuse_case(task.case, task.manifest.limits, reason, task.number, task.attempt))

    @staticmethod
    def _pool(workers: int) -> ProcessPoolExecutor:
        # Spawn, not fork: a forked child would inherit threads, locks and random state.
        return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def executor(workers: int) -> Executor:
    """Choose the executor for a number of workers."""
    return Inline() if workers <= 1 else Processes(workers)
