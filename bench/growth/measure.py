"""Measure curves, one process a point."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from bench.growth.fit import Fitted, fit, within
from bench.growth.point import curve_named
from bench.row import CannotRunError
from bench.whole import spend

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Point:
    """One size."""

    n: int
    seconds: float
    """The median of the sums of all parts."""
    parts: dict[str, float]
    """Medians."""
    peak_mb: float
    """Of the whole process, the interpreter and its libraries included."""
    repeats: int


@dataclass(frozen=True)
class Grown:
    """A measured curve."""

    key: str
    title: str
    of: str
    at_most: str
    note: str
    points: tuple[Point, ...]
    fitted: Fitted | None = None
    kept: bool | None = None
    lacks: str = ""


def measure(key: str, say: Callable[[str], None], *, up_to: int | None = None) -> Grown:
    """Measure one curve up to a size."""
    curve = curve_named(key)
    sizes = [n for n in curve.sizes if up_to is None or n <= up_to]
    points: list[Point] = []
    lacks = "one size has no slope" if len(sizes) == 1 else ""
    for n in sizes:
        times = 1 if n >= curve.large else curve.repeats
        try:
            points.append(_point(key, n, times))
        except CannotRunError as error:
            lacks = f"at {n:,}: {error}"
            break
        say(f"{curve.title}: {n:,} {curve.of} in {points[-1].seconds:.3g} s, {points[-1].peak_mb:.0f} MB")
    fitted = fit([p.n for p in points], [p.seconds for p in points]) if len(points) > 1 else None
    kept = within(fitted, [p.n for p in points], curve.at_most) if fitted else None
    return Grown(key, curve.title, curve.of, curve.at_most, curve.note, tuple(points), fitted, kept, lacks)


def _point(key: str, n: int, times: int) -> Point:
    command = [sys.executable, "-m", "bench.growth.point", key, str(n)]
    found = [json.loads(spend(command).said.strip().splitlines()[-1]) for _ in range(times)]
    names = found[0]["parts"]
    return Point(
        n,
        median(sum(each["parts"].values()) for each in found),
        {name: median(each["parts"][name] for each in found) for name in names},
        max(each["peak_mb"] for each in found),
        times,
    )
