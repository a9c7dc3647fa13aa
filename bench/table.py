"""Results as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.growth.fit import said
from bench.row import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.budgets import Budget
    from bench.compare import Measured, Spread, Taken
    from bench.growth.measure import Grown


def figure(value: float, unit: str) -> str:
    """Write a number with three digits that count."""
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def spread(ratio: Spread) -> str:
    """Write a ratio with its quartiles."""
    return f"{ratio.median:.3g}x [{ratio.low:.3g}, {ratio.high:.3g}]"


def per_second(row: Measured, side: Taken) -> str:
    """Say how many a side does in a second, where that is asked for."""
    if not row.items or side.ms is None:
        return ""
    seconds = side.ms.median / (1000 if row.unit == "ms" else 1)
    return f"{row.items / seconds:,.0f} {row.of} a second"


def verdict(row: Measured, side: Taken) -> str:
    """Say in a word how a side came out."""
    if side.lacks:
        return f"{'FAIL' if side.broken else 'SKIP'} {side.lacks}"
    if side.role == Role.OURS and side.ms is not None and row.limit is not None:
        return "OK" if side.ms.median <= row.limit else f"over {row.limit:g} {row.unit}"
    if side.role == Role.PEER and side.ratio is not None:
        wanted = side.at_least or 1.0
        short = "BEHIND" if side.ratio.median < 1 else f"below {wanted:g}x"
        said = "ahead" if side.ratio.median >= wanted else short
        return f"{said}; {side.agrees}" if side.agrees else said
    return ""


def rows(measured: Sequence[Measured]) -> str:
    """Lay rows out as text: ours, then the peers by how many times longer they take, then the floor."""
    lines: list[tuple[str, ...]] = [("", "median", "quartiles", "ratio", "")]
    for row in measured:
        lines.append((row.title, "", "", "", ""))
        lines += _sides(row)
    return _laid(lines)


def _sides(row: Measured) -> Iterator[tuple[str, ...]]:
    for side in row.sides:
        name = f"  floor: {side.name}" if side.role == Role.FLOOR else f"  {side.name}"
        if side.ms is None:
            yield name, "", "", "", verdict(row, side)
            continue
        quartiles = f"{side.ms.low:.3g} to {side.ms.high:.3g}"
        ratio = spread(side.ratio) if side.ratio else ""
        memory = f"{side.peak_mb:,.0f} MB" if row.limit_mb and side.peak_mb else ""
        more = "; ".join(text for text in (verdict(row, side), per_second(row, side), memory) if text)
        yield name, figure(side.ms.median, row.unit), quartiles, ratio, more


def budgets(found: Sequence[Budget]) -> str:
    """Lay whole runs out as text."""
    lines = [("", "wall", "cpu", "memory", "limits", "")]
    for each in found:
        limits = f"{each.limit_s:g} s, {each.limit_mb:g} MB"
        if each.seconds is None or each.cpu_s is None or each.peak_mb is None:
            lines.append((each.title, "", "", "", limits, f"SKIP {each.lacks}"))
            continue
        kept = "OK" if each.kept else "over"
        floor = f"; {each.floor} takes {each.floor_s:.3g} s" if each.floor_s else ""
        figures = figure(each.seconds, "s"), figure(each.cpu_s, "s"), figure(each.peak_mb, "MB")
        lines.append((each.title, *figures, limits, kept + floor))
    return _laid(lines)


def growth(curves: Sequence[Grown]) -> str:
    """Lay exponents out as text."""
    lines = [("", "sizes", "exponent", "at the end", "at most", "")]
    for curve in curves:
        if curve.fitted is None:
            lines.append((curve.title, "", "", "", curve.at_most, f"SKIP {curve.lacks}"))
            continue
        sizes = f"{curve.points[0].n:,} to {curve.points[-1].n:,} {curve.of}"
        slope = said(curve.fitted)
        kept = "OK" if curve.kept else "steeper"
        lines.append((curve.title, sizes, slope, f"{curve.fitted.last:.2f}", curve.at_most, kept))
    return _laid(lines)


def _laid(lines: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    last = len(widths) - 1
    return "\n".join(
        "  ".join(
            text.ljust(width) if i in {0, last} else text.rjust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
