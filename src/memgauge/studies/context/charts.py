"""The drawings of the context study: heat maps, profiles and lengths with bands, prompts, calibration, trends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.show.curves import Axis, Spread, curves
from memgauge.show.drawing import ACCENT, INK, QUIET, SERIES, heat, inline, labels, layered, shorts, specification
from memgauge.show.figures import Drawing
from memgauge.show.safety import name_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.context.assembled import AssemblyLane
    from memgauge.studies.context.effective import Effective
    from memgauge.studies.context.predict import Calibration
    from memgauge.studies.context.profile import Measured
    from memgauge.studies.context.trend import TaskMeasurement

WIDE, AXIS = 430, 60
_ACCURACY = Axis("accuracy", (0, 1))


def tokens(n: int) -> str:
    """Write a length as axes do."""
    return f"{n / 1000:g}k" if n >= 1000 else str(n)


def heat_chart(task: Measured) -> Drawing | None:
    """Draw accuracy by depth and length; ``None`` where no depths were asked for."""
    import altair as alt

    rows = [
        {
            "length": tokens(profile.length),
            "depth": f"{point.depth:.0%}",
            "value": point.score.mean,
            "figure": "\N{EN DASH}" if point.score.mean is None else f"{point.score.mean:.2f}",
        }
        for profile in task.profiles
        for point in profile.points
    ]
    if not rows:
        return None
    depths = len({row["depth"] for row in rows})
    base = alt.Chart(inline(rows)).encode(
        x=alt.X("length:N", sort=None, title="tokens of context", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("depth:N", sort=None, title="evidence stands at", axis=alt.Axis(labelPadding=8)),
    )
    shade = alt.Opacity("value:Q", scale=alt.Scale(domain=[0, 1], range=[0.03, 0.66]), legend=None)
    values = "; ".join(
        f"{tokens(p.length)}: " + ", ".join(f"{q.depth:.0%} {q.score.mean:.2f}" for q in p.points if q.score.n)
        for p in task.profiles
    )
    spec = specification(heat(base, shade), height=30 * depths, width=WIDE, left=AXIS + 16)
    return Drawing(spec, f"Stronger colour is higher. {values}.")


def depth_chart(task: Measured) -> Drawing | None:
    """Draw accuracy over depth with 95 % bands, one line a length."""
    lines = [
        [
            _point(tokens(profile.length), point.depth, point.score.mean, point.score.low, point.score.high)
            for point in profile.points
            if point.score.mean is not None
        ]
        for profile in task.profiles
    ]
    gaps = "; ".join(
        f"penalty at {tokens(p.length)} {p.penalty.mean:+.3f}" for p in task.profiles if p.penalty.mean is not None
    )
    return curves(
        [line for line in lines if line],
        Axis("share of the context before the evidence", (0, 1), (0, 0.25, 0.5, 0.75, 1), format=".0%"),
        _ACCURACY,
        f"Bands are 95 % intervals over samples. {gaps}.",
        spread=Spread.BAND,
    )


def length_chart(lengths: Sequence[Effective]) -> Drawing | None:
    """Draw accuracy over length on a log scale with 95 % bands, one line a task."""
    lines = [
        [
            _point(length.task, count.length, count.rate, count.interval.low, count.interval.high)
            for count in length.counts
            if count.n
        ]
        for length in lengths
    ]
    lines = [line for line in lines if len(line) > 1]
    ticks = sorted({count.length for length in lengths for count in length.counts if count.n}) or [1]
    bounds = "; ".join(f"{length.task} {length.told}" for length in lengths)
    return curves(
        lines,
        Axis("tokens of context", (ticks[0], ticks[-1]), ticks, format="~s", log=True),
        _ACCURACY,
        f"Bands are 95 % intervals. Effective context by the lower bound: {bounds}.",
        spread=Spread.BAND,
    )


def _point(
    name: str, x: float, value: float, low: float | None = None, high: float | None = None
) -> dict[str, Any]:
    """Return a point of a curve; without an interval it is its own."""
    return {
        "name": name,
        "x": x,
        "value": value,
        "low": value if low is None else low,
        "high": value if high is None else high,
        "label": f"{_figure(value)} {name}",
    }


def prompt_chart(lanes: Sequence[AssemblyLane], measures: Sequence[str]) -> Drawing | None:
    """Draw for every memory what retrieval found, what survives, and what stale stands beside it."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"name": lane.run, "measure": name, "value": mean, "figure": f"{mean:.2f} {name}"}
        for lane in {lane.run: lane for lane in reversed(lanes)}.values()
        for name in measures
        if (mean := lane.measures[name].mean) is not None
    ]
    if not rows:
        return None
    names = list(dict.fromkeys(row["name"] for row in reversed(rows)))
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelPadding=10, labelExpr=labels(names))),
        yOffset=alt.YOffset("measure:N", sort=list(measures)),
        x=alt.X("value:Q", title="share of questions", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(
            "measure:N", scale=alt.Scale(domain=list(measures), range=[QUIET, SERIES[0], SERIES[1]]), legend=None
        ),
    )
    layers = layered(
        base.mark_bar(height=13, opacity=0.85),
        base.mark_text(align="left", dx=5, fontSize=11).encode(
            text=alt.Text("figure:N"), color=alt.ColorValue(INK)
        ),
    )
    values = "; ".join(f"{row['name']} {row['figure']}" for row in rows)
    margin = 20 + 8 * max(map(len, shorts(names).values()))
    spec = specification(layers, height=70 * len(names), width=WIDE, left=margin, right=180)
    return Drawing(spec, f"{values}.")


