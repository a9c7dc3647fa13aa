"""Lines over one number, each named at its right end where no other name stands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from memgauge.show.drawing import INK, SERIES, apart, inline, layered, specification
from memgauge.show.figures import Drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP, LETTER, LEADER = 16, 7, 22
"""Units between names, to allow for a letter, and from the plot to a name."""


@dataclass(frozen=True)
class Axis:
    """What one direction means, and where it is marked."""

    title: str | None
    domain: tuple[float, float]
    ticks: Sequence[float] | int = 5
    """Where, or how many."""
    names: Sequence[str] = ()
    """What stands at 0, 1, 2 … instead of numbers."""
    format: str = ""
    log: bool = False


class Spread(StrEnum):
    """How the interval of a point is drawn."""

    NONE = "none"
    BAND = "band"
    BAR = "bar"


def curves(
    lines: Sequence[Sequence[dict[str, Any]]],
    across: Axis,
    up: Axis,
    description: str,
    *,
    spread: Spread = Spread.NONE,
    colours: Sequence[str] = SERIES,
    height: int = 280,
    width: int = 430,
    left: int = 64,
) -> Drawing | None:
    """Draw lines, each of points with ``name``, ``x``, ``value`` and, where it spreads, ``low`` and ``high``.

    A point may have a ``label``, by which its line is named instead where it is the last. ``None`` without a line.
    """
    import altair as alt

    if not lines:
        return None
    height = max(height, GAP * len(lines))
    data, right = _labelled(lines, up.domain, height)
    x, y = alt.X("x:Q", **_encoded(across, grid=False)), alt.Y("value:Q", **_encoded(up))
    base = alt.Chart(inline(data)).encode(color=hues([line[0]["name"] for line in lines], colours))
    labelled = base.transform_filter("isValid(datum.at)")
    # A name far from the end of its line is led to by dots: a line there would say that it goes on.
    leader = [1, 3] if any(line[-1]["x"] < across.domain[1] for line in lines) else [1, 0]
    layers = [
        base.mark_line(strokeWidth=2.2).encode(x=x, y=y, detail=alt.Detail("name:N")),
        base.mark_point(filled=True, size=30, opacity=1).encode(x=x, y=y),
        labelled.mark_rule(strokeWidth=1, opacity=0.6, strokeDash=leader).encode(
            x=x, x2=alt.X2Value(width + LEADER - 4), y=alt.Y("value:Q"), y2=alt.Y2("at:Q")
        ),
        labelled.mark_text(align="left", fontSize=12).encode(
            x=alt.XValue(width + LEADER), y=alt.Y("at:Q"), text=alt.Text("label:N"), color=alt.ColorValue(INK)
        ),
    ]
    ends = {"y": alt.Y("low:Q"), "y2": alt.Y2("high:Q")}
    if spread is Spread.BAND:
        layers.insert(0, base.mark_area(opacity=0.13).encode(x=x, detail=alt.Detail("name:N"), **ends))
    elif spread is Spread.BAR:
        layers.insert(0, base.mark_rule(strokeWidth=5, opacity=0.2).encode(x=x, **ends))
    spec = specification(layered(*layers), height=height, width=width, left=left, right=right)
    return Drawing(spec, description)


def hues(names: Sequence[str], colours: Sequence[str] = SERIES) -> Any:
    """Give names their colours in turn, without a legend."""
    import altair as alt

    used_colours = [colours[place % len(colours)] for place in range(len(names))]
    return alt.Color("name:N", scale=alt.Scale(domain=list(names), range=used_colours), legend=None)


def _labelled(
    lines: Sequence[Sequence[dict[str, Any]]], domain: tuple[float, float], height: int
) -> tuple[list[dict[str, Any]], int]:
    """Return all points, those at the ends with the place of their name, and the margin that names need."""
    low, high = domain
    ends = [line[-1] for line in lines]
    places = apart([(high - end["value"]) / (high - low) * height for end in ends], GAP, 0, height)
    labelled_ends = [
        {"label": end["name"], **end, "at": high - place / height * (high - low)}
        for end, place in zip(ends, places, strict=True)
    ]
    longest = max(len(end["label"]) for end in labelled_ends)
    points = [point for line, end in zip(lines, labelled_ends, strict=True) for point in (*line[:-1], end)]
    return points, LEADER + LETTER * longest + 8


def _encoded(axis: Axis, *, grid: bool = True) -> dict[str, Any]:
    import altair as alt

    marks: dict[str, Any] = {"tickCount" if isinstance(axis.ticks, int) else "values": axis.ticks}
    if axis.names:
        marks["labelExpr"] = f"{json.dumps(list(axis.names))}[datum.value]"
    if axis.format:
        marks["format"] = axis.format
    scale = alt.Scale(domain=list(axis.domain), nice=False, zero=False, type="log" if axis.log else "linear")
    return {
        "title": axis.title,
        "scale": scale,
        "axis": alt.Axis(grid=grid, labelPadding=8, titlePadding=10, **marks),
    }
