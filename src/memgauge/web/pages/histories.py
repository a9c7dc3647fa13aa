"""Measures over time: what changed since the baseline, what slides, and what rings an alarm."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.report.sheet import Sheet
from memgauge.web.view import Chart, View

if TYPE_CHECKING:
    from memgauge.web.studies import Study


def context(one: Study) -> View:
    """Show measurements of context over time."""
    from memgauge.report.context_charts import trend_chart
    from memgauge.studies.context.trend import comparable, read

    entries = read(one.path)
    alike = comparable(entries)
    heads = ("measurement", "at", "model", "task", "tokens", "right", "n", "effective", "grid")
    rows = [
        (
            entry.measurement,
            entry.at,
            entry.label,
            entry.task,
            entry.length,
            entry.accuracy,
            entry.n,
            entry.effective,
            entry.grid,
        )
        for entry in entries
    ]
    left = len({entry.measurement for entry in entries} - {entry.measurement for entry in alike})
    return View(
        title="Context history",
        lead=f"{len({entry.measurement for entry in entries}):,} measurements.",
        notes=(f"{left:,} on another grid are in the table and not in the charts.",) if left else (),
        sheets=(Sheet.of("measurements", "Measurements", heads, rows),),
        charts=(
            Chart(
                "effective",
                "Effective context over time",
                "As the history has it.",
                partial(trend_chart, alike, "effective", penalty=False),
            ),
            Chart(
                "penalty",
                "Positional penalty over time",
                "As the history has it.",
                partial(trend_chart, alike, "penalty", penalty=True),
            ),
        ),
    )
