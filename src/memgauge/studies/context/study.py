"""One measurement of one model: the grid, the profiles and the effective lengths."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memgauge.results import ResultKind, result
from memgauge.show.safety import name_line
from memgauge.studies.context.effective import ABSOLUTE, Effective, effective
from memgauge.studies.context.grid import GridCell, ask
from memgauge.studies.context.profile import Measured, measure
from memgauge.studies.context.sample import VERSION
from memgauge.studies.context.sampling import Planner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memgauge.llm.access import Access
    from memgauge.studies.context.effective import Length
    from memgauge.studies.context.grid import GridResult, SampleGrid
    from memgauge.studies.context.models import LocalModel

    Watch = Callable[[int, int], None]


@result
@dataclass(frozen=True)
class MeasuredGrid:
    """Which grid a measurement is of, in words and numbers: what counts tokens need not be here to read it."""

    tasks: tuple[str, ...]
    lengths: tuple[int, ...]
    depths: tuple[float | None, ...]
    samples: int
    seed: int
    counter: str
    generator: int = VERSION
    """Version of what makes the samples."""

    @classmethod
    def of(cls, grid: SampleGrid) -> MeasuredGrid:
        """Say what a grid is."""
        return cls(grid.tasks, grid.lengths, grid.depths, grid.samples, grid.seed, grid.counter.name)


@result
@dataclass(frozen=True)
class ModelStudy:
    """What was measured of one model."""

    model: str
    label: str
    grid: MeasuredGrid
    tasks: tuple[Measured, ...]
    effective: tuple[Effective, ...]
    adaptive: bool = False
    asked: int = 0
    """Cells that were asked."""
    saved: int = 0
    """Cells of the full grid that did not have to be."""
    spent: Mapping[str, Any] = field(default_factory=dict)
    """What each model that is paid for took, and the record of its replies."""

    @property
    def failed(self) -> int:
        """Return how many cells have no answer."""
        return sum(task.failed for task in self.tasks)


PROFILE = ResultKind("context", 1, ModelStudy, "memgauge study context profile --out FILE.json")


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

    Adaptively, every sample has its own depth, and calls go only where the lower bound is undecided. *local* is
    the model itself, where it is one of this package, *absolute* the threshold beside that of the own base,
    *label* what tables call the model.

    Raises:
        BudgetError: The next call could exceed what was allowed; what is recorded is not asked again.
    """
    if adaptive:
        grid = replace(grid, depths=(None,))
    total = len(grid)
    results: list[GridResult] = []

    def keep(replies: Iterable[GridResult]) -> Iterator[GridResult]:
        for reply in replies:
            results.append(reply)
            on_progress(len(results), total)
            yield reply

    def asked(cells: Iterable[GridCell]) -> Iterator[GridResult]:
        return keep(ask(grid, cells, access, local))

    bounds = _adapt(grid, asked) if adaptive else {}
    if not adaptive:
        deque(asked(grid.cells()), maxlen=0)
    tasks = measure(results, seed=grid.seed)
    lengths = (effective(task.task, task.type, task.counts, absolute) for task in tasks)
    return ModelStudy(
        access.name,
        name_line(label or access.name),
        MeasuredGrid.of(grid),
        tasks,
        tuple(_bounded(length, bounds.get(length.task)) for length in lengths),
        adaptive,
        asked=len(results),
        saved=total - len(results),
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
        for reply in asked(cells):
            by_task[reply.cell.task].append(reply)
        for task, replies in by_task.items():
            verdicts = [bool(reply.right) for reply in replies if reply.right is not None]
            planners[task].add(steps[task].length, sum(verdicts), len(verdicts), len(replies) - len(verdicts))
    return {task: planner.bound() for task, planner in planners.items()}


def _bounded(length: Effective, bound: Length | None) -> Effective:
    """Keep of an adaptive measurement the bound that it decided; the other rules need a full grid."""
    return replace(length, own=(bound,), absolute=()) if bound is not None and length.own else length
