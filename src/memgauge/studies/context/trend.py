"""A history of measurements: one line each, appended, so that drift shows between models and over time."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from memgauge.results import result
from memgauge.studies.history import HistoryFormat, RecordKind

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.context.study import ModelStudy


@result
@dataclass(frozen=True, slots=True)
class TaskMeasurement:
    """One task in one measurement."""

    measurement: int
    """The first is 1."""
    at: str
    """When, as the caller says."""
    label: str
    """What tables call what was measured: a model, a commit, a prompt."""
    grid: str
    """Names lengths, depths, counter and generators: only equal ones are comparable."""
    task: str
    length: int
    """The longest length that was asked."""
    accuracy: float | None
    n: int
    penalty: float | None
    effective: int | None
    """By the lower bound, 0 where not even the shortest length passes; ``None`` where it cannot be measured."""


HISTORY: Final = HistoryFormat[TaskMeasurement](
    (RecordKind("context task", 1, f"{__name__}:TaskMeasurement", "memgauge study context profile", "label"),)
)
"""The file that measurements are appended to."""
is_history = HISTORY.recognises


def entries(study: ModelStudy, measurement: int, at: str) -> tuple[TaskMeasurement, ...]:
    """Return what a history keeps of a study."""
    return tuple(
        TaskMeasurement(
            measurement,
            at,
            study.label,
            _grid(study),
            task.task,
            length=task.counts[-1].length,
            accuracy=task.counts[-1].rate if task.counts[-1].n else None,
            n=task.counts[-1].n,
            penalty=task.profiles[-1].penalty.mean if task.profiles else None,
            effective=length.own[0].tokens or 0 if length.own else None,
        )
        for task, length in zip(study.tasks, study.effective, strict=True)
    )


def comparable(history: tuple[TaskMeasurement, ...]) -> tuple[TaskMeasurement, ...]:
    """Return the entries on the grid of the newest one."""
    return tuple(entry for entry in history if entry.grid == history[-1].grid)


def append(path: Path, study: ModelStudy, at: str) -> None:
    """Append *study*, measured *at* some time, to the history at *path*.

    Raises:
        RunError: It cannot be written.
        MalformedDataError: The file holds something else.
    """
    earlier = HISTORY.read(path)
    number = earlier[-1].measurement + 1 if earlier else 1
    HISTORY.append(path, entries(study, number, at))


def _grid(study: ModelStudy) -> str:
    grid = study.grid
    names = (grid.generator, grid.lengths, grid.depths, grid.counter, grid.seed)
    return sha256(repr(names).encode()).hexdigest()[:12]
