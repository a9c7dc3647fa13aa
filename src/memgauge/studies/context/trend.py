"""A history of measurements: one line each, appended, so that drift shows between models and over time."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from memgauge.errors import MalformedDataError, RunError
from memgauge.text.jsons import json_of, object_of

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.context.study import ModelStudy

_LONGEST = 1_000_000
"""Bytes of a first line; no entry comes near."""


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
    accuracy: float
    n: int
    penalty: float | None
    effective: int | None
    """By the lower bound, 0 where not even the shortest length passes; ``None`` where it cannot be measured."""


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
            accuracy=task.counts[-1].rate,
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
    before = read(path)
    number = before[-1].measurement + 1 if before else 1
    lines = "".join(json.dumps(asdict(entry)) + "\n" for entry in entries(study, number, at))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(lines)
    except OSError as error:
        raise RunError(f"Cannot write {path}: {error.strerror}.", "Choose another path.") from error


def read(path: Path) -> tuple[TaskMeasurement, ...]:
    """Read a history, oldest first; no file is an empty one.

    Raises:
        MalformedDataError: A line is no entry.
    """
    if not path.exists():
        return ()
    history = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            history.append(TaskMeasurement(**json_of(line)))
        except (ValueError, TypeError) as error:
            raise MalformedDataError(
                f"{path}, line {number}, is no entry: {error}.", "Mend or remove it."
            ) from None
    return tuple(history)


def is_history(path: Path) -> bool:
    """Whether a file begins as a history of this study does."""
    if path.suffix != ".jsonl":
        return False
    try:
        with path.open("rb") as file:
            return (object_of(file.readline(_LONGEST)) or {}).keys() >= {"measurement", "grid", "task"}
    except OSError:
        return False


def _grid(study: ModelStudy) -> str:
    grid = study.grid
    names = (grid.generator, grid.lengths, grid.depths, grid.counter, grid.seed)
    return sha256(repr(names).encode()).hexdigest()[:12]
