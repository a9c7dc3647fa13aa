"""A run of the golden suite as one self-contained page: verdicts, timelines of failures, charts over history."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.report.golden import (
    ORDER,
    drift_lines,
    ended,
    facts,
    family_rows,
    headline,
    suites,
    visible,
    where,
    witnesses,
)
from memgauge.report.page import Drawn, render
from memgauge.report.svg import Figure, draw
from memgauge.show.drawing import ACCENT, INK, QUIET, SERIES, specification
from memgauge.show.numbers import number
from memgauge.studies.golden.drift import drift

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.studies.golden.drift import Series
    from memgauge.studies.golden.history import History, HistoryRun
    from memgauge.studies.golden.summary import GoldenReport, PlayedScenario

_STEP = re.compile(r"step (\d+)")


@dataclass(frozen=True)
class Failure:
    """One scenario that did not pass, as the page tells it."""

    id: str
    title: str
    ended: str
    where: str
    witnesses: tuple[str, ...]
    timeline: tuple[tuple[int, str, bool], ...]
    """Number, text, and whether a witness names it."""


def render_golden(report: GoldenReport, *, identity: Mapping[str, str], history: History | None = None) -> str:
    """Render one run; with a history, also what changed and every metric over time.

    Args:
        report: What was found.
        identity: What a reader needs to make the page again, shown at its foot.
        history: Of this memory, this run included.
    """
    heads, rows = family_rows(report)
    drifted = drift(history) if history is not None else None
    return render(
        "golden.html.j2",
        title=f"Golden suite: {visible(report.system.name)}",
        identity={key: visible(value) for key, value in identity.items()},
        headline=headline(report),
        suites=suites(report),
        facts=list(facts(report)),
        heads=heads,
        rows=rows,
        failures=[_failure(one) for one in report.played if one.unexpected],
        broken=list(map(visible, report.broken)),
        programs=[(made, visible(made.text)) for made in report.programs],
        passed=[one for one in report.played if not one.unexpected],
        drifted=list(map(visible, drift_lines(drifted))) if drifted else [],
        figures=list(_figures(history, drifted.series)) if history and drifted else [],
    )


def _failure(one: PlayedScenario) -> Failure:
    told = witnesses(one)
    named = {int(step) for text in told for step in _STEP.findall(text)}
    named |= {finding.step for finding in one.result.findings}
    return Failure(
        one.result.scenario,
        visible(one.title),
        ended(one),
        where(one),
        tuple(told),
        tuple((place, visible(text), place in named) for place, text in enumerate(one.story, 1)),
    )


def _figures(history: History, series: Sequence[Series]) -> Iterator[Drawn]:
    """Draw every metric that has at least two runs."""
    if len(history.runs) < 2:
        return
    yield Drawn.of(verdicts_chart(history.runs), "Cases by how they ended, run by run.")
    layers = layers_chart(history.runs)
    yield Drawn.of(layers, "Share of cases that pass at each layer.")
    for place, one in enumerate(series):
        figure = series_chart(one, f"golden-series-{place}")
        if figure is not None:
            yield Drawn.of(figure, "Dots: runs. Line: EWMA since the baseline. Dashed: its lower limit.")


def series_chart(one: Series, uid: str) -> Figure | None:
    """Draw a family over time, with its chart where there is a baseline; ``None`` with fewer than two runs."""
    import altair as alt

    if len(one.points) < 2:
        return None
    rows: list[dict[str, Any]] = [
        {"run": place, "rate": point.rate, "smooth": None, "low": None}
        for place, point in enumerate(one.points, 1)
    ]
    if one.chart is not None:
        since = rows[len(rows) - len(one.chart.values) :] if one.chart.values else []
        for row, smooth, low in zip(since, one.chart.values, one.chart.low, strict=True):
            row |= {"smooth": smooth, "low": low}
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=_runs(len(rows)))
    y = alt.Y(
        "rate:Q",
        title="pass",
        scale=alt.Scale(domain=[0, 1], clamp=True),
        axis=alt.Axis(tickCount=5, labelPadding=8),
    )
    layers = alt.layer(
        base.mark_point(filled=True, size=36, opacity=1, color=QUIET).encode(y=y),
        base.transform_filter("isValid(datum.smooth)").mark_line(color=ACCENT).encode(y="smooth:Q"),
        base.transform_filter("isValid(datum.low)").mark_line(color=INK, strokeDash=[4, 3]).encode(y="low:Q"),
    )
    name = visible(one.family) or "all families"
    said = (
        f"{number(one.points[0].rate)} at {one.points[0].at}, {number(one.points[-1].rate)} at {one.points[-1].at}"
    )
    return draw(
        specification(layers, height=150, left=64),
        uid=uid,
        title=f"Share that passes: {name}",
        description=f"{len(rows)} runs: {visible(said)}.",
    )


def verdicts_chart(runs: Sequence[HistoryRun]) -> Figure:
    """Draw how many cases ended in each way, run by run."""
    counts = [Counter(_verdicts(run)) for run in runs]
    names = [name for name in ORDER if any(count[name] for count in counts)]
    rows = [
        {"run": place, "name": name, "value": count[name]}
        for place, count in enumerate(counts, 1)
        for name in names
    ]
    said = "; ".join(f"{name} {counts[0][name]} to {counts[-1][name]}" for name in names)
    return _lines(rows, names, "golden-verdicts", "How cases end", said, "cases")


def layers_chart(runs: Sequence[HistoryRun]) -> Figure:
    """Draw the share of cases that pass at each layer."""
    names = sorted({row.layer for run in runs for row in run.rows})
    rows = []
    for place, run in enumerate(runs, 1):
        for name in names:
            here = [
                row.verdict == "pass" for row in run.rows if row.layer == name and row.verdict != "unsupported"
            ]
            if here:
                rows.append({"run": place, "name": name, "value": sum(here) / len(here)})
    said = f"Layers: {', '.join(names)}"
    return _lines(rows, names, "golden-layers", "Share that passes, by layer", said, "pass")


def _verdicts(run: HistoryRun) -> Iterator[str]:
    """Yield one verdict a case: the worst of its layers."""
    found: dict[str, set[str]] = {}
    for row in run.rows:
        found.setdefault(row.case, set()).add(row.verdict)
    for verdicts in found.values():
        yield next((verdict for verdict in ORDER[1:] if verdict in verdicts), ORDER[0])


def _lines(
    rows: Sequence[dict[str, Any]], names: Sequence[str], uid: str, title: str, said: str, unit: str
) -> Figure:
    import altair as alt

    hues = [SERIES[place % len(SERIES)] for place in range(len(names))]
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=list(names), range=hues),
        legend=alt.Legend(title=None, orient="top", labelColor=INK, labelLimit=1000),
    )
    base = alt.Chart(alt.InlineData(values=list(rows))).encode(
        x=_runs(max((row["run"] for row in rows), default=1)),
        y=alt.Y("value:Q", title=unit, axis=alt.Axis(labelPadding=8)),
        color=colour,
    )
    layers = alt.layer(base.mark_line(), base.mark_point(filled=True, size=30, opacity=1))
    return draw(
        specification(layers, height=150, left=64, top=44), uid=uid, title=title, description=f"{visible(said)}."
    )


def _runs(count: int) -> Any:
    import altair as alt

    ticks = alt.Axis(tickMinStep=1, tickCount=min(count, 10), format="d", grid=False, labelPadding=8)
    return alt.X("run:Q", title="run", scale=alt.Scale(domain=[1, max(count, 2)], nice=False), axis=ticks)
