"""Several worker processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.runs.executors.base import DIED, Done, Result, perform, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.runs.executors.base import Task


class Processes:
    """Several worker processes; a task whose worker dies is recorded as failed and takes nothing else with it."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Perform the tasks on all workers, at most two waiting for each."""
        source = iter(tasks)
        pending: dict[Future[Result], Task] = {}
        pool = self._pool(self._workers)
        try:
            while True:
                while len(pending) < 2 * self._workers and (task := next(source, None)) is not None:
                    pending[_submit(pool, task)] = task
                if not pending:
                    return
                finished, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in [f for f in finished if not _broken(f)]:
                    yield Done(pending.pop(future), future.result())
                if any(map(_broken, finished)):
                    pool.shutdown(cancel_futures=True)
                    suspects, pending = list(pending.values()), {}
                    yield from self._apart(suspects)
                    pool = self._pool(self._workers)
        finally:
            _end(pool, at_once=bool(pending))

    def _apart(self, suspects: list[Task]) -> Iterator[Done]:
        """Perform tasks side by side, each in a process of its own, so that only the guilty one fails."""
        with ThreadPoolExecutor(self._workers, thread_name_prefix="memgauge-apart") as threads:
            yield from threads.map(self._alone, suspects)

    def _alone(self, task: Task) -> Done:
        with self._pool(1) as pool:
            try:
                return Done(task, pool.submit(perform, task).result())
            except BrokenProcessPool:
                return Done(task, refuse(task, DIED))

    @staticmethod
    def _pool(workers: int) -> ProcessPoolExecutor:
        # Spawn, not fork: a forked child would inherit threads, locks and random state.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin)


def processes(variant: int | None = None, workers: int | None = None) -> Processes:
    """Work in *variant* processes (`processes:4`), or in *workers*, or in one for each core.

    Raises:
        ConfigError: That is no number of processes.
    """
    count = next((n for n in (variant, workers, os.cpu_count()) if n is not None), 1)
    if count < 1:
        raise ConfigError(f"There cannot be {count} processes.", "Take 1 or more.")
    return Processes(count)


def _begin() -> None:
    """Let Ctrl-C end a worker at once and silently, and the death of whoever owns the run too.

    The owner says what there is to say; a worker whose owner was killed would wait for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_owner, name="memgauge-owner", daemon=True).start()


def _end_with_owner() -> None:
    owner = multiprocessing.parent_process()
    if owner is not None:
        owner.join()
        os._exit(1)


def _end(pool: ProcessPoolExecutor, *, at_once: bool) -> None:
    """Let go of the workers; what is still being worked on is not waited for where nobody wants it any more."""
    running = list((pool._processes or {}).values()) if at_once else []  # noqa: SLF001 - public from Python 3.14 on
    pool.shutdown(wait=False, cancel_futures=True)
    for process in running:
        process.terminate()


def _submit(pool: ProcessPoolExecutor, task: Task) -> Future[Result]:
    """Hand over a task; where a worker has died meanwhile the future says so at once."""
    try:
        return pool.submit(perform, task)
    except BrokenProcessPool as error:
        refused: Future[Result] = Future()
        refused.set_exception(error)
        return refused


def _broken(future: Future[Result]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)
