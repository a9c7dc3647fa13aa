"""Processes on this machine: players, each of which holds what one memory is played with and nothing else."""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.runs.play.executors.base import DIED, Done, TaskResult, refuse
from memgauge.runs.play.player.process import PlayerDied
from memgauge.runs.play.player.troupe import Troupe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.runs.play.executors.base import Task
    from memgauge.runs.play.player.walls import Hidden
    from memgauge.runs.record.isolation import Isolation

TRIES = 2
"""How often a conversation is played whose player dies: the death may not be its own."""


class Processes:
    """Players, as many at a time as workers; a conversation whose player dies is recorded as failed, and alone."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._troupe: Troupe | None = None

    def isolate(self, hidden: Hidden, expected: str = "") -> Isolation:
        """Start a first player, for the *expected* system, that cannot reach *hidden*; say how far it cannot."""
        if self._troupe is not None:
            self._troupe.close()
        self._troupe = Troupe(hidden, expected)
        return self._troupe.isolation()

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Perform the tasks on all workers, in order with one, at most two waiting for each with more."""
        troupe, own = self._troupe or Troupe(), self._troupe is None
        ended = False
        try:
            if self._workers == 1:
                # Unlike the variable of a loop, map keeps nothing of the task before.
                yield from map(partial(_played, troupe), tasks)
            else:
                yield from self._together(troupe, tasks)
            ended = True
        finally:
            if own or not ended:  # nobody wants what is still being played
                troupe.close()

    def close(self) -> None:
        """End every player."""
        troupe, self._troupe = self._troupe, None
        if troupe is not None:
            troupe.close()

    def _together(self, troupe: Troupe, tasks: Iterable[Task]) -> Iterator[Done]:
        source = iter(tasks)
        pending: set[Future[Done]] = set()
        with ThreadPoolExecutor(self._workers, thread_name_prefix="memgauge-player") as threads:
            try:
                while True:
                    while len(pending) < 2 * self._workers and (task := next(source, None)) is not None:
                        pending.add(threads.submit(_played, troupe, task))
                    if not pending:
                        return
                    finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                    while finished:
                        yield finished.pop().result()
            finally:
                if pending:
                    threads.shutdown(wait=False, cancel_futures=True)
                    troupe.close()


def _played(troupe: Troupe, task: Task) -> Done:
    """Play one conversation, in a fresh process where the first dies; who dies every time has no result."""
    for deaths in range(TRIES):
        try:
            played = troupe.play(task)
        except PlayerDied:
            continue
        return Done.after(deaths, task, TaskResult(played.lines, played.failed))
    return Done.after(TRIES, task, refuse(task, DIED))


def processes(variant: int | None = None, workers: int | None = None) -> Processes:
    """Work in *variant* processes (`processes:4`), or in *workers*, or in one for each core.

    Raises:
        ConfigError: That is no number of processes.
    """
    count = next((n for n in (variant, workers, os.cpu_count()) if n is not None), 1)
    if count < 1:
        raise ConfigError(f"There cannot be {count} processes.", "Take 1 or more.")
    return Processes(count)
