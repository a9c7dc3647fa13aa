"""The figures of a golden history: verdicts, layers and families over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.show.drawing import ACCENT, INK, QUIET, SERIES, inline, layered, specification
from memgauge.show.figures import Drawing
from memgauge.show.numbers import number
from memgauge.show.safety import visible
from memgauge.studies.golden.past import ORDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.golden.drift import Series
    from memgauge.studies.golden.past import PastRun


def series_chart(series: Series) -> Drawing | None:
    """Draw a family over time, with its chart where there is a baseline; ``None`` with fewer than two runs."""
    import altair as alt

    if len(series.points) < 2:
        return None
    rows: list[dict[str, Any]] = [
        {"run": place, "rate": point.rate, "smooth": None, "low": None}
        for place, point in enumerate(series.points, 1)
    ]
    if series.chart is not None:
        since = rows[len(rows) - len(series.chart.values) :] if series.chart.values else []
        for row, smooth, low in zip(since, series.chart.values, series.chart.low, strict=True):
            row |= {"smooth": smooth, "low": low}
    base = alt.Chart(inline(rows)).encode(x=_runs(len(rows)))
    y = alt.Y(
        "rate:Q",
        title="pass",
        scale=alt.Scale(domain=[0, 1], clamp=True),
        axis=alt.Axis(tickCount=5, labelPadding=8),
    )
    layers = layered(
        base.mark_point(filled=True, size=36, opacity=1, color=QUIET).encode(y=y),
        base.transform_filter("isValid(datum.smooth)").mark_line(color=ACCENT).encode(y=alt.Y("smooth:Q")),
        base.transform_filter("isValid(datum.low)")
        .mark_line(color=INK, strokeDash=[4, 3])
        .encode(y=alt.Y("low:Q")),
    )
    ends = (series.points[0], series.points[-1])
    words = ", ".join(f"{number(point.rate)} at {point.at}" for point in ends)
    return Drawing(specification(layers, height=150, left=64), f"{len(rows)} runs: {visible(words)}.")


def verdicts_chart(runs: Sequence[PastRun]) -> Drawing:
    """Draw how many cases ended in each way, run by run."""
    names = [name for name in ORDER if any(run.verdicts.get(name) for run in runs)]
    rows = [
        {"run": place, "name": name, "value": run.verdicts.get(name, 0)}
        for place, run in enumerate(runs, 1)
        for name in names
    ]
    first, last = runs[0].verdicts, runs[-1].verdicts
    words = "; ".join(f"{name} {first.get(name, 0)} to {last.get(name, 0)}" for name in names)
    return _lines(rows, names, words, "cases")


def layers_chart(runs: Sequence[PastRun]) -> Drawing:
    """Draw the share of cases that pass at each layer."""
    names = sorted({name for run in runs for name in run.layers})
    rows = [
        {"run": place, "name": name, "value": run.layers[name]}
        for place, run in enumerate(runs, 1)
        for name in names
        if name in run.layers
    ]
    return _lines(rows, names, f"Layers: {', '.join(names)}", "pass")


def _lines(rows: Sequence[dict[str, Any]], names: Sequence[str], words: str, unit: str) -> Drawing:
    import altair as alt

    hues = [SERIES[place % len(SERIES)] for place in range(len(names))]
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=list(names), range=hues),
        legend=alt.Legend(title=None, orient="top", labelColor=INK, labelLimit=1000),
    )
    base = alt.Chart(inline(list(rows))).encode(
        x=_runs(max((row["run"] for row in rows), default=1)),
        y=alt.Y("value:Q", title=unit, axis=alt.Axis(labelPadding=8)),
        color=colour,
    )
    layers = layered(base.mark_line(), base.mark_point(filled=True, size=30, opacity=1))
    return Drawing(specification(layers, height=150, left=64, top=44, bottom=44), f"{visible(words)}.")


def _runs(count: int) -> Any:
    import altair as alt

    step = -(-count // 10)  # ticks that are named: between two runs there is none
    places = [*range(1, max(count, 2) + 1, step)]
    ticks = alt.Axis(values=places, format="d", grid=False, labelPadding=8)
    return alt.X("run:Q", title="run", scale=alt.Scale(domain=[1, max(count, 2)], nice=False), axis=ticks)
