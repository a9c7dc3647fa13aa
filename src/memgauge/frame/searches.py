"""The search that a command or a page is asked about: of a run, or of the traffic that a run was made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import MemgaugeError, RunError
from memgauge.registry import parse_ref, unknown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.measures import Measure
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.run_reading import RunReading
    from memgauge.scoring.score import Settings
    from memgauge.scoring.why.explaining import ExplainedSearch

_MANY = 5
"""Runs that an error names."""


def traffic_at(folder: Path) -> Traffic | None:
    """Open the traffic at *folder*; ``None`` where none lies there.

    Raises:
        RunError: It is broken.
        TamperError: It is not as it was sealed.
    """
    from memgauge.exchange.traffic.identity import FILE
    from memgauge.exchange.traffic.reading import Traffic

    return Traffic.read(folder) if (folder / FILE).is_file() else None


def traffic_of(run: Run) -> Traffic | None:
    """Open the traffic that an imported run was made of, where it still lies where it lay and is the same.

    Raises:
        TamperError: It is not as it was sealed.
    """
    from memgauge.exchange.traffic.freezing import DATASET
    from memgauge.exchange.traffic.writer import SEAL
    from memgauge.runs.record.seal import file_hash

    place = Path(parse_ref(run.manifest.dataset.ref).variant)
    mark = place.parent / SEAL
    if not run.manifest.is_imported or place.name != DATASET or not mark.is_file():
        return None
    return traffic_at(place.parent) if file_hash(mark) == run.manifest.system.source else None


def run_with(runs: Sequence[Run], question: str) -> Run:
    """Return the one run that has a question.

    Raises:
        UnknownNameError: None has it.
        RunError: Several have it.
    """
    having = [run for run in runs if question in run.questions["question"]]
    if not having:
        raise unknown_name("question", question, (str(name) for run in runs for name in run.questions["question"]))
    if len(having) > 1:
        named = ", ".join(str(run.folder) for run in having[:_MANY])
        raise RunError(f"{len(having)} runs have the question {question}: {named}.", "Name one of them.")
    return having[0]


def search_of_traffic(
    traffic: Traffic, name: str, memories: Sequence[str], turns: Sequence[str], measure: Measure | None = None
) -> ExplainedSearch:
    """Explain a search of traffic, where nobody knows gold.

    Raises:
        UnknownNameError: There is no such search, or no such write.
        ConfigError: It is no search.
    """
    from memgauge.exchange.traffic.moments import memory_written_as, moment_in_traffic
    from memgauge.scoring.why.explaining import explained_by_memories

    wanted = [*memories, *(memory_written_as(traffic, turn) for turn in turns)]
    return explained_by_memories(moment_in_traffic(traffic, name, wanted), wanted, measure)


def search_of_run(
    run: Run, settings: Settings, question: str, memories: Sequence[str], turns: Sequence[str]
) -> ExplainedSearch:
    """Explain a question of a run: by its gold, or by what somebody expects.

    Raises:
        UnknownNameError: There is no such turn.
        MemgaugeError: The data of the run is not here, and no memory was named.
    """
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import fitted
    from memgauge.scoring.why.attempts import moment_in_run
    from memgauge.scoring.why.explaining import expecting, explained_by_gold, explained_by_memories

    try:
        gold = GoldTable.read(data_of(run))
        gold.require(run)
    except MemgaugeError:
        if not memories:
            raise
        return explained_by_memories(moment_in_run(run, question), memories)
    fit = fitted(settings, gold)
    moment = moment_in_run(run, question, gold.questions[gold.number[question]].text)
    if memories:
        return explained_by_memories(moment, memories, fit.parsed[0])
    return explained_by_gold(reading_of(run, expecting(gold, question, turns) if turns else gold, fit), moment)


def reading_of(run: Run, gold: GoldTable, fit: Settings) -> RunReading:
    """Lay a run beside gold, as causes are read from it.

    Raises:
        IdentityError: The run was made on other data.
    """
    from memgauge.scoring.align import align
    from memgauge.scoring.run_reading import RunReading

    return RunReading(align(run, gold, fit.contract, fit.depth), gold, fit.parsed[0])


def data_of(run: Run) -> Dataset:
    """Open the data of a run.

    Raises:
        MemgaugeError: It is not here.
    """
    from memgauge.datasets.catalogue import open_dataset

    return open_dataset(run.manifest.dataset.ref, allow_unpinned=True)
