"""What `memgauge context assembled` does: prompts of frozen runs, what they keep, and what should follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.frame.console import emit, say
from memgauge.frame.exits import OK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.report.context import Sheet
    from memgauge.runs.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.stats.bootstrap import Interval
    from memgauge.studies.context.assembled import AssemblyLane
    from memgauge.studies.context.predict import Calibration, Surface


@dataclass(frozen=True)
class LaneOptions:
    """What a user asked for."""

    budgets: tuple[int, ...]
    policies: tuple[str, ...]
    cut: str
    k: int
    counter: str
    instructions: Path | None
    profile: Path | None
    task: str | None
    answers: bool
    right: float


@dataclass(frozen=True)
class Lanes:
    """What was found."""

    lanes: tuple[AssemblyLane, ...]
    predictions: dict[int, Interval]
    """By the place of a lane; empty without a profile."""
    calibrations: tuple[Calibration, ...]
    surface: Surface | None


def assemble(paths: Sequence[Path], order: LaneOptions) -> Lanes:
    """Assemble the prompts of every run in every way that was asked for.

    Raises:
        ConfigError: The runs are of different data, or a profile is missing where one is needed.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.store import find_runs, load
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.voiced import Truth
    from memgauge.studies.context.assembled import asked, measure_lane
    from memgauge.studies.context.predict import Surface, predicted_mean
    from memgauge.studies.context.study import read_data

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
    surface = None if order.profile is None else Surface.of(read_data(order.profile), order.task)
    lanes: list[AssemblyLane] = []
    calibrations: list[Calibration] = []
    for run in runs:
        gold.require(run)
        questions = asked(run, dataset, truth, order.k)
        mine = [measure_lane(run, questions, assembly) for assembly in _assemblies(order)]
        lanes += mine
        if order.answers and surface is not None:
            calibrations += _calibrated(run, gold, mine[0], surface, order.right)
    predictions = {}
    if surface is not None:
        predictions = {place: predicted_mean(lane.fates, surface) for place, lane in enumerate(lanes)}
    return Lanes(tuple(lanes), predictions, tuple(calibrations), surface)


def _assemblies(order: LaneOptions) -> Iterator[Any]:
    from memgauge.studies.context.policies import INSTRUCTIONS, POLICIES, Assembly, Cut
    from memgauge.text.counting import open_counter

    text = INSTRUCTIONS
    if order.instructions is not None:
        try:
            text = order.instructions.read_text("utf-8").strip()
        except OSError as error:
            raise DataNotFoundError(f"Cannot read {order.instructions}: {error.strerror}.") from error
    for policy in order.policies or tuple(POLICIES.builtin):
        POLICIES.get(policy)
        for budget in order.budgets:
            yield Assembly(policy, budget, open_counter(order.counter), Cut(order.cut), text)


def _calibrated(
    run: Run, gold: GoldTable, lane: AssemblyLane, surface: Surface, least: float
) -> Iterator[Calibration]:
    """Compare what the first way of assembly predicts with every layer of answers from what was retrieved."""
    from memgauge.records import Contract
    from memgauge.runs.layers import layers
    from memgauge.scoring.answered import answer_column
    from memgauge.studies.context.predict import calibrate, predicted

    chances = {fate.question: predicted(fate, surface) for fate in lane.fates}
    for layer in layers(run, "answers"):
        if layer.manifest.maker.get("context") == "retrieved":
            column = answer_column(layer.rows(), gold, Contract(), "F1")
            places = enumerate(gold.questions)
            right = {q.id: bool(column.rows.values[n] >= least) for n, q in places if column.rows.defined[n]}
            yield calibrate(run.label, layer.manifest.label, chances, right)


def tell(found: Lanes, page: Path | None, *, json: bool) -> int:
    """Print what was found, and write the page."""
    from memgauge.report.context import calibration_sheet, lane_sheet, stale_sentences
    from memgauge.report.context_page import render_lanes
    from memgauge.runs.files import write_atomically

    first = found.lanes[0]
    if page is not None:
        identity = {
            "dataset": first.dataset,
            "runs": ", ".join(dict.fromkeys(lane.run for lane in found.lanes)),
            "counter": first.counter,
            **({"profile": f"{found.surface.model}, {found.surface.task}"} if found.surface else {}),
        }
        write_atomically(
            page,
            render_lanes(
                found.lanes, identity=identity, predictions=found.predictions, calibrations=found.calibrations
            ),
        )
    if json:
        emit(_data(found))
        return OK
    for run in dict.fromkeys(lane.run for lane in found.lanes):
        places = [place for place, lane in enumerate(found.lanes) if lane.run == run]
        mine = {number: found.predictions[place] for number, place in enumerate(places) if found.predictions}
        _print(lane_sheet([found.lanes[place] for place in places], mine))
    for sentence in stale_sentences(found.lanes):
        say(sentence)
    if found.calibrations:
        _print(calibration_sheet(found.calibrations))
    if page is not None:
        say(f"Written: {page}")
    return OK


def _data(found: Lanes) -> dict[str, Any]:
    from dataclasses import asdict

    from memgauge.results import plain

    rows = []
    for place, lane in enumerate(found.lanes):
        row = {name: getattr(lane, name) for name in ("run", "dataset", "policy", "cut", "budget", "counter")}
        row["measures"] = {name: asdict(interval) for name, interval in lane.measures.items()}
        if place in found.predictions:
            row["predicted"] = asdict(found.predictions[place])
        row["questions"] = [asdict(fate) for fate in lane.fates]
        rows.append(plain(row))
    return {"lanes": rows, "calibrations": [plain(one) for one in found.calibrations]}


def _print(sheet: Sheet) -> None:
    from rich.table import Table

    table = Table(*sheet.heads, box=None, title=sheet.title, title_justify="left")
    for row in sheet.rows:
        table.add_row(*row)
    say(table)
    say(sheet.note)
