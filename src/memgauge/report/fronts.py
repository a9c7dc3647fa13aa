"""Who finds more for the same tokens, time and money: a table of fronts, and a picture of each."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any, Final

from memgauge.measures import parse
from memgauge.scoring.fronts import FrontStanding
from memgauge.show import Cell, Column, Figure, Fold, Kind, Section, Table
from memgauge.show.drawing import ACCENT, INK, QUIET, apart, layered, short, specification
from memgauge.show.figures import Drawing
from memgauge.show.numbers import between, number, signed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.board import Board, CostFront, CostPlace, Entry
    from memgauge.show import Block

HEIGHT: Final = 240
WIDTH: Final = 300
GAP: Final = 15
_FAR: Final = 8.0
"""How many times the least cost the largest is, from which on the axis is a logarithm."""
_DRAWN: Final = ("cost", "value", "low", "high", "front")
NOTE: Final = (
    "front: none that costs no more finds more. near: undecided; one does, and these conversations do not tell "
    "the two apart, in what they find or in what they cost. behind: one finds more for no more, and that is real "
    "(95 %, paired by question, Holm over all of them); the one that is furthest ahead is named. "
    "Times differ between machines."
)
ENDED: Final = (
    " Where lists end at k before the budget is full, more may lie below: who is cut there stands behind nobody, "
    "and nobody who costs as much or more is sure of the front."
)
"""What is to be known besides where somebody's lists end."""
CAPTION: Final = "Blue: nobody who costs no more finds more. Lines: 95 % intervals. Up and to the left is better."


