"""Results as tables in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.growth.fit import said
from bench.row import Role
from bench.table import figure, per_second

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.budgets import Budget
    from bench.compare import Measured, Taken
    from bench.counts.guard import Counts
    from bench.growth.measure import Grown
    from bench.results import Results

TIMES = "\u00d7"
FAR = 2.0
"""From which multiple of the floor on a sentence is due."""


def conditions(results: Results) -> str:
    """Say where and when it was measured."""
    m = results.machine
    return (
        f"Measured on {m['date']}: {m['processor']}, {m['cpus']} CPUs, one thread a side where no more is said; "
        f"Python {m['python']}, numpy {m['numpy']}; at the end the load of the machine was {m['load']}."
    )


def rows(measured: Sequence[Measured]) -> str:
    """Lay out every row: ours, the peers beside it, the floor below it."""
    return _table(
        ("work", "memgauge", "beside it: their time ÷ ours", "floor, and ours ÷ floor"),
        [_row(row) for row in measured],
    )


def _row(row: Measured) -> tuple[str, ...]:
    ours = row.ours
    mine = "not measured" if ours is None or ours.ms is None else f"**{figure(ours.ms.median, row.unit)}**"
    if row.limit is not None:
        mine += f"<br>limit {row.limit:g} {row.unit}"
    if ours is not None and (rate := per_second(row, ours)):
        mine += f"<br>{rate}"
    if row.limit_mb is not None and ours is not None and ours.peak_mb is not None:
        mine += f"<br>{ours.peak_mb:,.0f} MB at most, limit {row.limit_mb:,.0f} MB"
    peers = [_beside(row, side) for side in row.sides if side.role == Role.PEER]
    floors = [_below(row, side) for side in row.sides if side.role == Role.FLOOR]
    title = f"{row.title}<br>{row.when}" if row.when else row.title
    return title, mine, "<br>".join(peers) or "no peer does this", "<br>".join(floors)


def _beside(row: Measured, side: Taken) -> str:
    if side.ratio is None:
        return f"{side.name}: {side.lacks}"
    ratio = side.ratio
    wanted = f", at least {side.at_least:g}{TIMES} asked for" if side.at_least else ""
    said = f"{side.name} **{ratio.median:.3g}{TIMES}** [{ratio.low:.3g}, {ratio.high:.3g}]{wanted}"
    memory = f"{side.peak_mb:,.0f} MB at most" if row.limit_mb and side.peak_mb else ""
    more = "; ".join(text for text in (per_second(row, side), memory, side.agrees, side.note) if text)
    return f"{said} ({more})" if more else said


def _below(row: Measured, side: Taken) -> str:
    if side.ratio is None or side.ms is None:
        return f"{side.name}: {side.lacks}"
    said = f"{side.name}: {figure(side.ms.median, row.unit)}, **{side.ratio.median:.3g}{TIMES}**"
    return f"{said}. {row.above}" if row.above and side.ratio.median > FAR else said


def behind(measured: Sequence[Measured]) -> str:
    """List the peers that are ahead of us, by how much, and why."""
    lines = [
        f"- **{row.title}**: {side.name} takes {side.ratio.median:.2f} of our time. {side.why or side.note}"
        for row in measured
        for side in row.sides
        if side.role == Role.PEER and side.ratio is not None and side.ratio.median < 1
    ]
    return "\n".join(lines) or "In no row."


def budgets(found: Sequence[Budget]) -> str:
    """Lay whole runs out."""
    return _table(("whole run", "wall", "CPU", "memory", "limits", "floor"), [_budget(each) for each in found])


def _budget(each: Budget) -> tuple[str, ...]:
    limits = f"{each.limit_s:g} s, {each.limit_mb:g} MB"
    if each.seconds is None or each.cpu_s is None or each.peak_mb is None:
        return each.title, "", "", "", limits, each.lacks
    floor = f"{each.floor}: {each.floor_s:.3g} s. {each.above}" if each.floor_s else ""
    figures = (figure(v, u) for v, u in ((each.seconds, "s"), (each.cpu_s, "s"), (each.peak_mb, "MB")))
    return each.title, *figures, limits + ("" if each.kept else " (not kept)"), floor


def growth(curves: Sequence[Grown]) -> str:
    """Lay exponents out."""
    return _table(
        ("", "sizes", "CPU time", "memory", "exponent", "at the end", "at most"),
        [_curve(curve) for curve in curves],
    )


def _curve(curve: Grown) -> tuple[str, ...]:
    if curve.fitted is None:
        return curve.title, "", "", "", "", "", curve.lacks or curve.at_most
    first, last = curve.points[0], curve.points[-1]
    slope = said(curve.fitted)
    note = f"<br>{curve.note}" if curve.note else ""
    return (
        f"`{curve.key}`: {curve.title}{note}",
        f"{first.n:,} to {last.n:,} {curve.of}",
        f"{figure(first.seconds, 's')} to {figure(last.seconds, 's')}",
        f"{first.peak_mb:.0f} to {last.peak_mb:,.0f} MB",
        slope,
        f"{curve.fitted.last:.2f}",
        curve.at_most + ("" if curve.kept else " (not kept)"),
    )


def counts(known: Counts) -> str:
    """Lay the committed counts out."""
    return _table(
        ("kernel", "instructions a call"), [(name, f"{count:,}") for name, count in known.instructions.items()]
    )


def _table(head: Sequence[str], lines: Sequence[tuple[str, ...]]) -> str:
    cells = [tuple(head), tuple("---" for _ in head), *lines]
    return "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in cells)
