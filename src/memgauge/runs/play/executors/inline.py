"""One task after the other, in this process, where a memory could find the gold: for looking for mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.runs.play.executors.base import Done, perform
from memgauge.runs.record.isolation import IN_HARNESS, Isolation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.runs.play.executors.base import Task
    from memgauge.runs.play.player.walls import Hidden


class Inline:
    """One after the other in this process."""

    def isolate(self, hidden: Hidden, expected: str = "") -> Isolation:  # noqa: ARG002 - nothing is hidden here
        """Say that everything is within reach."""
        return IN_HARNESS

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Perform the tasks in order."""
        return map(_done, tasks)  # unlike the variable of a loop, map keeps nothing of the task before


def _done(task: Task) -> Done:
    return Done(task, perform(task))


def inline(workers: int | None = None) -> Inline:  # noqa: ARG001 - every executor is told how many may work
    """Work in this process, whatever the number of workers."""
    return Inline()
