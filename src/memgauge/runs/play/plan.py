"""What is going to be run, and what it will take, before anything is spent."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.folders import folders_of
from memgauge.errors import CallFailed, ConfigError, RunError, SystemFault, UserError
from memgauge.missing import MissingParts
from memgauge.runs.play.commit import commit_here
from memgauge.runs.play.counting import sizes_of
from memgauge.runs.play.executors.base import Task
from memgauge.runs.play.player.assignment import Chosen
from memgauge.runs.play.player.describing import describe
from memgauge.runs.play.player.keys import keys_named, model_keys
from memgauge.runs.play.player.process import PlayerDied
from memgauge.runs.play.player.rows import rows_of
from memgauge.runs.play.player.troupe import Troupe
from memgauge.runs.play.player.walls import Hidden
from memgauge.runs.record.manifest import Limits, Manifest, StreamPart, SystemPart, dataset_part, environment
from memgauge.streams import CLEAN, StreamProtocol
from memgauge.systems.catalogue import opens_ours, ours, refuse_keys
from memgauge.systems.disk_index import on_disk
from memgauge.systems.storefile import require_store_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case
    from memgauge.runs.record.rows import Row

MARGIN_S: Final = 30.0
"""Seconds that a process may take beyond what opening a system may."""

PROBES: Final = 3
"""Searches of each conversation that are made again beside the record, where nothing else is said."""


@dataclass(frozen=True)
class PlannedRun:
    """One run to be made: one system on one dataset with one seed."""

    manifest: Manifest
    conversations: int
    turns: int
    questions: int
    stream: StreamProtocol = CLEAN
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Turns and questions of each conversation, where they were counted."""

    @property
    def work(self) -> int:
        """Return what there is to do, in turns and questions."""
        return self.turns + self.questions

    def weight(self, conversation: str) -> float:
        """Return what of the work one conversation is."""
        return self.sizes.get(conversation, self.work / self.conversations)


@dataclass(frozen=True)
class Plan:
    """All cells of a command, and the datasets that they share."""

    cells: tuple[PlannedRun, ...]
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
    probes: int = PROBES,
) -> Plan:
    """Resolve names, open every dataset and every system once, and list the cells: one for each combination.

    Everything that a user can get wrong fails here, before the first call that counts. *probes* searches of each
    conversation are made again when everything that counts is frozen; 0 makes none.

    Raises:
        UserError: A dataset, a system or a parameter that does not exist or cannot be used.
    """
    if not datasets or not systems:
        raise ConfigError("Nothing to run.", "Name at least one dataset and one system.")
    if conversations is not None and conversations < 1:
        raise ConfigError(f"--conversations {conversations} leaves nothing to play.", "At least 1 is needed.")
    missing = MissingParts()
    each = missing.opened(dict.fromkeys(datasets), partial(open_dataset, allow_unpinned=allow_unpinned))
    opened = {dataset.identity.ref: dataset for dataset in each.values()}  # one may be written in two ways
    versions = environment()
    own = versions if all(map(opens_ours, systems)) else versions | _commit()
    wanted = list(itertools.product(dict.fromkeys(systems), dict.fromkeys(seeds)))
    presented = missing.opened(wanted, lambda pair: present(pair[0], pair[1], (limits or Limits()).timeout_s))
    missing.require()
    for dataset, system in itertools.product(opened.values(), dict.fromkeys(systems)):
        require_store_of(system, dataset.identity.ref, dataset.identity.sha256)
    sizes = {ref: sizes_of(dataset, conversations) for ref, dataset in opened.items()}
    cells = [
        PlannedRun(
            Manifest(
                dataset=dataset_part(opened[dataset].identity),
                system=presented[system, seed],
                stream=StreamPart(protocol=stream.name, parameters=dict(stream.parameters)),
                limits=limits or Limits(),
                seed=seed,
                conversations=conversations,
                environment=versions if opens_ours(system) else own,
                probes=probes,
                played_by=on_disk(system, max(turns for turns, _ in sizes[dataset].values())),
            ),
            conversations=len(sizes[dataset]),
            turns=sum(turns for turns, _ in sizes[dataset].values()),
            questions=sum(questions for _, questions in sizes[dataset].values()),
            stream=stream,
            sizes={name: sum(size) for name, size in sizes[dataset].items()},
        )
        for dataset, (system, seed), stream in itertools.product(opened, wanted, streams)
    ]
    return Plan(tuple(cells), opened)


