"""Charts: curves on logarithmic axes, and how far peers are behind."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from bench.row import Role
from memgauge.show.drawing import ACCENT, INK, QUIET, SERIES, apart, layered, specification
from memgauge.show.figures import Drawing, svg

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.compare import Measured
    from bench.growth.measure import Grown

HEIGHT, PLOT = 320, 430
_INK = "#7a828e"
"""Grey that reads on light and on dark pages: an image does not know the theme around it."""
_COLOURS = (*SERIES, "#c2455a")
"""One for each curve: there is one more of them than the reports ever draw."""


def time_chart(curves: Sequence[Grown]) -> str | None:
    """Draw seconds over size."""
    return _curves(curves, "seconds", "CPU seconds", "Time by size")


def memory_chart(curves: Sequence[Grown]) -> str | None:
    """Draw the peak of memory over size."""
    return _curves(curves, "peak_mb", "MB at most", "Memory by size")


def ratio_chart(rows: Sequence[Measured]) -> str | None:
    """Draw how many times longer each peer takes, and how many times longer than its floor ours does."""
    import altair as alt

    data = list(_ratios(rows))
    if not data:
        return None
    low, high = min(0.1, *(d["low"] for d in data)), max(10.0, *(d["high"] for d in data))
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=_powers(low, high), labelExpr="format(datum.value, '~g') + '\u00d7'")
    x = alt.X("ratio:Q", title="their time ÷ ours", scale=scale, axis=axis)
    y = alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelPadding=10))
    colour = alt.Color(
        "ahead:N", scale=alt.Scale(domain=["ahead", "behind"], range=[ACCENT, SERIES[1]]), legend=None
    )
    base = alt.Chart(alt.InlineData(values=data)).encode(y=y, color=colour)
    layers = layered(
        alt.Chart(alt.InlineData(values=[{"one": 1}]))
        .mark_rule(strokeDash=[4, 3], color=QUIET)
        .encode(x=alt.X("one:Q", scale=scale)),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale), x2="high:Q"),
        base.mark_point(filled=True, size=48, opacity=1).encode(x=x),
        base.mark_text(align="left", fontSize=12).encode(
            x=alt.value(PLOT + 12), text="figure:N", color=alt.value(INK)
        ),
    )
    return _inked(
        svg(
            Drawing(
                specification(layers, height=24 * len(data), width=PLOT, left=330, right=70),
                "; ".join(f"{d['name']} {d['figure']}" for d in data),
            ),
            uid="ratios",
            title="Peers beside memgauge, the same work",
        )
    )


def _ratios(rows: Sequence[Measured]) -> Iterator[dict[str, Any]]:
    for row in rows:
        for side in row.sides:
            if side.role == Role.PEER and side.ratio is not None:
                ratio = side.ratio
                yield {
                    "name": f"{row.key.replace('_', ' ')}: {side.name}",
                    "ratio": ratio.median,
                    "low": ratio.low,
                    "high": ratio.high,
                    "ahead": "ahead" if ratio.median >= 1 else "behind",
                    "figure": f"{ratio.median:.3g}\u00d7",
                }


def _curves(curves: Sequence[Grown], value: str, axis: str, title: str) -> str | None:
    """Draw one line a curve; each is labelled at its right end."""
    import altair as alt

    drawn = [curve for curve in curves if len(curve.points) > 1]
    if not drawn:
        return None
    data = [
        {"name": curve.key, "n": point.n, "value": getattr(point, value)}
        for curve in drawn
        for point in curve.points
    ]
    low, high = _decades([d["value"] for d in data])
    first, last = min(d["n"] for d in data), max(d["n"] for d in data)
    colours = [_COLOURS[place % len(_COLOURS)] for place in range(len(drawn))]
    colour = alt.Color("name:N", scale=alt.Scale(domain=[c.key for c in drawn], range=colours), legend=None)
    x = alt.X(
        "n:Q",
        title="size",
        scale=alt.Scale(type="log", domain=[first, last], nice=False),
        axis=alt.Axis(
            values=_powers(first, last), labelExpr="'10^' + round(log(datum.value) / LN10)", labelPadding=8
        ),
    )
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    shown = alt.Axis(
        values=_powers(low, high), labelExpr="format(datum.value, '~g')", labelPadding=8, titlePadding=12
    )
    y = alt.Y("value:Q", title=axis, scale=scale, axis=shown)
    base = alt.Chart(alt.InlineData(values=data)).encode(color=colour)
    layers = layered(
        base.mark_line(strokeWidth=2).encode(x=x, y=y, detail="name:N"),
        base.mark_point(filled=True, size=32, opacity=1).encode(x=x, y=y),
        *_labels(drawn, value, scale, (low, high)),
    )
    description = "; ".join(
        f"{curve.title}: {getattr(curve.points[0], value):.3g} at {curve.points[0].n:,}, "
        f"{getattr(curve.points[-1], value):.3g} at {curve.points[-1].n:,} {curve.of}"
        for curve in drawn
    )
    spec = specification(layers, height=HEIGHT, width=PLOT, left=84, right=150)
    return _inked(svg(Drawing(spec, description), uid=value, title=title))


def _labels(drawn: Sequence[Grown], value: str, scale: Any, span: tuple[float, float]) -> Iterator[Any]:
    import altair as alt

    low, high = (math.log(end) for end in span)
    ends = [getattr(curve.points[-1], value) for curve in drawn]
    wanted = [(high - math.log(end)) / (high - low) * HEIGHT for end in ends]
    for place, (curve, end, at) in enumerate(zip(drawn, ends, apart(wanted, 16, 0, HEIGHT), strict=True)):
        label = [{"name": curve.key, "value": end, "at": math.exp(high - at / HEIGHT * (high - low))}]
        base = alt.Chart(alt.InlineData(values=label)).encode(color=alt.value(_COLOURS[place % len(_COLOURS)]))
        yield base.mark_text(align="left", fontSize=12).encode(
            x=alt.value(PLOT + 14), y=alt.Y("at:Q", scale=scale), text="name:N"
        )


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Widen a span to whole powers of ten, so that an axis has at least two marks."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return 10.0**low, 10.0 ** max(high, low + 1)


def _powers(low: float, high: float) -> list[float]:
    return [10.0**power for power in range(-7, 9) if low * 0.999 <= 10.0**power <= high * 1.001]


def _inked(drawn: str) -> str:
    """Name one ink and the colours of the series, since a picture stands outside the page's style."""
    named = re.sub(r"var\(--\w+,\s*(#\w+)\)", r"\1", drawn)
    return re.sub("currentcolor", _INK, named, flags=re.IGNORECASE)