@dataclass(frozen=True)
class DrawnDot:
    """A row of the picture."""

    name: str
    cost: float
    value: float
    low: float
    high: float
    front: bool
    least: float | None = None
    """The ends of the interval of its cost, where that has one."""
    most: float | None = None


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
        costs = [dot.cost for dot in self.dots]
        log = min(costs) > 0 and max(costs) / min(costs) > _FAR
        rows = list(self._labelled(min(costs) / 10 if log else 0.0))
        axis: dict[str, Any] = {"values": _powers(min(costs), max(costs))} if log else {"tickCount": 4}
        scale = alt.Scale(type="log" if log else "linear", zero=False, nice=True, padding=12)
        x = alt.X("cost:Q", title=self.against, scale=scale, axis=alt.Axis(format="~s", grid=False, **axis))
        up = alt.Scale(domain=[0, 1], nice=False)
        y = alt.Y("value:Q", title=None, scale=up, axis=alt.Axis(tickCount=5, format="%"))
        colour = alt.Color("front:N", scale=alt.Scale(domain=[True, False], range=[ACCENT, QUIET]), legend=None)
        base = alt.Chart(alt.InlineData(values=rows)).encode(x=x, color=colour)
        named = base.transform_filter("isValid(datum.label)")
        wide = base.transform_filter("isValid(datum.least)")
        across = [
            wide.mark_rule(strokeWidth=3, opacity=0.3).encode(x=alt.X("least:Q", scale=scale), x2="most:Q", y=y)
        ]
        layers = layered(
            base.mark_rule(strokeWidth=3, opacity=0.3).encode(y=alt.Y("low:Q", scale=up), y2="high:Q"),
            *(across if any(dot.least is not None for dot in self.dots) else ()),
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

    def _labelled(self, edge: float) -> Iterator[dict[str, Any]]:
        """Yield the dots; of those at one place, the first carries the name of all. No cost is below *edge*."""
        places: dict[tuple[float, float], list[DrawnDot]] = {}
        for dot in self.dots:
            places.setdefault((_digits(dot.cost), round(dot.value, 2)), []).append(dot)
        ends = apart([(1 - each[0].value) * HEIGHT for each in places.values()], GAP, 0, HEIGHT)
        for each, end in zip(places.values(), ends, strict=True):
            more = f" + {len(each) - 1} more" if len(each) > 1 else ""
            for n, dot in enumerate(each):
                row: dict[str, Any] = {
                    "cost": dot.cost,
                    "value": dot.value,
                    "low": dot.low,
                    "high": dot.high,
                    "front": dot.front,
                }
                row |= {} if dot.least is None else {"least": max(dot.least, edge), "most": dot.most}
                yield row if n else row | {"label": f"{short(dot.name)}{more}", "at": 1 - end / HEIGHT}


def fronts_of(board: Board) -> Iterator[Section]:
    """Yield the fronts of a board behind a title, where at least two systems stand on one."""
    if not any(_known(each)[1:] for each in board.fronts):
        return
    blocks: tuple[Block, ...] = (_table(board), *_figures(board))
    yield Section("fronts", "Who finds more for the same tokens, time and money", blocks, Fold.CLOSED)


def _known(each: CostFront) -> list[CostPlace]:
    return [place for place in each.places if place.standing is not None]


def _table(board: Board) -> Table:
    """Say of every system where it stands for each thing that a question takes."""
    columns = [Column("system")]
    for each in board.fronts:
        columns += [Column(str(each.axis), Kind.NUMBER), Column(f"{each.measure} for it", Kind.PROSE)]
    by_axis = [{place.label: place for place in each.places} for each in board.fronts]
    rows = [
        (Cell(label), *(cell for places in by_axis for cell in _cells(places[label])))
        for label in dict.fromkeys(label for places in by_axis for label in places)
    ]
    budgets = {budget for each in board.fronts for budget in parse(each.measure).budgets}
    ended = any(entry.rank is not None and budgets & entry.short_of.keys() for entry in board.entries)
    return Table.of("fronts", "", columns, rows, NOTE + (ENDED if ended else ""), brief=False)


def _cells(place: CostPlace) -> tuple[Cell, Cell]:
    if place.cost is None:
        return Cell("?", value=None), Cell("not known", place.why)
    ends = "" if place.cost_low is None or place.cost_high is None else _span(place.cost_low, place.cost_high)
    cost = Cell(_spelt(place.cost), ends, place.cost, place.cost_low, place.cost_high)
    if place.standing is None:
        return cost, Cell("", place.why)
    if place.standing is FrontStanding.FRONT:
        return cost, Cell(str(place.standing), mark="best")
    ahead = f"{place.beside} {signed(place.difference)} {between(place.low, place.high)}".rstrip()
    return cost, Cell(str(place.standing), ahead)


def _span(low: float, high: float) -> str:
    return f"[{_spelt(low)}, {_spelt(high)}]"


def _spelt(cost: float) -> str:
    """Write a cost with three digits that tell."""
    return f"{cost:,.0f}" if abs(cost) >= 100 else f"{cost:.3g}"


def _figures(board: Board) -> Iterator[Figure]:
    """Yield a picture of every front that has two dots, its values within 0 and 1."""
    entries = {entry.label: entry for entry in board.entries}
    for place, each in enumerate(board.fronts):
        dots = tuple(_dots(each, entries, board.k))
        if len(dots) > 1 and all(dot.low >= 0 and dot.high <= 1 for dot in dots):
            title = f"{each.measure} against {each.axis}"
            yield Figure(f"front-{place}", title, CAPTION, FrontPicture(each.measure, str(each.axis), dots))


def _dots(each: CostFront, entries: dict[str, Entry], k: int) -> Iterator[DrawnDot]:
    for place in _known(each):
        entry = entries[place.label]
        score = entry.scores.get(each.measure) or entry.by_k.get(k)
        if score is None or score.value is None or place.cost is None or score.measure != each.measure:
            continue
        yield DrawnDot(
            place.label,
            place.cost,
            score.value,
            score.value if score.low is None else score.low,
            score.value if score.high is None else score.high,
            place.standing is FrontStanding.FRONT,
            place.cost_low,
            place.cost_high,
        )


def _digits(value: float) -> float:
    """Round to two significant digits."""
    return 0.0 if value == 0 else round(value, 1 - floor(log10(abs(value))))


def _powers(low: float, high: float) -> Sequence[float]:
    return [10.0**e for e in range(floor(log10(low)), floor(log10(high)) + 2)]
