"""The drawings of the context study: heat maps, profiles and lengths with bands, prompts, calibration, trends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memgauge.show.drawing import ACCENT, INK, QUIET, SERIES, SHORT, apart, short, specification
from memgauge.show.figures import Drawing
from memgauge.show.safety import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.context.assembled import AssemblyLane
    from memgauge.studies.context.effective import Effective
    from memgauge.studies.context.predict import Calibration
    from memgauge.studies.context.profile import Measured
    from memgauge.studies.context.trend import TaskMeasurement

WIDE, AXIS, MARGIN, GAP, LETTER = 430, 60, 150, 16, 7


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
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("length:N", sort=None, title="tokens of context", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("depth:N", sort=None, title="evidence stands at", axis=alt.Axis(labelPadding=8)),
    )
    shade = alt.Opacity("value:Q", scale=alt.Scale(domain=[0, 1], range=[0.03, 0.66]), legend=None)
    layers = alt.layer(
        base.mark_rect(color=ACCENT, cornerRadius=3, xOffset=1, x2Offset=-1, yOffset=1, y2Offset=-1).encode(
            opacity=shade
        ),
        base.mark_text(fontSize=12, color=INK).encode(text="figure:N"),
    ).resolve_scale(opacity="independent")
    values = "; ".join(
        f"{tokens(p.length)}: " + ", ".join(f"{q.depth:.0%} {q.score.mean:.2f}" for q in p.points if q.score.n)
        for p in task.profiles
    )
    spec = specification(layers, height=30 * depths, width=WIDE, left=AXIS + 16)
    return Drawing(spec, f"Stronger colour is higher. {values}.")


def depth_chart(task: Measured) -> Drawing | None:
    """Draw accuracy over depth with 95 % bands, one line a length."""
    lines = [
        [
            {
                "name": tokens(profile.length),
                "x": point.depth,
                "value": point.score.mean,
                "low": point.score.mean if point.score.low is None else point.score.low,
                "high": point.score.mean if point.score.high is None else point.score.high,
            }
            for point in profile.points
            if point.score.mean is not None
        ]
        for profile in task.profiles
    ]
    gaps = "; ".join(
        f"penalty at {tokens(p.length)} {p.penalty.mean:+.3f}" for p in task.profiles if p.penalty.mean is not None
    )
    return _curves(
        [line for line in lines if line],
        x={
            "title": "share of the context before the evidence",
            "format": ".0%",
            "values": [0, 0.25, 0.5, 0.75, 1],
        },
        domain=(0.0, 1.0),
        description=f"Bands are 95 % intervals over samples. {gaps}.",
    )


def length_chart(lengths: Sequence[Effective]) -> Drawing | None:
    """Draw accuracy over length on a log scale with 95 % bands, one line a task."""
    lines: list[list[dict[str, Any]]] = [
        [
            {
                "name": length.task,
                "x": count.length,
                "value": count.rate,
                "low": count.interval.low,
                "high": count.interval.high,
            }
            for count in length.counts
            if count.n
        ]
        for length in lengths
    ]
    lines = [line for line in lines if len(line) > 1]
    if not lines:
        return None
    ends = sorted({row["x"] for line in lines for row in line})
    bounds = "; ".join(f"{length.task} {length.told}" for length in lengths)
    return _curves(
        lines,
        x={"title": "tokens of context", "format": "~s", "values": ends},
        domain=(ends[0], ends[-1]),
        log=True,
        description=f"Bands are 95 % intervals. Effective context by the lower bound: {bounds}.",
    )


def _curves(
    lines: Sequence[list[dict[str, Any]]],
    *,
    x: dict[str, Any],
    domain: tuple[float, float],
    description: str,
    log: bool = False,
    band: bool = True,
    low: float = 0.0,
    high: float = 1.0,
    y_title: str = "accuracy",
) -> Drawing | None:
    """Draw lines with bands over one number; each is labelled at its right end."""
    import altair as alt

    if not lines:
        return None
    height = max(280, GAP * len(lines))
    ends = apart([(high - line[-1]["value"]) / (high - low) * height for line in lines], GAP, 0, height)
    for line, end in zip(lines, ends, strict=True):
        line[-1]["label"] = f"{_figure(line[-1]['value'])} {line[-1]['name']}"
        line[-1]["at"] = high - end / height * (high - low)
    data = [row for line in lines for row in line]
    names = [line[0]["name"] for line in lines]
    hues = [SERIES[number % len(SERIES)] for number in range(len(names))]
    scale = alt.Scale(domain=list(domain), nice=False, type="log" if log else "linear")
    across = alt.X("x:Q", title=x["title"], scale=scale, axis=_axis(x))
    up = alt.Y(
        "value:Q",
        title=y_title,
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=alt.Axis(tickCount=5, titlePadding=10),
    )
    base = alt.Chart(alt.InlineData(values=data)).encode(
        color=alt.Color("name:N", scale=alt.Scale(domain=names, range=hues), legend=None)
    )
    labelled = base.transform_filter("isValid(datum.label)")
    layers = [
        *(
            [base.mark_area(opacity=0.13).encode(x=across, y=alt.Y("low:Q"), y2="high:Q", detail="name:N")]
            if band
            else []
        ),
        base.mark_line(strokeWidth=2.2).encode(x=across, y=up, detail="name:N"),
        base.mark_point(filled=True, size=30, opacity=1).encode(x=across, y=up),
        labelled.mark_rule(strokeWidth=1, opacity=0.6).encode(
            x=across, x2=alt.value(WIDE + 18), y="value:Q", y2="at:Q"
        ),
        labelled.mark_text(align="left", fontSize=12).encode(
            x=alt.value(WIDE + 22), y="at:Q", text="label:N", color=alt.value(INK)
        ),
    ]
    right = max(MARGIN, 40 + LETTER * max(len(row["label"]) for row in data if "label" in row))
    spec = specification(alt.layer(*layers), height=height, width=WIDE, left=AXIS, right=right)
    return Drawing(spec, description)


def _axis(x: dict[str, Any]) -> Any:
    import altair as alt

    if "names" in x:
        return alt.Axis(
            values=x["values"], labelExpr=f"{json.dumps(x['names'])}[datum.value]", grid=False, labelPadding=8
        )
    return alt.Axis(values=x["values"], format=x["format"], grid=False, labelPadding=8)


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
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelPadding=10, labelExpr=SHORT)),
        yOffset=alt.YOffset("measure:N", sort=list(measures)),
        x=alt.X("value:Q", title="share of questions", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(
            "measure:N", scale=alt.Scale(domain=list(measures), range=[QUIET, SERIES[0], SERIES[1]]), legend=None
        ),
    )
    layers = alt.layer(
        base.mark_bar(height=13, opacity=0.85),
        base.mark_text(align="left", dx=5, fontSize=11).encode(text="figure:N", color=alt.value(INK)),
    )
    values = "; ".join(f"{row['name']} {row['figure']}" for row in rows)
    left = 20 + 8 * max(len(short(name)) for name in names)
    spec = specification(layers, height=70 * len(names), width=WIDE, left=left, right=180)
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
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=alt.value(ACCENT))
    line = alt.Chart(alt.InlineData(values=[{"x": 0, "value": 0}, {"x": 1, "value": 1}]))
    layers = alt.layer(
        line.mark_line(strokeDash=[4, 3], strokeWidth=1, color=INK, opacity=0.5).encode(x=x, y=y),
        base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_point(filled=True, size=60, opacity=1).encode(y=y),
        base.mark_text(align="left", dx=9, dy=-7, fontSize=11).encode(y=y, text="label:N", color=alt.value(INK)),
    )
    errors = f"Brier {calibration.brier:.3f}, gap {calibration.gap:.3f}"
    spec = specification(layers, height=320, width=WIDE, left=AXIS, right=64)
    return Drawing(spec, f"Bars are 95 % intervals. {errors}.")


def trend_chart(history: Sequence[TaskMeasurement], *, penalty: bool) -> Drawing | None:
    """Draw effective context, or the penalty, over a history; ``None`` where no task has two measurements."""
    made = list({entry.measurement: entry for entry in history}.values())
    places = {entry.measurement: place for place, entry in enumerate(made)}
    named = len({entry.label for entry in made}) > 1
    ticks = [clean(short(entry.label) if named else entry.at[:10]) for entry in made]
    lines: list[list[dict[str, Any]]] = [
        [
            {"name": entry.task, "x": places[entry.measurement], "value": value}
            for entry in history
            if entry.task == task and (value := entry.penalty if penalty else entry.effective) is not None
        ]
        for task in dict.fromkeys(entry.task for entry in history)
    ]
    lines = [line for line in lines if len(line) > 1]
    if not lines:
        return None
    steps = "; ".join(f"{line[0]['name']} {', '.join(_figure(row['value']) for row in line)}" for line in lines)
    values = [row["value"] for line in lines for row in line]
    return _curves(
        lines,
        x={"title": "oldest first", "values": list(range(len(made))), "names": ticks},
        domain=(0, len(made) - 1),
        band=False,
        low=min(0.0, *values),
        high=max(0.1, *values),
        y_title="penalty" if penalty else "tokens",
        description=f"{', '.join(ticks)}: {steps}.",
    )


def _figure(value: float) -> str:
    return tokens(int(value)) if value >= 100 else f"{value:.2f}"
