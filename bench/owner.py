"""How fast the one owner of many runs writes down what workers send: `python -m bench.owner [RUNS] [DATASET]`.

Every conversation is played once, here, by BM25. Then so many runs are made of these results, which come at once,
so that all the time that passes is the owner's: reading data, handing out, checking, writing to the disk, sealing,
all of it in one process or with others that seal. With `--ray`, the way through a Ray of this machine is added.
What more nodes would bring follows in ``bench.farm``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bench.farm import Farm, ServiceTimes, served
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors.base import Done, TaskResult, perform
from memgauge.runs.play.plan import plan
from memgauge.runs.record.seal import seal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from memgauge.runs.play.executors.base import Task

RUNS, DATASET, SEALED_AGAIN = 100, "synthetic:medium", 5
NODES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
FEW_MANY = (1, 8)
"""Runs through Ray, whose difference lacks what it takes to start."""
CORES = 16
"""Of each node that is not here."""
BLAS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")


@dataclass(frozen=True)
class MeasuredOwner:
    """What the owner took, in seconds of its own processor: what others seal beside it is not in it."""

    tasks: int
    rows: int
    megabytes: float
    task_s: float
    """Of a task: read, handed out, checked, written, and its share of what ends a run."""
    seal_s: float
    """Of a run, for whoever seals it."""
    work_s: float
    """Of a task, where it is played."""
    rows_per_s: float
    """By the owner's processor."""
    rows_per_s_by_the_clock: float
    """Until everything was sealed, waiting for the disk included."""


class Playing:
    """Plays every conversation of one run, and keeps what came of it."""

    def __init__(self) -> None:
        self.results: dict[str, TaskResult] = {}
        self.seconds: list[float] = []

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Play here."""
        for task in tasks:
            began = time.process_time()
            self.results[task.conversation] = perform(task)
            self.seconds.append(time.process_time() - began)
            yield Done(task, self.results[task.conversation])


@dataclass
class Recalling:
    """Hands back what was played before, at once."""

    results: Mapping[str, TaskResult]

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        """Play nothing."""
        for task in tasks:
            yield Done(task, self.results[task.conversation])


def measured(dataset: str, runs: int) -> MeasuredOwner:
    """Play one run, and let the owner write down so many."""
    played = Playing()
    with TemporaryDirectory() as folder:
        (one_run,) = execute(plan([dataset], ["bm25"]), Path(folder) / "played", executor=played, check=False)
        again = sorted(_spent(partial(seal, one_run))[0] for _ in range(SEALED_AGAIN))
        many = plan([dataset], ["bm25"], seeds=range(runs))
        recalling = Recalling(played.results)
        owned = partial(execute, many, Path(folder) / "owned", executor=recalling, check=False)
        processor_s, clock_s = _spent(owned)
    tasks = runs * len(played.results)
    rows = runs * sum(bytes(result.lines).count(b"\n") for result in played.results.values())
    size = runs * sum(result.lines.size for result in played.results.values())
    work_s = sum(played.seconds) / len(played.seconds)
    return MeasuredOwner(
        tasks=tasks,
        rows=rows,
        megabytes=size / 1e6,
        task_s=processor_s / tasks,
        seal_s=again[len(again) // 2],
        work_s=work_s,
        rows_per_s=rows / processor_s,
        rows_per_s_by_the_clock=rows / clock_s,
    )


def _spent(work: Callable[[], object]) -> tuple[float, float]:
    """Return seconds of this process and of the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - processor, time.perf_counter() - clock


def through_ray(dataset: str) -> float:
    """Return the seconds of the owner's own thread on the way of one task through a Ray of this machine."""
    from memgauge.runs.play.executors import executor

    spent: dict[int, float] = {}
    for runs in FEW_MANY:
        with TemporaryDirectory() as folder:
            planned = plan([dataset], ["random"], seeds=range(runs))
            began = time.thread_time()
            execute(planned, Path(folder), executor=executor("ray"), check=False)
            spent[planned.conversations] = time.thread_time() - began
    (few, little), (many, much) = spent.items()
    return (much - little) / (many - few)


def main() -> None:
    """Measure, and say what more nodes would bring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="?", type=int, default=RUNS)
    parser.add_argument("dataset", nargs="?", default=DATASET)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument(
        "--work", type=float, nargs="*", default=(), help="seconds of a task, besides those of BM25"
    )
    wanted = parser.parse_args()
    for name in BLAS:
        os.environ.setdefault(name, "1")
    owner = measured(wanted.dataset, wanted.runs)
    way_s = through_ray(wanted.dataset) if wanted.ray else 0.0
    print(json.dumps(asdict(owner) | {"way_s": way_s}, indent=1))
    tasks = 1_000 * owner.tasks // wanted.runs
    for work_s in (owner.work_s, *wanted.work):
        print(f"1,000 runs, {tasks:,} tasks of {work_s:.2f} s:")
        for nodes in NODES:
            times = ServiceTimes(max(owner.task_s, way_s), work_s)  # the way has the writing in it
            print(f"{nodes:>4} nodes of {CORES} cores: {served(times, Farm(nodes, CORES), tasks)}")


if __name__ == "__main__":
    main()
