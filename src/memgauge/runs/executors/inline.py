"""One task after the other, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.runs.executors.base import Done, perform

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.runs.executors.base import Task


class Inline:
    """One after the other in this process."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Perform the tasks in order."""
        return map(_done, tasks)  # unlike the variable of a loop, map keeps nothing of the task before


def _done(task: Task) -> Done:
    return Done(task, perform(task))


def inline(workers: int | None = None) -> Inline:  # noqa: ARG001 - every executor is told how many may work
    """Work in this process, whatever the number of workers."""
    return Inline()