def _commit() -> dict[str, str]:
    """Name the commit of memories that are not ours."""
    commit = commit_here()
    return {"commit": commit} if commit else {}


def estimate(planned: Plan) -> list[Workload]:
    """Estimate every cell: exact counts, and seconds from a short pilot where one is free."""
    firsts = {ref: next(dataset.cases()) for ref, dataset in planned.datasets.items()}
    return [_estimate(cell, firsts[cell.manifest.dataset.ref]) for cell in planned.cells]


def _estimate(cell: PlannedRun, first: Case) -> Workload:
    needs = outstanding(cell.manifest.system.capabilities)
    seconds = None if needs else pilot(cell, first)[0] * cell.conversations
    return Workload(cell.manifest.system.label, cell.turns, cell.questions, seconds, needs)


def outstanding(promises: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a run still needs of what a system promises: an embedder that says which it is, is at hand."""
    here = bool(promises.get("stand_ins")) or any("(weights " in model for model in promises.get("models", ()))
    return tuple(need for need in promises["needs"] if not (here and need == "embedder"))


def pilot(cell: PlannedRun, case: Case) -> tuple[float, list[Row]]:
    """Run one conversation in a process of its own, and return the seconds that it takes and what came of it.

    Raises:
        RunError: Its process died.
    """
    task = Task(0, 0, case.conversation.id, cell.stream.order(case), cell.manifest)
    troupe = Troupe(Hidden(folders_of(())), cell.manifest.system.ref)
    try:
        played = troupe.play(task)
    except PlayerDied as died:
        raise RunError(
            f"The process of {cell.manifest.system.label} died in its first conversation: {died}.",
            "Look into it with --executor inline.",
        ) from died
    finally:
        troupe.close()
    return played.seconds, rows_of(bytes(played.lines))


def present(ref: str, seed: int = 0, timeout_s: float = 60) -> SystemPart:
    """Open a system once, under guard, and describe it: what is not ours in a process that cannot see the gold.

    Raises:
        UserError: It is unknown or cannot be opened; the message says what it raised, or that it hung.
    """
    refuse_keys(ref)
    system = Chosen(ref, seed=seed, timeout_s=timeout_s)
    try:
        described = describe(system) if ours(ref) else _elsewhere(system)
    except SystemFault as fault:
        raise ConfigError(f"{fault}.", "It has to open before anything can be asked of it.") from fault
    return SystemPart.model_validate(described)


def _elsewhere(system: Chosen) -> dict[str, Any]:
    """Describe a system in a process of its own; one that does not open without keys is given those of models.

    Raises:
        UserError: It cannot be opened.
        SystemFault: It raised, or did not return in time.
    """
    named = keys_named(system.ref)
    troupe = Troupe(Hidden(folders_of(())))
    every = model_keys()
    try:
        return _described(troupe, system, named)
    except (UserError, SystemFault):
        if every <= named:
            raise
        return _described(troupe, system, named | every)
    finally:
        troupe.close()


def _described(troupe: Troupe, system: Chosen, keys: frozenset[str]) -> dict[str, Any]:
    try:
        described: dict[str, Any] = troupe.consult(system, keys, within_s=system.timeout_s + MARGIN_S)["system"]
    except PlayerDied as died:
        raise CallFailed(f"opening {system.ref}: the process died") from died
    return described
