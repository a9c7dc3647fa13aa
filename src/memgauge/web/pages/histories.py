"""Measures over time: what changed since the baseline, what slides, and what rings an alarm."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.report.sheet import Cell, Sheet
from memgauge.text.jsons import json_lines
from memgauge.web.view import Chart, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.drift import Drift
    from memgauge.studies.golden.history import History
    from memgauge.web.studies import Study

_SERIES = "Dots: runs. Line: EWMA since the baseline. Dashed: its lower limit."


def golden(one: Study) -> View:
    """Show the history of golden runs, memory by memory."""
    from memgauge.report.golden import drift_lines
    from memgauge.show.safety import visible
    from memgauge.studies.golden.drift import drift
    from memgauge.studies.golden.history import read_history

    histories = {name: read_history(one.path, name) for name in _systems(one)}
    found = {name: (history, drift(history)) for name, history in histories.items()}
    lines = [
        f"{visible(name)}: {visible(line)}"
        for name, (_, seen) in found.items()
        if seen
        for line in drift_lines(seen)
    ]
    alarms = sum(len(seen.alarms) for _, seen in found.values() if seen)
    runs = sum(len(history.runs) for history in histories.values())
    return View(
        title="Golden history",
        lead=f"{runs:,} runs of {len(histories):,} memories; {alarms or 'no'} alarm{'' if alarms == 1 else 's'}.",
        notes=tuple(lines),
        noted="What changed, and what slides",
        sheets=(_runs(histories),),
        charts=tuple(
            chart
            for place, (name, (history, seen)) in enumerate(found.items())
            if seen and len(history.runs) > 1
            for chart in _charts(visible(name), place, history, seen)
        ),
    )


def _systems(one: Study) -> list[str]:
    return sorted({str(row["system"]) for _, row in json_lines(one.path) if "system" in row})


def _runs(histories: dict[str, History]) -> Sheet:
    rows = []
    for name, history in histories.items():
        baseline = history.baseline.id if history.baseline else ""
        for run in history.runs:
            rate, judged = run.rate()
            first = run.rows[0]
            rows.append(
                (
                    Cell(name),
                    Cell(run.id, "baseline" if run.id == baseline else ""),
                    first.at,
                    Cell(first.build, first.fingerprint[:12]),
                    Cell("undefined" if rate is None else f"{rate:.3f}", value=rate),
                    judged,
                    ", ".join(run.suites),
                )
            )
    return Sheet.of("runs", "Runs", ("memory", "run", "at", "build", "passed", "cases judged", "suites"), rows)


def _charts(name: str, place: int, history: History, seen: Drift) -> Iterator[Chart]:
    from memgauge.report.golden_page import layers_chart, series_chart, verdicts_chart

    key = f"m{place}"
    yield Chart(
        f"{key}-verdicts",
        f"{name}: how cases end",
        "Cases by how they ended, run by run.",
        partial(verdicts_chart, history.runs),
    )
    yield Chart(
        f"{key}-layers",
        f"{name}: share that passes, by layer",
        "Share of cases that pass at each layer.",
        partial(layers_chart, history.runs),
    )
    for number, one in enumerate(seen.series):
        family = one.family or "all families"
        yield Chart(
            f"{key}-{number}", f"{name}: {family}", _SERIES, partial(series_chart, one, f"{key}-series-{number}")
        )


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
