"""The matrix: every scenario against every memory, here or in worker processes, with the same cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from memgauge.records import Verdict
from memgauge.studies.golden.runner import Options, run_scenario
from memgauge.workers import worker_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from memgauge.studies.golden.runner import Factory
    from memgauge.studies.golden.scenario import Scenario

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE = 8
"""Scenarios that a worker process is handed together with one memory."""
NOTICED = frozenset({str(Verdict.FAIL), str(Verdict.FLAKY)})
"""How a scenario ends that saw something wrong; an error or a vacuous run has seen nothing."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """How one scenario ended on one memory."""

    scenario: str
    memory: str
    verdict: str
    anomalies: tuple[str, ...] = ()
    """What was wrong, roots only."""
    detail: str = ""

    @property
    def noticed(self) -> bool:
        """Whether the scenario saw that something is wrong."""
        return self.verdict in NOTICED


@dataclass(frozen=True)
class Matrix:
    """All cells, by memory in the order given, and by scenario within."""

    cells: tuple[MatrixCell, ...]

    def row(self, memory: str) -> tuple[MatrixCell, ...]:
        """Return how all scenarios ended on one memory."""
        return tuple(cell for cell in self.cells if cell.memory == memory)


def run_matrix(
    scenarios: Sequence[Scenario],
    memories: Mapping[str, Factory],
    *,
    workers: int = 1,
    options: Options | None = None,
) -> Matrix:
    """Play every scenario on a fresh instance of every memory.

    A failure that a scenario expects is a failure here: what is known of a system says nothing of a reference.
    With several *workers*, what opens a memory must be importable by name. By default there is no clock, because
    reference memories return.
    """
    options = options or trusting()
    strict = [scenario.model_copy(update={"expected_failure": None}) for scenario in scenarios]
    jobs = [
        (name, factory, strict[first : first + AT_ONCE], options)
        for name, factory in memories.items()
        for first in range(0, len(strict), AT_ONCE)
    ]
    return Matrix(tuple(cell for cells in spread(_play, jobs, workers, 4) for cell in cells))


def spread(work: Callable[[T], R], jobs: Sequence[T], workers: int, chunk: int) -> Iterator[R]:
    """Yield what comes of every job, in their order, here or from worker processes."""
    if workers <= 1:
        yield from map(work, jobs)
        return
    with worker_pool(workers) as pool:
        yield from pool.map(work, jobs, chunksize=chunk)


def trusting(options: Options | None = None) -> Options:
    """Return *options* without a limit of time."""
    return replace(options or Options(), timeout_s=math.inf)


def _play(job: tuple[str, Factory, Iterable[Scenario], Options]) -> list[MatrixCell]:
    name, factory, scenarios, options = job
    results = [run_scenario(scenario, factory, options) for scenario in scenarios]
    return [MatrixCell(r.scenario, name, r.verdict, tuple(map(str, r.anomalies)), r.detail) for r in results]
