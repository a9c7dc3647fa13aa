"""The two figures of the shift study: whether ranks change places, and how fast retrieval comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.show.curves import hues
from memgauge.show.drawing import INK, QUIET, SERIES, apart, inline, layered, shorts, specification
from memgauge.show.figures import Drawing
from memgauge.show.numbers import listed
from memgauge.studies.shift.words import after, published_overall, published_recovery

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.stats import Interval
    from memgauge.studies.shift.findings.result import ShiftResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec

GAP = 16
"""Units between the labels at one end."""
WIDE, LEAST = 600, 240
"""Width of either drawing, so that both have letters of one size, and of a plot between long labels."""
LETTER, LEADER, AXIS = 7, 36, 64
"""Units to allow for a letter of a label, the line that leads to it, and the axis of the curves."""


def slope_chart(result: ShiftResult, spec: ShiftSpec, burst: int, *, beside: bool) -> Drawing | None:
    """Draw each policy from its overall score to its recovery; ``None`` when no policy has both.

    Policies that change places have their hue, the others are thin and grey. Hollow marks: published for LoCoMo,
    when *beside*.
    """
    ends = {
        row.policy: (before, then)
        for row in result.rows
        if (before := row.overall.mean) is not None and (then := row.recovery[burst].mean) is not None
    }
    if not ends:
        return None
    published_points = _printed(ends, burst) if beside else []
    moved_policies = _moved(ends)
    rows: list[dict[str, Any]] = [
        {"name": p, "side": side, "value": value, "moved": p in moved_policies}
        for p, pair in ends.items()
        for side, value in enumerate(pair)
    ]
    height = max(340, GAP * len(ends))
    span = _around([point["value"] for point in rows + published_points])
    margin = max(_label([row for row in rows if row["side"] == side], height, span) for side in (0, 1))
    width = max(LEAST, WIDE - 2 * margin)
    colour = _colours(result, quiet=[p for p in ends if p not in moved_policies])
    layers = layered(*_poles(spec, burst), *_slopes(rows, published_points, colour, span, width))
    slopes = "; ".join(f"{p} {a:.3f} to {b:.3f}" for p, (a, b) in ends.items())
    return Drawing(
        specification(layers, height=height, width=width, left=margin, right=margin, top=48),
        f"Overall on the clean stream to Recovery@{spec.horizon} {after(burst)}: {slopes}. "
        f"{f'{listed(moved_policies)} change places' if moved_policies else 'Nobody changes places'}.",
    )


def curves_chart(result: ShiftResult, spec: ShiftSpec, burst: int) -> Drawing | None:
    """Draw Recovery@T over T with 95 % bands; thin and dashed: each policy on the clean stream."""
    import altair as alt

    bursts = dict.fromkeys((burst, 0) if 0 in spec.bursts else (burst,))
    lines = [
        rows
        for m in bursts
        for number, row in enumerate(result.rows)
        if (rows := _points(row.policy, row.curves[m], clean=m == 0 != burst, again=number >= len(SERIES)))
    ]
    if not lines:
        return None
    data = [row for rows in lines for row in rows]
    height = max(340, GAP * len(lines))
    span = _around([row[key] for row in data for key in ("low", "high")])
    margin = _label([rows[-1] for rows in lines], height, span)
    width = max(LEAST, WIDE - margin - AXIS)
    base = alt.Chart(inline(data)).encode(color=_colours(result))
    layers = _bands(base, spec.horizon, max(len(row.curves[burst]) for row in result.rows), span)
    labels = _labels(base, None, x=width + 6, ends=width + 20, align="left")
    ends = "; ".join(
        f"{rows[0]['name']}{' clean' if rows[0]['clean'] else ''} {rows[0]['value']:.3f} at T={rows[0]['t']}, "
        f"{rows[-1]['value']:.3f} at T={rows[-1]['t']}"
        for rows in lines
    )
    return Drawing(
        specification(layered(*layers, *labels), height=height, width=width, left=AXIS, right=margin),
        f"Bands are 95 % intervals over conversations. {ends}.",
    )


def _printed(policies: Iterable[str], burst: int) -> list[dict[str, Any]]:
    """Return the published marks of both sides."""
    return [
        {"name": policy, "side": side, "value": value}
        for policy in policies
        for side, value in enumerate((published_overall(policy), published_recovery(policy, burst)))
        if value is not None
    ]


def _slopes(
    rows: Sequence[dict[str, Any]],
    published_points: Sequence[dict[str, Any]],
    colour: Any,
    span: tuple[float, float],
    width: int,
) -> list[Any]:
    """Draw lines, their ends, their labels and the hollow marks."""
    import altair as alt

    scale = alt.Scale(domain=list(span), nice=False, zero=False)
    x, y = _side(), alt.Y("value:Q", title=None, scale=scale, axis=alt.Axis(labels=False, grid=False))
    bold = alt.condition("datum.moved", alt.value(2.8), alt.value(1.2))
    base = alt.Chart(inline(rows)).encode(color=colour)
    hollow = alt.Chart(inline(published_points)).encode(color=colour)
    return [
        base.mark_line().encode(x=x, y=y, detail=alt.Detail("name:N"), strokeWidth=bold),
        base.mark_point(filled=True, size=46, opacity=1).encode(x=x, y=y),
        *_labels(base, 0, x=-10, ends=-24, align="right"),
        *_labels(base, 1, x=width + 10, ends=width + 24, align="left"),
        *([hollow.mark_point(size=130, strokeWidth=1.3, opacity=1).encode(x=x, y=y)] if published_points else []),
    ]


def _poles(spec: ShiftSpec, burst: int) -> list[Any]:
    """Draw the two axes and say what they are."""
    import altair as alt

    heads = [
        {"side": 0, "head": f"Hit@{spec.k} overall", "under": "clean stream"},
        {"side": 1, "head": f"Recovery@{spec.horizon}", "under": after(burst)},
    ]
    base = alt.Chart(inline(heads)).encode(x=_side())
    return [
        base.mark_rule(color=INK, opacity=0.18),
        base.mark_text(y=-26, fontSize=12, fontWeight="bold", color=INK).encode(text=alt.Text("head:N")),
        base.mark_text(y=-11, fontSize=12, color=INK, opacity=0.7).encode(text=alt.Text("under:N")),
    ]


def _side() -> Any:
    import altair as alt

    scale = alt.Scale(domain=[0, 1], nice=False)
    return alt.X("side:Q", title=None, scale=scale, axis=alt.Axis(labels=False, grid=False))


def _bands(base: Any, horizon: int, longest: int, span: tuple[float, float]) -> list[Any]:
    """Draw the axes, the horizon of the tables, and every curve."""
    import altair as alt

    x = alt.X(
        "t:Q",
        title="T, questions after the boundary",
        scale=alt.Scale(domain=[1, longest], nice=False),
        axis=alt.Axis(values=list(range(1, longest + 1)), grid=False, format="d", labelPadding=8),
    )
    scale = alt.Scale(domain=list(span), nice=False, zero=False)
    axis = alt.Axis(tickCount=6, format=".1f", labelPadding=8)
    y = alt.Y("value:Q", title="Recovery@T", scale=scale, axis=axis)
    interrupted_curves, clean_curves = base.transform_filter("!datum.clean"), base.transform_filter("datum.clean")
    horizon_line = alt.Chart(inline([{"t": min(horizon, longest)}]))
    return [
        horizon_line.mark_rule(color=INK, opacity=0.35, strokeDash=[2, 3]).encode(x=x),
        interrupted_curves.mark_area(opacity=0.12).encode(
            x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), detail=alt.Detail("name:N")
        ),
        clean_curves.mark_line(strokeWidth=1.2, strokeDash=[4, 3]).encode(x=x, y=y, detail=alt.Detail("name:N")),
        interrupted_curves.mark_line(strokeWidth=2.4).encode(x=x, y=y, detail=alt.Detail("name:N")),
        interrupted_curves.transform_filter("datum.again")
        .mark_point(filled=True, size=34, opacity=1)
        .encode(x=x, y=y),
    ]


def _moved(ends: Mapping[str, tuple[float, float]]) -> list[str]:
    """Name the policies that do not have as many better ones after as before."""
    places = [{p: sum(v[side] > pair[side] for v in ends.values()) for p, pair in ends.items()} for side in (0, 1)]
    return [p for p in ends if places[0][p] != places[1][p]]


def _points(policy: str, curve: Sequence[Interval], *, clean: bool, again: bool) -> list[dict[str, Any]]:
    """Return the defined points of a curve; *again* when its hue has been used already."""
    return [
        {
            "name": policy,
            "clean": clean,
            "again": again,
            "t": t,
            "value": point.mean,
            "low": point.mean if clean or point.low is None else point.low,
            "high": point.mean if clean or point.high is None else point.high,
        }
        for t, point in enumerate(curve, 1)
        if point.mean is not None
    ]


def _label(rows: Sequence[dict[str, Any]], height: int, span: tuple[float, float]) -> int:
    """Give the last point of every line its label where no other label is, and return the margin they need."""
    low, high = span
    places = [(high - row["value"]) / (high - low) * height for row in rows]
    short_names = shorts(row["name"] for row in rows)
    for row, place in zip(rows, apart(places, GAP, 0, height), strict=True):
        name = f"{short_names[row['name']]}, clean" if row.get("clean") else short_names[row["name"]]
        row["label"] = f"{row['value']:.3f} {name}" if row.get("side") != 0 else f"{name} {row['value']:.3f}"
        row["at"] = high - place / height * (high - low)
    return LEADER + LETTER * max(len(row["label"]) for row in rows)


def _labels(base: Any, side: int | None, *, x: int, ends: int, align: str) -> list[Any]:
    """Write the labels of one side, each led to from its point."""
    import altair as alt

    labelled = base.transform_filter("isValid(datum.label)" if side is None else f"datum.side === {side}")
    x_of_text = ends + (5 if align == "left" else -5)
    return [
        labelled.mark_rule(strokeWidth=1).encode(
            x=alt.XValue(x), x2=alt.X2Value(ends), y=alt.Y("value:Q"), y2=alt.Y2("at:Q")
        ),
        labelled.mark_text(align=align, fontSize=12).encode(
            x=alt.XValue(x_of_text), y=alt.Y("at:Q"), text=alt.Text("label:N"), color=alt.ColorValue(INK)
        ),
    ]


def _around(values: Sequence[float]) -> tuple[float, float]:
    """Return the tenths around all values, never the same twice."""
    high = min(1.0, int(max(values) * 10 + 1) / 10)
    return min(int(min(values) * 10) / 10, high - 0.1), high


def _colours(result: ShiftResult, quiet: Sequence[str] = ()) -> Any:
    """Give every policy its hue, the same in both figures."""
    names = [row.policy for row in result.rows]
    return hues(names, [QUIET if name in quiet else SERIES[n % len(SERIES)] for n, name in enumerate(names)])
