"""The tasks that there are, each with a question and how literal it is."""

from __future__ import annotations

from dataclasses import dataclass

from memgauge.results import ResultKind, result
from memgauge.studies.context.tasks import TASKS
from memgauge.studies.context.tasks import samples as samples_of


@result
@dataclass(frozen=True)
class ListedTask:
    """One task."""

    task: str
    type: str
    overlap: float
    """Share of a question's content words that stand in its evidence, the mean over samples."""
    what: str
    question: str
    gold: tuple[str, ...]


@result
@dataclass(frozen=True)
class TaskList:
    """Every task, those of this package in their own order first."""

    tasks: tuple[ListedTask, ...]
    samples: int
    seed: int


TASK_LIST = ResultKind("context tasks", 1, TaskList, "memgauge study context tasks --out FILE.json")


def list_tasks(samples: int, seed: int) -> TaskList:
    """List every task; overlaps are means over *samples*."""
    builtin = list(TASKS.builtin)
    names = sorted(TASKS.names(), key=lambda name: builtin.index(name) if name in builtin else len(builtin))
    return TaskList(tuple(_listed(name, samples, seed) for name in names), samples, seed)


def _listed(name: str, samples: int, seed: int) -> ListedTask:
    task_samples = list(samples_of(name, samples, seed))
    return ListedTask(
        name,
        str(task_samples[0].type),
        sum(sample.overlap for sample in task_samples) / len(task_samples),
        (TASKS.get(name).__doc__ or "").partition("\n")[0],
        task_samples[0].question,
        tuple(task_samples[0].gold),
    )
