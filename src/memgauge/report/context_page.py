"""The context study as one self-contained page: what a model keeps, or what prompts keep without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.context import (
    calibration_sheet,
    effective_sheet,
    lane_sheet,
    matcher_sheet,
    profile_sheet,
    stale_sentences,
)
from memgauge.report.context_charts import (
    calibration_chart,
    depth_chart,
    heat_chart,
    length_chart,
    prompt_chart,
    trend_chart,
)
from memgauge.report.page import Drawn, render
from memgauge.studies.context.trend import comparable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.report.svg import Figure
    from memgauge.stats.bootstrap import Interval
    from memgauge.studies.context.assembled import AssemblyLane
    from memgauge.studies.context.predict import Calibration
    from memgauge.studies.context.study import ModelStudy
    from memgauge.studies.context.trend import TaskMeasurement

TEMPLATE = "context.html.j2"


def render_study(
    study: ModelStudy, *, identity: Mapping[str, str], history: Sequence[TaskMeasurement] = ()
) -> str:
    """Render what was measured of a model as one page."""
    sheets = [effective_sheet(study), profile_sheet(study), matcher_sheet(study)]
    return render(
        TEMPLATE,
        title=f"Context of {study.label}",
        identity=identity,
        verdicts=[_verdict(study)],
        counts=_counts(study),
        groups=[
            ("How much context is effective", list(_drawn([length_chart(study.effective, "ctx-length")], _BANDS))),
            *(
                (f"{task.task}, {task.type}", drawn)
                for number, task in enumerate(study.tasks)
                if (
                    drawn := list(_pair([heat_chart(task, f"ctx-h{number}"), depth_chart(task, f"ctx-d{number}")]))
                )
            ),
            ("Trend", list(_drawn(_trends(history), _left_out(history)))),
        ],
        sheets=[sheet for sheet in sheets if sheet is not None],
        notes=_notes(study),
    )


def render_lanes(
    lanes: Sequence[AssemblyLane],
    *,
    identity: Mapping[str, str],
    predictions: Mapping[int, Interval] | None = None,
    calibrations: Sequence[Calibration] = (),
) -> str:
    """Render what prompts keep as one page."""
    runs = list(dict.fromkeys(lane.run for lane in lanes))
    sheets = [
        lane_sheet(
            mine, {place: predictions[number] for place, (number, _) in enumerate(of)} if predictions else None
        )
        for run in runs
        if (of := [(number, lane) for number, lane in enumerate(lanes) if lane.run == run])
        and (mine := [lane for _, lane in of])
    ]
    drawn = list(_drawn([prompt_chart(lanes, "ctx-prompts")], "The first order of assembly of each memory."))
    charts = [calibration_chart(one, f"ctx-c{number}") for number, one in enumerate(calibrations)]
    return render(
        TEMPLATE,
        title="What assembled prompts keep",
        identity=identity,
        verdicts=stale_sentences(lanes),
        counts=f"{len(lanes[0].fates):,} questions of {lanes[0].dataset}. No model was asked",
        groups=[
            ("What recall does not show", drawn),
            ("Predictions beside answers", list(_drawn(charts, "On the line, a prediction is right."))),
        ],
        sheets=[*sheets, *([calibration_sheet(calibrations)] if calibrations else [])],
        notes=(),
    )


_BANDS = "Bands: 95 % intervals over samples, one answer each."


def _pair(figures: Sequence[Figure | None]) -> Iterator[Drawn]:
    captions = ("Share of right answers.", "One line a length, labelled by its tokens; bands: 95 % over samples.")
    for figure, caption in zip(figures, captions, strict=True):
        if figure is not None:
            yield Drawn.of(figure, caption)


def _drawn(figures: Sequence[Figure | None], caption: str) -> Iterator[Drawn]:
    for figure in figures:
        if figure is not None:
            yield Drawn.of(figure, caption)


def _trends(history: Sequence[TaskMeasurement]) -> list[Figure | None]:
    alike = comparable(tuple(history))
    return [trend_chart(alike, f"ctx-t{int(penalty)}", penalty=penalty) for penalty in (False, True)]


def _left_out(history: Sequence[TaskMeasurement]) -> str:
    alike = {entry.measurement for entry in comparable(tuple(history))}
    other = len({entry.measurement for entry in history} - alike)
    return f"As the history has it{f'; {other} on another grid are left out' if other else ''}."


def _verdict(study: ModelStudy) -> str:
    said = "; ".join(f"{one.task} {one.told}" for one in study.effective)
    return f"Effective context, as a 95 % lower bound in tokens: {said}."


def _counts(study: ModelStudy) -> str:
    saved = f"; {study.saved:,} that a full grid takes were not needed" if study.saved else ""
    return f"{study.asked:,} prompts were asked{saved}. Lengths are counted by {study.grid.counter.name}"


def _notes(study: ModelStudy) -> list[str]:
    notes = dict.fromkeys(
        f"{profile.task} at {profile.length:,} tokens: {profile.warning}."
        for task in study.tasks
        for profile in task.profiles
        if profile.warning
    )
    notes |= dict.fromkeys(f"{one.task}: {one.reason}." for one in study.effective if one.reason)
    if study.failed:
        notes[f"{study.failed:,} calls gave no answer; they are left out."] = None
    return list(notes)
