"""The picture of a board: what is found against what it takes, one dot a row."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any, Final

from memgauge.scoring.fronts import FrontStanding
from memgauge.show import Figure
from memgauge.show.drawing import ACCENT, INK, QUIET, apart, short, specification
from memgauge.show.figures import Drawing
from memgauge.show.numbers import number
from memgauge.submissions.site.words import names_of, ranked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.submissions.boards.board import ResultsBoard

HEIGHT: Final = 240
WIDTH: Final = 300
GAP: Final = 15
_FAR: Final = 8.0
"""How many times the least cost the largest is, from which on the axis is a logarithm."""


@dataclass(frozen=True)
class DrawnDot:
    """A row of the picture."""

    name: str
    cost: float
    value: float
    low: float
    high: float
    front: bool


@dataclass(frozen=True)
class FrontPicture:
    """What is drawn: a value, so that pages can be told apart by it."""

    measure: str
    against: str
    dots: tuple[DrawnDot, ...]

    def __call__(self) -> Drawing | None:
        """Draw it; ``None`` without a dot."""
        import altair as alt

        if not self.dots:
            return None
        rows = list(self._labelled())
        costs = [dot.cost for dot in self.dots]
        log = min(costs) > 0 and max(costs) / min(costs) > _FAR
        axis: dict[str, Any] = {"values": _powers(min(costs), max(costs))} if log else {"tickCount": 4}
        scale = alt.Scale(type="log" if log else "linear", zero=False, nice=True, padding=12)
        x = alt.X("cost:Q", title=self.against, scale=scale, axis=alt.Axis(format="~s", grid=False, **axis))
        up = alt.Scale(domain=[0, 1], nice=False)
        y = alt.Y("value:Q", title=None, scale=up, axis=alt.Axis(tickCount=5, format="%"))
        colour = alt.Color("front:N", scale=alt.Scale(domain=[True, False], range=[ACCENT, QUIET]), legend=None)
        base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=colour)
        named = base.transform_filter("isValid(datum.label)")
        layers = alt.layer(
            base.mark_rule(strokeWidth=3, opacity=0.3).encode(y=alt.Y("low:Q", scale=up), y2="high:Q"),
            base.mark_point(filled=True, size=46, opacity=1).encode(y=y),
            named.mark_rule(strokeWidth=1, opacity=0.5).encode(x2=alt.value(WIDTH + 14), y="value:Q", y2="at:Q"),
            named.mark_text(align="left", fontSize=12).encode(
                x=alt.value(WIDTH + 18), y="at:Q", text="label:N", color=alt.value(INK)
            ),
        )
        spoken = "; ".join(f"{dot.name} {number(dot.value)} at {dot.cost:,.3g}" for dot in self.dots)
        right = 26 + 7 * max((len(str(row["label"])) for row in rows if "label" in row), default=4)
        spec = specification(layers, height=HEIGHT, width=WIDTH, left=46, right=right)
        return Drawing(spec, f"{self.measure} against {self.against}. Blue: on the front. {spoken}.")

    def _labelled(self) -> Iterator[dict[str, Any]]:
        """Yield the dots; of those at one place, the first carries the name of all."""
        places: dict[tuple[float, float], list[DrawnDot]] = {}
        for dot in self.dots:
            places.setdefault((_digits(dot.cost), round(dot.value, 2)), []).append(dot)
        ends = apart([(1 - each[0].value) * HEIGHT for each in places.values()], GAP, 0, HEIGHT)
        for each, end in zip(places.values(), ends, strict=True):
            more = f" + {len(each) - 1} more" if len(each) > 1 else ""
            for n, dot in enumerate(each):
                row = {"cost": dot.cost, "value": dot.value, "low": dot.low, "high": dot.high, "front": dot.front}
                yield row if n else row | {"label": f"{short(dot.name)}{more}", "at": 1 - end / HEIGHT}


def front_figure(board: ResultsBoard) -> Figure | None:
    """Return the picture of a board; ``None`` where fewer than two rows can be drawn."""
    rows = [row for row in ranked(board) if row.cost is not None and row.value is not None]
    if len(rows) < 2:
        return None
    names = names_of(board.rows)
    dots = tuple(
        DrawnDot(
            names[row.head.submission],
            row.cost or 0.0,
            row.value or 0.0,
            row.value or 0.0 if row.low is None else row.low,
            row.value or 0.0 if row.high is None else row.high,
            row.front is not None and row.front.standing is FrontStanding.FRONT,
        )
        for row in rows
    )
    caption = "Blue: nobody who costs no more finds more. Lines: 95 % intervals. Up and to the left is better."
    picture = FrontPicture(board.measure, board.against, dots)
    what = "What is answered rightly" if board.judge else "What is found"
    return Figure("front", f"{what}, against {board.against}", caption, picture)


def _digits(value: float) -> float:
    """Round to two significant digits."""
    return 0.0 if value == 0 else round(value, 1 - floor(log10(abs(value))))


def _powers(low: float, high: float) -> Sequence[float]:
    return [10.0**e for e in range(floor(log10(low)), floor(log10(high)) + 2)]
