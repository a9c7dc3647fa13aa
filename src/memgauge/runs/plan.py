"""What is going to be run, and what it will take, before anything is spent."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, SystemFault, UserError
from memgauge.runs.call import Caller, let_go
from memgauge.runs.engine import run_case
from memgauge.runs.manifest import Limits, Manifest, StreamPart, SystemPart, dataset_part, environment, system_part
from memgauge.streams import CLEAN, StreamProtocol
from memgauge.systems.catalogue import open_system
from memgauge.systems.loading import source_hash
from memgauge.systems.protocol import supported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case
    from memgauge.runs.rows import Row


@dataclass(frozen=True)
class Cell:
    """One run to be made: one system on one dataset with one seed."""

    manifest: Manifest
    conversations: int
    turns: int
    questions: int
    stream: StreamProtocol = CLEAN


@dataclass(frozen=True)
class Plan:
    """All cells of a command, and the datasets that they share."""

    cells: tuple[Cell, ...]
    datasets: dict[str, Dataset]

    @property
    def conversations(self) -> int:
        """Return the units of work: conversations times systems times seeds."""
        return sum(cell.conversations for cell in self.cells)


@dataclass(frozen=True)
class Workload:
    """What one cell will take."""

    label: str
    turns: int
    searches: int
    seconds: float | None
    """Extrapolated from the first conversation; ``None`` where a pilot would cost something."""
    needs: tuple[str, ...]


def plan(
    datasets: Sequence[str],
    systems: Sequence[str],
    *,
    seeds: Sequence[int] = (0,),
    limits: Limits | None = None,
    streams: Sequence[StreamProtocol] = (CLEAN,),
    conversations: int | None = None,
    allow_unpinned: bool = False,
) -> Plan:
    """Resolve names, open every dataset and every system once, and list the cells: one for each combination.

    Everything that a user can get wrong fails here, before the first call that counts.

    Raises:
        UserError: A dataset, a system or a parameter that does not exist or cannot be used.
    """
    if not datasets or not systems:
        raise ConfigError("Nothing to run.", "Name at least one dataset and one system.")
    found = [open_dataset(ref, allow_unpinned=allow_unpinned) for ref in datasets]
    opened = {dataset.identity.ref: dataset for dataset in found}  # one dataset may be written in two ways
    sizes = {ref: _size(dataset, conversations) for ref, dataset in opened.items()}
    versions = environment()
    wanted = list(itertools.product(dict.fromkeys(systems), dict.fromkeys(seeds)))
    presented = {(system, seed): _present(system, seed, (limits or Limits()).timeout_s) for system, seed in wanted}
    cells = [
        Cell(
            Manifest(
                dataset=dataset_part(opened[dataset].identity),
                system=presented[system, seed],
                stream=StreamPart(protocol=stream.name, parameters=dict(stream.parameters)),
                limits=limits or Limits(),
                seed=seed,
                conversations=conversations,
                environment=versions,
            ),
            *sizes[dataset],
            stream,
        )
        for dataset, (system, seed), stream in itertools.product(opened, wanted, streams)
    ]
    return Plan(tuple(cells), opened)


def estimate(planned: Plan) -> list[Workload]:
    """Estimate every cell: exact counts, and seconds from a short pilot where one is free."""
    firsts = {ref: next(dataset.cases()) for ref, dataset in planned.datasets.items()}
    return [_estimate(cell, firsts[cell.manifest.dataset.ref]) for cell in planned.cells]


def _estimate(cell: Cell, first: Case) -> Workload:
    needs = tuple(cell.manifest.system.capabilities["needs"])
    seconds = None if needs else pilot(cell, first)[0] * cell.conversations
    return Workload(cell.manifest.system.label, cell.turns, cell.questions, seconds, needs)


def pilot(cell: Cell, case: Case) -> tuple[float, list[Row]]:
    """Run one conversation, and return the seconds that it takes and what came of it."""
    manifest = cell.manifest
    start = time.perf_counter()
    rows = run_case(
        case.conversation.id,
        cell.stream.order(case),
        lambda: open_system(manifest.system.ref, seed=manifest.seed),
        manifest.limits,
    )
    return time.perf_counter() - start, rows


def _present(ref: str, seed: int, timeout_s: float) -> SystemPart:
    """Open a system once, under guard, and describe it.

    Raises:
        UserError: It is unknown or cannot be opened; the message says what it raised, or that it hung.
    """
    caller = Caller()

    def describe() -> SystemPart | UserError:
        try:
            system = open_system(ref, seed=seed)
        except UserError as error:
            return error  # a sentence already, not a fault of the system
        label = system.name if ref.endswith(".toml") else ref
        try:
            return system_part(ref, label, system, supported(system), source_hash(ref, system))
        finally:
            let_go(system)

    try:
        described = caller.call(f"opening {ref}", describe, timeout_s).value
    except SystemFault as fault:
        raise ConfigError(f"{fault}.", f"Try `memgauge systems check {ref}`.") from fault
    finally:
        caller.close()
    if isinstance(described, UserError):
        raise described
    return described


def _size(dataset: Dataset, conversations: int | None) -> tuple[int, int, int]:
    counts = [
        (1, sum(len(session.turns) for session in case.conversation.sessions), len(case.questions))
        for case in itertools.islice(dataset.cases(), conversations)
    ]
    if not counts:
        raise ConfigError(f"{dataset.identity.ref} has no conversations.", "Check its options.")
    total = tuple(map(sum, zip(*counts, strict=True)))
    return total[0], total[1], total[2]
