"""Lines with their names at the right end."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.show.curves import Axis, Spread, curves
from memgauge.show.figures import svg

if TYPE_CHECKING:
    from memgauge.show.figures import Drawing

SHARE = Axis("share", (0, 1))
STEPS = Axis("step", (0, 2), range(3), ("one", "two", "three"))


def lines(*values: float, **more: Any) -> list[list[dict[str, Any]]]:
    """Make a level line of each value."""
    return [
        [{"name": f"line {n}", "x": x, "value": value, "low": value, "high": value, **more} for x in range(3)]
        for n, value in enumerate(values)
    ]


def drawn(figure: Drawing | None) -> tuple[Drawing, str]:
    """Draw what is there."""
    assert figure is not None
    return figure, svg(figure, uid="f", title="Figure")


def test_nothing_is_drawn_without_a_line() -> None:
    """No line, no figure."""
    assert curves([], STEPS, SHARE, "") is None


@pytest.mark.parametrize("size", [1, 4, 30])
def test_names_at_the_end_never_stand_on_each_other(size: int) -> None:
    """Lines that end at one value have names a line apart, each once, and inside of the plot."""
    figure, markup = drawn(curves(lines(*[0.5] * size), STEPS, SHARE, "All alike."))
    assert all(markup.count(f">line {n}<") == 1 for n in range(size))
    height = figure.specification["height"]
    points = next(iter(figure.specification["datasets"].values()))
    ends = sorted(height * (1 - point["at"]) for point in points if "at" in point)
    assert len(ends) == size
    assert all(after - before > 15.9 for before, after in pairwise(ends))
    assert 0 <= ends[0] <= ends[-1] <= height


def test_a_line_may_end_in_another_label() -> None:
    """The label of the last point stands at the end, the others' nowhere; the description is the caller's."""
    figure, markup = drawn(curves(lines(0.25, label="0.25 of all"), STEPS, SHARE, "A quarter."))
    assert markup.count("0.25 of all") == 1
    assert figure.description == "A quarter."


def test_axes_say_names_or_numbers() -> None:
    """Steps are called by their names, shares are numbers, and titles stand beside both."""
    _, markup = drawn(curves(lines(0.5), STEPS, SHARE, ""))
    assert all(f">{word}<" in markup for word in ("one", "two", "three", "step", "share", "1.0"))
    logged = Axis("tokens", (1_000, 4_000), (1_000, 2_000, 4_000), format="~s", log=True)
    points = [[{"name": "a", "x": x, "value": 0.5} for x in (1_000, 2_000, 4_000)]]
    _, markup = drawn(curves(points, logged, SHARE, ""))
    assert all(f">{word}<" in markup for word in ("1k", "2k", "4k", "tokens"))


@pytest.mark.parametrize(("spread", "mark"), [(Spread.BAND, "area"), (Spread.BAR, "rule"), (Spread.NONE, "")])
def test_intervals_are_bands_or_bars_or_not_drawn(spread: Spread, mark: str) -> None:
    """What spreads lies below the lines."""
    figure, _ = drawn(curves(lines(0.5, 0.6), STEPS, SHARE, "", spread=spread))
    layers = figure.specification["layer"]
    assert len(layers) == (5 if mark else 4)
    assert layers[0]["mark"]["type"] == (mark or "line")


def test_more_lines_than_fit_make_it_higher() -> None:
    """Every name has its room."""
    few, many = (drawn(curves(lines(*[0.5] * size), STEPS, SHARE, ""))[0] for size in (3, 40))
    assert few.specification["height"] < many.specification["height"] == 40 * 16
