"""Prompts of frozen runs, assembled in every way that is asked for: what they keep, and what should follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.results import ResultKind, result
from memgauge.studies.context.assembled import AssemblyLane, asked, measure_lane
from memgauge.studies.context.policies import INSTRUCTIONS, POLICIES, Assembly, Cut
from memgauge.studies.context.predict import Calibration, Surface, calibrate, predicted, predicted_mean
from memgauge.studies.context.study import PROFILE
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable


@dataclass(frozen=True, kw_only=True)
class PromptOrder:
    """In which ways prompts are assembled, and what they are held against."""

    budget: tuple[int, ...]
    policy: tuple[str, ...]
    cut: str
    k: int
    counter: str
    instructions: Path | None
    profile: Path | None
    task: str | None
    answers: bool
    right: float


@result
@dataclass(frozen=True)
class PromptStudy:
    """What the prompts of several memories keep."""

    lanes: tuple[AssemblyLane, ...]
    calibrations: tuple[Calibration, ...] = ()
    profile: str = ""
    """Model and task that predictions come from; nothing without a profile."""


PROMPTS = ResultKind("context prompts", 1, PromptStudy, "memgauge study context assembled --out FILE.json")


def assemble(paths: Sequence[Path], order: PromptOrder) -> PromptStudy:
    """Assemble the prompts of every run in every way that was asked for.

    Raises:
        ConfigError: The runs are of different data, or a profile is missing where one is needed.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.record.store import find_runs, load
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.voiced import Truth

    if order.k < 1:
        raise ConfigError(f"k={order.k} is not at least 1.")
    if order.answers and order.profile is None:
        raise ConfigError(
            "Answers are compared with predictions, which need a profile.", "Give one with --profile."
        )
    runs = [load(folder) for folder in find_runs(paths)]
    if len({run.manifest.dataset.ref for run in runs}) > 1:
        raise ConfigError("The runs are of different datasets.", "Name the runs of one dataset.")
    dataset = open_dataset(runs[0].manifest.dataset.ref, allow_unpinned=True)
    gold, truth = GoldTable.read(dataset), Truth.of(dataset)
    surface = None if order.profile is None else read_surface(order.profile, order.task)
    lanes: list[AssemblyLane] = []
    calibrations: list[Calibration] = []
    for run in runs:
        gold.require(run)
        questions = asked(run, dataset, truth, order.k)
        run_lanes = [measure_lane(run, questions, assembly) for assembly in _assemblies(order)]
        if order.answers and surface is not None:
            calibrations += _calibrated(run, gold, run_lanes[0], surface, order.right)
        lanes += run_lanes if surface is None else [_predicted(lane, surface) for lane in run_lanes]
    profile = "" if surface is None else f"{surface.model}, {surface.task}"
    return PromptStudy(tuple(lanes), tuple(calibrations), profile)


def read_surface(path: Path, task: str | None = None) -> Surface:
    """Read one task of what ``study context profile`` wrote.

    Raises:
        DataNotFoundError: There is no such file.
        MalformedDataError: It is something else.
    """
    from memgauge.text.jsons import json_file

    remedy = f"Write one with `{PROFILE.made_by}`."
    try:
        data = json_file(path, remedy)
    except OSError as error:
        raise DataNotFoundError(f"Cannot read {path}: {error.strerror}.", remedy) from None
    return Surface.of(PROFILE.read(data, str(path)), task)


def _predicted(lane: AssemblyLane, surface: Surface) -> AssemblyLane:
    return replace(lane, predicted=predicted_mean(lane.fates, surface))


def _assemblies(order: PromptOrder) -> Iterator[Assembly]:
    from memgauge.text.counting import open_counter

    text = INSTRUCTIONS
    if order.instructions is not None:
        text = text_file(order.instructions).strip()
    for policy in order.policy or tuple(POLICIES.builtin):
        POLICIES.get(policy)
        for budget in order.budget:
            yield Assembly(policy, budget, open_counter(order.counter), Cut(order.cut), text)


def _calibrated(
    run: Run, gold: GoldTable, lane: AssemblyLane, surface: Surface, least: float
) -> Iterator[Calibration]:
    """Compare what the first way of assembly predicts with every layer of answers from what was retrieved."""
    from memgauge.records import Contract
    from memgauge.runs.layers.layer import layers
    from memgauge.scoring.answered import answer_column

    chances = {fate.question: predicted(fate, surface) for fate in lane.fates}
    for layer in layers(run, "answers"):
        if layer.manifest.maker.get("context") == "retrieved":
            column = answer_column(layer.rows(), gold, Contract(), "F1")
            places = enumerate(gold.questions)
            right = {q.id: bool(column.rows.values[n] >= least) for n, q in places if column.rows.defined[n]}
            yield calibrate(run.label, layer.manifest.label, chances, right)
