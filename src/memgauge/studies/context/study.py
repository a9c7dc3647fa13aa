"""One measurement of one model: the grid, the profiles, the effective lengths, and a file that holds them."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.studies.context.effective import ABSOLUTE, Effective, effective
from memgauge.studies.context.grid import GridCell, ask
from memgauge.studies.context.profile import measure
from memgauge.studies.context.sample import VERSION
from memgauge.studies.context.sampling import Planner
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from memgauge.llm.access import Access
    from memgauge.studies.context.effective import Length
    from memgauge.studies.context.grid import GridResult, SampleGrid
    from memgauge.studies.context.models import LocalModel
    from memgauge.studies.context.profile import Measured

    Watch = Callable[[int, int], None]
FORMAT = 1


@dataclass(frozen=True)
class ModelStudy:
    """What was found about one model."""

    model: str
    label: str
    grid: SampleGrid
    tasks: tuple[Measured, ...]
    effective: tuple[Effective, ...]
    adaptive: bool = False
    asked: int = 0
    """Cells that were asked."""
    saved: int = 0
    """Cells of the full grid that did not have to be."""

    @property
    def failed(self) -> int:
        """Return how many cells have no answer."""
        return sum(task.failed for task in self.tasks)


def conduct(
    grid: SampleGrid,
    access: Access,
    local: LocalModel | None = None,
    *,
    adaptive: bool = False,
    absolute: float = ABSOLUTE,
    label: str = "",
    on_progress: Watch = lambda _done, _total: None,
) -> ModelStudy:
    """Ask a model about a grid, or adaptively about as much of it as the effective lengths take.

    Args:
        grid: What is asked; adaptively, every sample has its own depth.
        access: The model behind its record and budget.
        local: The model itself, where it is one of this package.
        adaptive: Whether calls go only where the lower bound is undecided.
        absolute: The threshold beside that of the own base.
        label: What tables call the model.
        on_progress: Told how many cells are done and in all.

    Raises:
        BudgetError: The next call could exceed what was allowed; what is recorded is not asked again.
    """
    if adaptive:
        grid = replace(grid, depths=(None,))
    total = len(grid)
    found: list[GridResult] = []

    def keep(results: Iterable[GridResult]) -> Iterator[GridResult]:
        for result in results:
            found.append(result)
            on_progress(len(found), total)
            yield result

    def asked(cells: Iterable[GridCell]) -> Iterator[GridResult]:
        return keep(ask(grid, cells, access, local))

    bounds = _adapt(grid, asked) if adaptive else {}
    if not adaptive:
        deque(asked(grid.cells()), maxlen=0)
    tasks = measure(found, seed=grid.seed)
    lengths = tuple(effective(task.task, task.type, task.counts, absolute) for task in tasks)
    lengths = tuple(_bounded(one, bounds.get(one.task)) for one in lengths)
    return ModelStudy(
        access.name, label or access.name, grid, tasks, lengths, adaptive, len(found), total - len(found)
    )


def _adapt(grid: SampleGrid, asked: Callable[[Iterable[GridCell]], Iterator[GridResult]]) -> dict[str, Length]:
    """Ask until every task is decided; the next steps of all tasks go together, so that no call waits for one."""
    planners = {task: Planner(grid.lengths, grid.samples) for task in grid.tasks}
    while steps := {task: step for task, planner in planners.items() if (step := planner.next()) is not None}:
        cells = [
            GridCell(task, step.length, None, number)
            for task, step in steps.items()
            for number in range(step.start, step.stop)
        ]
        by_task: defaultdict[str, list[GridResult]] = defaultdict(list)
        for result in asked(cells):
            by_task[result.cell.task].append(result)
        for task, results in by_task.items():
            right = [bool(result.right) for result in results if result.right is not None]
            planners[task].add(steps[task].length, sum(right), len(right), len(results) - len(right))
    return {task: planner.bound() for task, planner in planners.items()}


def _bounded(one: Effective, bound: Length | None) -> Effective:
    """Keep of an adaptive measurement the bound that it decided; the other rules need a full grid."""
    return replace(one, own=(bound,), absolute=()) if bound is not None and one.own else one


def as_data(study: ModelStudy) -> dict[str, Any]:
    """Return a study as JSON-ready data; a matrix of depth by length for each task, never one number."""
    from memgauge.studies.context.effective import OWN

    return {
        "format": FORMAT,
        "generator": VERSION,
        "model": study.model,
        "label": study.label,
        "counter": study.grid.counter.name,
        "seed": study.grid.seed,
        "samples": study.grid.samples,
        "lengths": list(study.grid.lengths),
        "depths": list(study.grid.depths),
        "adaptive": study.adaptive,
        "asked": study.asked,
        "saved": study.saved,
        "failed": study.failed,
        "tasks": [_task(task) for task in study.tasks],
        "effective": [
            {
                "task": one.task,
                "type": one.type,
                "base": one.base,
                "thresholds": {"own": OWN * one.base, "absolute": one.threshold},
                "own": {str(length.rule): str(length) for length in one.own},
                "absolute": {str(length.rule): str(length) for length in one.absolute},
                "reason": one.reason,
            }
            for one in study.effective
        ],
    }


def _task(task: Measured) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "task": task.task,
        "type": task.type,
        "overlap": task.overlap,
        "failed": task.failed,
        "dumped": task.dumped,
        "by_length": [
            {
                "length": count.length,
                "right": count.right,
                "n": count.n,
                "lower": count.lower,
                "f1": f1,
                "published": p,
            }
            for count, f1, p in zip(task.counts, task.f1, task.published, strict=True)
        ],
        "profiles": [asdict(profile) for profile in task.profiles],
        "matrix": [[point.score.mean for point in profile.points] for profile in task.profiles],
    }


def read_data(path: Path) -> dict[str, Any]:
    """Read what ``context profile`` has written.

    Raises:
        DataNotFoundError: There is no such file.
        MalformedDataError: It is something else.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise DataNotFoundError(f"Cannot read {path}: {error.strerror}.", _WRITE) from None
    try:
        data = json_of(text)
        if data["format"] == FORMAT and data["tasks"] is not None:
            return dict(data)
    except (ValueError, KeyError, TypeError) as error:
        raise MalformedDataError(f"{path} holds no profile: {error!r}.", _WRITE) from error
    raise MalformedDataError(f"{path} has another format.", _WRITE)


_WRITE = "Write one with `memgauge context profile --out FILE`."
