"""What a measured model says: its document."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.show import Document, Figure, Note, Section, Tone
from memgauge.studies.context.charts import depth_chart, heat_chart, length_chart
from memgauge.studies.context.show_history import left_out, trends
from memgauge.studies.context.study import PROFILE
from memgauge.studies.context.tables import tables
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.context.profile import Measured
    from memgauge.studies.context.study import ModelStudy
    from memgauge.studies.context.trend import TaskMeasurement


def document(study: ModelStudy, history: Sequence[TaskMeasurement] = ()) -> Document:
    """Say what was measured of a model; beside a history, how it changed."""
    return Document(
        title=f"Context of {study.label}",
        lead=verdict(study),
        facts=(_asked(study),),
        blocks=(*_lengths(study), *_tasks(study), *_trends(history), *tables(study)),
        notes=tuple(_notes(study)),
        origin="one deterministic grid",
        identity={
            "model": study.model,
            "tasks": ", ".join(study.grid.tasks),
            "samples": str(study.grid.samples),
            "seed": str(study.grid.seed),
            "counter": study.grid.counter,
            "generator": str(study.grid.generator),
            "memgauge": __version__,
        },
        data=PROFILE.of(study),
    )


def verdict(study: ModelStudy) -> str:
    """Say in one sentence how much context is effective, task by task and never as one number."""
    if not study.effective:
        return "No effective context was asked for."
    lengths = "; ".join(f"{length.task} {length.told}" for length in study.effective)
    return f"Effective context, as a 95 % lower bound in tokens: {lengths}."


def _asked(study: ModelStudy) -> str:
    sentence = f"{study.asked:,} prompts were asked"
    if study.saved:
        share = study.saved / (study.asked + study.saved)
        sentence += f"; {study.saved:,} of the full grid ({share:.0%}) were not needed"
    return f"{sentence}. Lengths are counted by {study.grid.counter}."


def _lengths(study: ModelStudy) -> Iterator[Section]:
    if any(sum(count.n > 0 for count in length.counts) > 1 for length in study.effective):
        caption = "Bands: 95 % intervals over samples, one answer each."
        figure = Figure("lengths", "Accuracy by length", caption, partial(length_chart, study.effective))
        yield Section("by-length", "How much context is effective", (figure,))


def _tasks(study: ModelStudy) -> Iterator[Section]:
    for place, task in enumerate(study.tasks):
        if task.profiles:
            yield Section(f"task-{place}", f"{task.task}, {task.type}", (_heat(task, place), _depth(task, place)))


def _heat(task: Measured, place: int) -> Figure:
    title = f"{task.task}: accuracy by depth and length"
    return Figure(f"heat-{place}", title, "Share of right answers.", partial(heat_chart, task))


def _depth(task: Measured, place: int) -> Figure:
    caption = "One line a length, labelled by its tokens; bands: 95 % over samples."
    return Figure(f"depth-{place}", f"{task.task}: the positional profile", caption, partial(depth_chart, task))


def _trends(history: Sequence[TaskMeasurement]) -> Iterator[Section]:
    if figures := tuple(trends(tuple(history))):
        yield Section("trend", "Trend", figures, beside=left_out(tuple(history)))


def _notes(study: ModelStudy) -> Iterator[Note]:
    for length in study.effective:
        if length.reason:
            yield Note(f"{length.reason}.", about=length.task)
    if study.failed:
        yield Note(f"{study.failed:,} calls gave no answer; they are left out.", tone=Tone.WARN)
