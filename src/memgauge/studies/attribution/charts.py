"""The two figures of an attribution card: the matrix of cells, and the rates with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.show.curves import Axis, Spread, curves
from memgauge.show.drawing import ACCENT, INK, QUIET, inline, layered, shorts, specification
from memgauge.show.figures import Drawing
from memgauge.show.numbers import between, number
from memgauge.studies.attribution.tables import ARROW, HELD, followed, named_rates
from memgauge.studies.attribution.tables import given as held_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.attribution.study import Attribution
    from memgauge.studies.attribution.trend import CardRecord

ROW, COLUMN, NAMES, WHOLE = 22, 66, 176, 626
"""A row and a column of the matrix, its names of cells, and either drawing: letters are then of one size."""


def matrix_chart(card: Attribution) -> Drawing | None:
    """Draw what sources hold and whom answers follow, cell by cell; ``None`` where nothing was asked."""
    import altair as alt

    cells, names = [row for row in card.matrix if row.followed], followed(card)
    if not cells:
        return None
    given = [
        {"cell": row.cell, "x": _headed(source), "value": 0.0, "figure": HELD[held]}
        for row in cells
        for source, held in held_by(card, row)
    ]
    counts = [
        {
            "cell": row.cell,
            "x": _headed(name, ARROW),
            "value": row.followed.get(name, 0) / card.questions,
            "figure": str(row.followed.get(name, "")),
        }
        for row in cells
        for name in names
    ]
    columns = [_headed(source) for source, _ in held_by(card, cells[0])]
    columns += [_headed(name, ARROW) for name in names]
    order = [row.cell for row in cells]
    axis = alt.Axis(orient="top", labelAngle=0, labelExpr="split(datum.label, '\\n')", labelPadding=22)
    y = alt.Y("cell:N", sort=order, title=None, axis=alt.Axis(labelPadding=10))
    x = alt.X("x:N", sort=columns, scale=alt.Scale(domain=columns, paddingInner=0.04), title=None, axis=axis)
    base = alt.Chart(inline([*given, *counts])).encode(x=x, y=y)
    shade = alt.Opacity("value:Q", scale=alt.Scale(domain=[0, 1], range=[0.0, 0.6]), legend=None)
    answers = alt.Chart(inline(counts)).encode(x=x, y=y)
    width = COLUMN * len(columns)
    layers = layered(
        answers.mark_rect(color=ACCENT, cornerRadius=3, yOffset=1, y2Offset=-1).encode(opacity=shade),
        base.transform_filter(f"indexof(datum.x, '{ARROW}') < 0")
        .mark_text(fontSize=12, color=QUIET)
        .encode(text=alt.Text("figure:N")),
        answers.mark_text(fontSize=12, color=INK).encode(text=alt.Text("figure:N")),
        independent="opacity",
    )
    words = "; ".join(
        f"{row.cell}: {', '.join(f'{name} {row.followed[name]}' for name in names if name in row.followed)}"
        for row in cells
    )
    return Drawing(
        specification(
            layers,
            height=ROW * len(cells),
            width=width,
            left=NAMES,
            right=max(12, WHOLE - NAMES - width),
            top=48,
        ),
        f"What sources hold, and how many of {card.questions} answers follow whom. {words}.",
    )


def _headed(name: str, above: str = " ") -> str:
    """Return the head of a column: what is given stands apart from what is followed."""
    return f"{above}\n{name}"


def rates_chart(card: Attribution) -> Drawing | None:
    """Draw every rate that is defined as a dot with its interval."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "value": rate.share.mean,
            "low": rate.share.low,
            "high": rate.share.high,
            "figure": number(rate.share.mean),
        }
        for name, rate in named_rates(card).items()
        if rate.share.mean is not None
    ]
    if not rows:
        return None
    y = alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelPadding=10))
    x = alt.X("value:Q", title="share", scale=alt.Scale(domain=[0, 1], nice=False), axis=alt.Axis(tickCount=5))
    base = alt.Chart(inline(rows)).encode(y=y)
    layers = layered(
        base.mark_rule(strokeWidth=5, opacity=0.4, color=ACCENT).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=42, opacity=1, color=ACCENT).encode(x=x),
        base.mark_text(align="left", fontSize=12, color=INK).encode(x=alt.XValue(312), text=alt.Text("figure:N")),
    )
    words = "; ".join(f"{row['name']} {row['figure']} {between(row['low'], row['high'])}" for row in rows)
    return Drawing(
        specification(layers, height=ROW * len(rows), width=300, left=262, right=64),
        f"{words}.",
    )


TRENDS = (
    "right and dependent on memory",
    "right for the wrong reason",
    "follows a changed memory",
    "guesses where nothing is held",
    "guesses against memory",
)
TICKS = 8


def trend_chart(history: Sequence[CardRecord]) -> Drawing | None:
    """Draw rates run by run, each labelled at its right end; ``None`` with fewer than two runs."""
    lines = [line for name in TRENDS if len(line := _points(history, name)) > 1]
    words = "; ".join(f"{line[0]['name']} {', '.join(number(row['value']) for row in line)}" for line in lines)
    ticks = range(0, len(history), max(1, -(-len(history) // TICKS)))
    shown = shorts(card.label for card in history)
    names = [shown[card.label] for card in history]
    return curves(
        lines,
        Axis("oldest first", (-0.25, len(history) - 0.75), ticks, names),
        Axis("share", (0, 1)),
        f"{len(history)} runs, oldest first: {words}.",
        spread=Spread.BAR,
        height=240,
        width=WHOLE - 64 - 300,
    )


def _points(history: Sequence[CardRecord], name: str) -> list[dict[str, Any]]:
    """Return the defined values of a rate, the last one with what the line is called."""
    shares = {place: card.rates[name] for place, card in enumerate(history) if name in card.rates}
    return [
        {"name": name, "x": place, "value": mean, "low": low, "high": high, "label": f"{number(mean)} {name}"}
        for place, (mean, low, high, _) in shares.items()
        if mean is not None
    ]
