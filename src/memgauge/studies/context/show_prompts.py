"""What assembled prompts say: their document."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Document, Figure, Kind, Note, Notes, Section, Table
from memgauge.show.numbers import number, percent, plural
from memgauge.show.table import cell
from memgauge.studies.context.assembled import FATES
from memgauge.studies.context.charts import calibration_chart, prompt_chart
from memgauge.studies.context.prompts import PROMPTS
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.show import Value
    from memgauge.stats.intervals import Interval
    from memgauge.studies.context.assembled import AssemblyLane
    from memgauge.studies.context.predict import Calibration
    from memgauge.studies.context.prompts import PromptStudy

_GIVES = {"whole": "whole memories, the worst first", "end": "the end of the text", "start": "its start"}
_DRAWN = ("recall@k", "survival", "stale beside evidence")


def document(study: PromptStudy) -> Document:
    """Say what prompts keep, and what stands beside it."""
    first_lane = study.lanes[0]
    calibrated = (_calibration(study.calibrations),) if study.calibrations else ()
    return Document(
        title="What assembled prompts keep",
        lead=verdict(study.lanes),
        facts=(f"{len(first_lane.fates):,} questions of {first_lane.dataset}. No model was asked.",),
        blocks=(
            *_figures(study),
            *(_kept(number, lanes) for number, lanes in enumerate(_by_run(study.lanes))),
            Notes(tuple(_stale(study.lanes))),
            *calibrated,
        ),
        identity={
            "dataset": first_lane.dataset,
            "runs": ", ".join(lanes[0].run for lanes in _by_run(study.lanes)),
            "counter": first_lane.counter,
            **({"profile": study.profile} if study.profile else {}),
            "memgauge": __version__,
        },
        data=PROMPTS.of(study),
    )


def verdict(lanes: Sequence[AssemblyLane]) -> str:
    """Say in one sentence what recall does not: how often something stale stands beside the evidence."""
    shares = {
        run_lanes[0].run: mean
        for run_lanes in _by_run(lanes)
        if (mean := run_lanes[0].measures["stale beside evidence"].mean) is not None
    }
    if not shares:
        silent_lanes = [run_lanes[0] for run_lanes in _by_run(lanes)]
        reason = _unknown(next(filter(_has_stale, silent_lanes), silent_lanes[0]))
        return f"{reason[:1].upper()}{reason[1:]}"
    lowest, highest = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    if shares[lowest] == shares[highest]:
        range_words = f"{percent(shares[lowest])} of the prompts"
    else:
        range_words = (
            f"{percent(shares[lowest])} ({lowest}) to {percent(shares[highest])} ({highest}) of the prompts"
        )
    return (
        f"In {range_words} that hold evidence about what changed, a version that does not hold stands beside it."
    )


def _by_run(lanes: Sequence[AssemblyLane]) -> list[list[AssemblyLane]]:
    """Group ways of assembly by memory, in the order of the runs."""
    return [[lane for lane in lanes if lane.run == run] for run in dict.fromkeys(lane.run for lane in lanes)]


def _stale(lanes: Sequence[AssemblyLane]) -> Iterator[Note]:
    """Say for every memory what recall does not, by its first order of assembly."""
    for lane, *_ in _by_run(lanes):
        stale = lane.measures["stale beside evidence"]
        if stale.mean is None:
            text = _unknown(lane)
        else:
            text = (
                f"{stale.n} questions about what changed have evidence in the prompt. Their recall@k is "
                f"{number(_recall_there(lane))}; in {percent(stale.mean)} of the prompts, a version that does "
                "not hold stands beside the evidence."
            )
        yield Note(text, about=lane.run)


def _has_stale(lane: AssemblyLane) -> bool:
    return lane.measures["stale in prompt"].n > 0


def _unknown(lane: AssemblyLane) -> str:
    """Say why nothing is known to stand beside the evidence: no prompt holds any, or nothing is stale."""
    if _has_stale(lane):
        budget = f"{lane.policy} with {plural(lane.budget, 'token')}"
        return (
            f"under {budget} no prompt holds evidence about what changed that something stale could stand beside."
        )
    return "the data name nothing that is stale, so that only retrieval and survival show."


def _recall_there(lane: AssemblyLane) -> float:
    """Return recall over the questions for which staleness is defined, so that both speak of the same ones."""
    recalled = [fate.recall for fate in lane.fates if fate.beside is not None]
    return sum(recalled) / len(recalled)


def _figures(study: PromptStudy) -> Iterator[Section]:
    if any(lane.measures[name].mean is not None for lane in study.lanes for name in _DRAWN):
        title = "What prompts keep, and what stands beside it"
        figure = Figure(
            "kept",
            title,
            "The first order of assembly of each memory.",
            partial(prompt_chart, study.lanes, _DRAWN),
        )
        yield Section("beyond-recall", "What recall does not show", (figure,))
    if study.calibrations:
        figures = tuple(
            Figure(
                f"calibration-{place}",
                f"{calibration.run}: predicted and observed accuracy",
                "On the line, a prediction is right.",
                partial(calibration_chart, calibration),
            )
            for place, calibration in enumerate(study.calibrations)
        )
        yield Section("predictions", "Predictions beside answers", figures)


def _kept(place: int, lanes: Sequence[AssemblyLane]) -> Table:
    """Show what the prompts of one memory keep, one column a way of assembly."""
    first, several = lanes[0], len({lane.budget for lane in lanes}) > 1
    columns = (
        Column(f"{lane.policy}, {lane.budget:,}", Kind.NUMBER, yields=lane_place)
        if several
        else Column(lane.policy, Kind.NUMBER)
        for lane_place, lane in enumerate(lanes)
    )
    rows: list[tuple[Cell | Value, ...]] = []
    for name in FATES:
        measures = [lane.measures[name] for lane in lanes]
        kind = Kind.COUNT if name == "tokens" else Kind.NUMBER
        rows.append(
            (name, *(_mean(estimate, kind) for estimate in measures), max(estimate.n for estimate in measures))
        )
    predictions = [lane.predicted for lane in lanes if lane.predicted is not None]
    if len(predictions) == len(lanes):
        rows.append(
            (
                "predicted accuracy",
                *(_mean(estimate, Kind.NUMBER) for estimate in predictions),
                len(first.fates),
            )
        )
    budgets = ", ".join(f"{n:,}" for n in dict.fromkeys(lane.budget for lane in lanes))
    return Table.of(
        f"prompts-{place}",
        f"{first.run}: prompts of {budgets} tokens",
        ("measure", *columns, Column("n", Kind.COUNT)),
        rows,
        f"Means over the questions of {first.dataset} that have evidence; n: for how many a measure is defined. "
        f"Tokens are counted by {first.counter}; what gives way: {_GIVES[first.cut]}.",
    )


def _mean(measure: Interval, kind: Kind) -> Cell:
    """Show a mean; its interval, for which columns have no room, is exported."""
    return replace(cell(measure, kind), under="")


def _calibration(calibrations: Sequence[Calibration]) -> Table:
    """Show predictions beside answers, bin by bin."""
    errors = (
        f"{calibration.run} beside {calibration.answers}: Brier {calibration.brier:.3f}, gap {calibration.gap:.3f}"
        for calibration in calibrations
    )
    return Table.of(
        "calibration",
        "Calibration",
        ("run", "bin", *Column.each(Kind.NUMBER, "predicted", "observed"), Column("n", Kind.COUNT)),
        [
            (calibration.run, f"{part.low:.1f} to {part.high:.1f}", part.predicted, part.observed, part.observed.n)
            for calibration in calibrations
            for part in calibration.bins
        ],
        f"{'; '.join(errors)}.",
    )
