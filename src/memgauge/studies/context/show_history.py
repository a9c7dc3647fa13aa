"""What a history of measurements says: its document, and the trends that a single measurement shows too."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.show import Column, Document, Figure, Kind, Note, Table
from memgauge.show.numbers import plural
from memgauge.studies.context.charts import trend_chart
from memgauge.studies.context.trend import HISTORY, comparable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.studies.context.trend import TaskMeasurement


def document(path: Path) -> Document:
    """Say what a file of measurements holds."""
    history = HISTORY.read(path)
    remark = left_out(history)
    return Document(
        title="Context history",
        lead=f"{plural(len({entry.measurement for entry in history}), 'measurement')}.",
        blocks=(*trends(history), _table(history)),
        notes=(Note(f"{remark} They stand in the table."),) if remark else (),
        origin="the history of measurements",
        identity={"file": path.name},
    )


def trends(history: tuple[TaskMeasurement, ...]) -> Iterator[Figure]:
    """Yield the figures of what was measured more than once on the grid of the newest measurement."""
    alike = comparable(history)
    caption = "Measurements on one grid, oldest first."
    if _repeats(alike, penalty=False):
        draw = partial(trend_chart, alike, penalty=False)
        yield Figure("trend-effective", "Trend of effective context", caption, draw)
    if _repeats(alike, penalty=True):
        yield Figure("trend-penalty", "Trend of the penalty", caption, partial(trend_chart, alike, penalty=True))


def left_out(history: tuple[TaskMeasurement, ...]) -> str:
    """Say how many measurements are no part of the trends; nothing where all are."""
    omitted = {entry.measurement for entry in history} - {entry.measurement for entry in comparable(history)}
    return f"{len(omitted):,} on another grid are left out of the figures." if omitted else ""


def _repeats(history: Sequence[TaskMeasurement], *, penalty: bool) -> bool:
    """Whether any task has two values to draw a line between."""
    tasks = [entry.task for entry in history if (entry.penalty if penalty else entry.effective) is not None]
    return len(tasks) > len(set(tasks))


def _table(history: Sequence[TaskMeasurement]) -> Table:
    return Table.of(
        "measurements",
        "Measurements",
        (
            Column("measurement", Kind.COUNT),
            "at",
            Column("model", Kind.TEXT),
            "task",
            Column("tokens", Kind.COUNT),
            Column("right", Kind.NUMBER),
            Column("n", Kind.COUNT),
            Column("penalty", Kind.SIGNED),
            Column("effective", Kind.COUNT),
            Column("grid", Kind.TEXT),
        ),
        [
            (
                entry.measurement,
                entry.at,
                entry.label,
                entry.task,
                entry.length,
                entry.accuracy,
                entry.n,
                entry.penalty,
                entry.effective,
                entry.grid,
            )
            for entry in history
        ],
        "Right: share of right answers at the longest length that was asked; effective: by the lower bound, 0 "
        "where not even the shortest length passes. Only rows of one grid are comparable.",
    )
