"""Runs that differ in their system alone, judged together: what boards and lists of failures are made from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import DataNotFoundError
from memgauge.missing import MissingParts
from memgauge.registry import parse_ref
from memgauge.runs.record.store import load
from memgauge.scoring.align import JudgedRun, align, align_later
from memgauge.scoring.board_order import in_order
from memgauge.scoring.factors import differences
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.letting_go import MANY, let_go
from memgauge.scoring.score import fitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run
    from memgauge.scoring.score import Settings


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """All runs that differ in their system alone, under one contract."""

    gold: GoldTable
    judged: tuple[JudgedRun, ...]
    settings: Settings


def read_gold(runs: Iterable[Run], *, allow_unpinned: bool = False) -> dict[str, GoldTable]:
    """Open every dataset that *runs* were made on, by its ref."""
    firsts: dict[str, Run] = {}
    for run in runs:
        firsts.setdefault(run.manifest.dataset.ref, run)
    missing = MissingParts()
    opened = missing.opened(firsts.values(), partial(_data_of, allow_unpinned=allow_unpinned))
    missing.require()
    return {run.manifest.dataset.ref: GoldTable.read(dataset) for run, dataset in opened.items()}


def _data_of(run: Run, *, allow_unpinned: bool) -> Dataset:
    """Open the dataset of a run; where it is not here, say whose it is.

    Raises:
        DataNotFoundError: It is not here. Own data by a relative path lie where the run was made.
    """
    ref = run.manifest.dataset.ref
    try:
        return open_dataset(ref, allow_unpinned=allow_unpinned)
    except DataNotFoundError as error:
        parsed = parse_ref(ref)
        moves = parsed.name == "own" and not Path(parsed.variant).is_absolute()
        remedy = "Go to the folder in which the run was made, or name the other runs alone."
        raise DataNotFoundError(
            f"{run.folder} was made on {ref}: {error.what}", remedy if moves else error.remedy
        ) from None


def judged_runs(folders: Iterable[Path], settings: Settings, *, allow_unpinned: bool = False) -> list[JudgedRuns]:
    """Judge runs and group them as boards do, without making one: nothing is ranked, resampled or priced."""
    groups = alike(apart_from_copies(map(load, folders)))
    gold = read_gold((run for runs in groups for run in runs), allow_unpinned=allow_unpinned)
    made = (judge_runs(runs, gold[runs[0].manifest.dataset.ref], settings) for runs in groups)
    return [replace(each, judged=in_order(each.judged, each.settings)) for each in made]


def apart_from_copies(runs: Iterable[Run]) -> dict[Run, tuple[Path, ...]]:
    """Return every experiment once, the first folder of it, with the folders of its copies.

    A copy has the same manifest and, clocks aside, the same record: it would stand beside itself, and no lead over
    others would be one over it.
    """
    firsts: dict[tuple[str, str], Run] = {}
    copies: dict[Run, tuple[Path, ...]] = {}
    for run in runs:
        first = firsts.setdefault((run.manifest.identity, run.seal.content), run)
        copies[first] = (*copies.get(first, ()), *(() if first is run else (run.folder,)))
    return copies


def alike(runs: Iterable[Run]) -> list[list[Run]]:
    """Put runs together that differ in their system alone."""
    groups: list[list[Run]] = []
    for run in runs:
        for group in groups:
            if not differences(group[0].manifest, run.manifest, "system"):
                group.append(run)
                break
        else:
            groups.append([run])
    return groups


def judge_runs(runs: Sequence[Run], gold: GoldTable, settings: Settings) -> JudgedRuns:
    """Judge *runs* under settings that fit the conversations, in the order in which they came."""
    settings = fitted(settings, gold)
    many = len(runs) * len(gold.questions) > MANY
    judged = list[JudgedRun]()
    for run in runs:
        judged.append((align_later if many else align)(run, gold, settings.contract, settings.depth))
        if many:
            let_go(judged[-1])
    return JudgedRuns(gold, tuple(judged), settings)
