"""Where units of work run: in this process, or in several, with the same bytes."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from memgauge.runs.engine import refuse_case, run_case
from memgauge.runs.rows import failures
from memgauge.systems.catalogue import open_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.runs.manifest import Manifest
    from memgauge.runs.rows import Row
    from memgauge.streams import Stream


@dataclass(frozen=True)
class Task:
    """One conversation through one system; everything in it can be pickled."""

    cell: int
    number: int
    conversation: str
    stream: Stream
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
        return failures(self.rows)


def perform(task: Task) -> Done:
    """Do one task, here."""
    manifest = task.manifest
    rows = run_case(
        task.conversation,
        task.stream,
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
                while len(pending) < 2 * self._workers and (task := next(source, None)) is not None:
                    pending[_submit(pool, task)] = task
                if not pending:
                    return
                finished, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in [f for f in finished if not _broken(f)]:
                    del pending[future]
                    yield future.result()
                if any(map(_broken, finished)):
                    pool.shutdown(cancel_futures=True)
                    yield from map(self._alone, pending.values())
                    pending, pool = {}, self._pool(self._workers)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _alone(self, task: Task) -> Done:
        """Perform a task in a process of its own, so that only the guilty one fails."""
        with self._pool(1) as pool:
            try:
                return pool.submit(perform, task).result()
            except BrokenProcessPool:
                reason = "the process died while running this conversation"
                limits = task.manifest.limits
                rows = refuse_case(task.conversation, task.stream, limits, reason, task.number, task.attempt)
                return Done(task, rows)

    @staticmethod
    def _pool(workers: int) -> ProcessPoolExecutor:
        # Spawn, not fork: a forked child would inherit threads, locks and random state.
        return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def _submit(pool: ProcessPoolExecutor, task: Task) -> Future[Done]:
    """Hand over a task; where a worker has died meanwhile the future says so at once."""
    try:
        return pool.submit(perform, task)
    except BrokenProcessPool as error:
        refused: Future[Done] = Future()
        refused.set_exception(error)
        return refused


def _broken(future: Future[Done]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)


def executor(workers: int) -> Executor:
    """Choose the executor for a number of workers."""
    return Inline() if workers <= 1 else Processes(workers)