def calibration_chart(calibration: Calibration) -> Drawing:
    """Draw observed accuracy over predicted, with 95 % intervals; on the dashed line a prediction is right."""
    import altair as alt

    rows = [
        {
            "x": part.predicted,
            "value": part.observed.mean,
            "low": part.observed.low,
            "high": part.observed.high,
            "label": f"n={part.observed.n}",
        }
        for part in calibration.bins
    ]
    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("x:Q", title="predicted accuracy", scale=scale, axis=alt.Axis(tickCount=5, labelPadding=8))
    y = alt.Y("value:Q", title="observed accuracy", scale=scale, axis=alt.Axis(tickCount=5, titlePadding=10))
    base = alt.Chart(inline(rows)).encode(x=x, color=alt.ColorValue(ACCENT))
    line = alt.Chart(inline([{"x": 0, "value": 0}, {"x": 1, "value": 1}]))
    layers = layered(
        line.mark_line(strokeDash=[4, 3], strokeWidth=1, color=INK, opacity=0.5).encode(x=x, y=y),
        base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_point(filled=True, size=60, opacity=1).encode(y=y),
        base.mark_text(align="left", dx=9, dy=-7, fontSize=11).encode(
            y=y, text=alt.Text("label:N"), color=alt.ColorValue(INK)
        ),
    )
    errors = f"Brier {calibration.brier:.3f}, gap {calibration.gap:.3f}"
    spec = specification(layers, height=320, width=WIDE, left=AXIS, right=64)
    return Drawing(spec, f"Bars are 95 % intervals. {errors}.")


def trend_chart(history: Sequence[TaskMeasurement], *, penalty: bool) -> Drawing | None:
    """Draw effective context, or the penalty, over a history; ``None`` where no task has two measurements."""
    measurements = list({entry.measurement: entry for entry in history}.values())
    places = {entry.measurement: place for place, entry in enumerate(measurements)}
    several_labels = len({entry.label for entry in measurements}) > 1
    short_labels = shorts(entry.label for entry in measurements)
    ticks = [name_line(short_labels[entry.label] if several_labels else entry.at[:10]) for entry in measurements]
    tasks = dict.fromkeys(entry.task for entry in history)
    lines = [
        [
            _point(entry.task, places[entry.measurement], value)
            for entry in history
            if entry.task == task and (value := entry.penalty if penalty else entry.effective) is not None
        ]
        for task in tasks
    ]
    lines = [line for line in lines if len(line) > 1]
    steps = "; ".join(f"{line[0]['name']} {', '.join(_figure(row['value']) for row in line)}" for line in lines)
    values = [row["value"] for line in lines for row in line]
    return curves(
        lines,
        Axis("oldest first", (0, len(measurements) - 1), range(len(measurements)), ticks),
        Axis("penalty" if penalty else "tokens", (min(0.0, *values, 0.0), max(0.1, *values, 0.1))),
        f"{', '.join(ticks)}: {steps}.",
    )


def _figure(value: float) -> str:
    return tokens(int(value)) if value >= 100 else f"{value:.2f}"
