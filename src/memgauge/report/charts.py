"""The charts of a board, drawn for light and dark pages alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.report.board_tables import first_look
from memgauge.show.curves import Axis, Spread, curves
from memgauge.show.drawing import (
    ACCENT,
    INK,
    QUIET,
    SERIES,
    WIDTH,
    apart,
    heat,
    inline,
    labels,
    layered,
    shorts,
    specification,
)
from memgauge.show.figures import Drawing
from memgauge.show.numbers import count, listed, milliseconds, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.scoring.board import Board, Entry, Score


def leaderboard_chart(board: Board) -> Drawing | None:
    """Draw the first measure of every entry as a dot with its intervals; ``None`` when nothing is defined."""
    import altair as alt

    measure = board.measures[0]
    rows = [_dot(e, e.scores[measure]) for e in board.entries if e.scores[measure].value is not None]
    if not rows:
        return None
    y = alt.Y("name:N", sort=None, title=None, axis=_named(board.entries))
    top = max(1.0, *(r["high"] for r in rows))
    x = alt.X("value:Q", title=measure, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=6))
    colour = alt.Color("role:N", scale=_roles(ACCENT, QUIET), legend=None)
    base = alt.Chart(inline(rows)).encode(y=y, color=colour)
    shape = alt.Shape(
        "role:N",
        scale=alt.Scale(domain=["system", "floor", "ceiling"], range=["circle", "triangle-down", "triangle-up"]),
        legend=None,
    )
    layers = layered(
        base.mark_rule(strokeWidth=6, opacity=0.45).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=42, opacity=1).encode(x=x, shape=shape),
        base.mark_text(align="left", fontSize=12).encode(
            x=alt.XValue(WIDTH + 12), text=alt.Text("figure:N"), color=alt.ColorValue(INK)
        ),
    )
    spoken = "; ".join(f"{r['name']} {r['figure']}" for r in rows)
    return Drawing(
        specification(layers, height=26 * len(rows), right=70),
        f"Lines are intervals over conversations. {spoken}.",
    )


def category_chart(board: Board) -> Drawing | None:
    """Draw the first measure by category as a heat map with its values; ``None`` without categories."""
    import altair as alt

    names = list(dict.fromkeys(c for e in board.entries for c in e.by_category))
    if not names:
        return None
    rows = [
        {"name": _name(e), "category": _heading(board, c), "value": s.value, "figure": _brief(s)}
        for e in board.entries
        for c, s in e.by_category.items()
    ]
    top = max((r["value"] for r in rows if r["value"] is not None), default=1.0) or 1.0
    axis = alt.Axis(orient="top", labelAngle=0, labelExpr="split(datum.label, '\\n')", labelPadding=34)
    base = alt.Chart(inline(rows)).encode(
        x=alt.X("category:N", sort=None, title=None, axis=axis),
        y=alt.Y("name:N", sort=None, title=None, axis=_named(board.entries)),
    )
    shade = alt.Opacity("value:Q", scale=alt.Scale(domain=[0, top], range=[0.04, 0.62]), legend=None)
    layers = heat(base, shade)
    return Drawing(
        specification(layers, height=30 * len(board.entries), top=64, width=max(WIDTH + 60, 84 * len(names))),
        f"Stronger colour is higher. Categories: {listed(names)}.",
    )


@dataclass(frozen=True)
class _Curve:
    """One quantity that grows with what is returned, for every entry."""

    axis: str
    name: str
    lines: tuple[tuple[Entry, str, Mapping[int, Score]], ...]
    """An entry, what its line is (``system``, ``floor``, ``ceiling`` or ``own``), and its scores."""


def budget_chart(board: Board) -> Drawing | None:
    """Draw evidence found by tokens, each system above its own memories in random order."""
    own = [(e, "own", _as_far(board, e.own_floor)) for e in board.entries if e.own_floor]
    lines = (*((e, e.role, _as_far(board, e.by_budget)) for e in board.entries), *own)
    return _curves(_Curve("tokens", "evidence found", lines), _colours(board.entries))


def first_lines(board: Board) -> list[list[dict[str, Any]]]:
    """Return the points by tokens of who is shown at first, and of the ceiling; none where none are known."""
    return [line for _, line in _first(board) if len(line) > 1]


def undrawn(board: Board) -> list[str]:
    """Name who is shown at first and has no line, since their lists end before the second budget."""
    return [name for name, line in _first(board) if len(line) < 2]


def _first(board: Board) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the points of who is shown at first, and of the ceiling, by name."""
    ceilings = [entry for entry in board.entries if entry.role == "ceiling"][:1]
    names = shorts(entry.label for entry in (*first_look(board), *ceilings))
    lines = ((names[e.label], points(e, _as_far(board, e.by_budget))) for e in (*first_look(board), *ceilings))
    return [(name, [{**point, "name": name} for point in line]) for name, line in lines]


def _as_far(board: Board, by_budget: Mapping[int, Score]) -> Mapping[int, Score]:
    """End a line where the last system ends: beyond, there is nothing to set a floor or a ceiling beside."""
    ends = [max(e.by_budget, default=0) for e in board.entries if e.role == "system"]
    return {budget: score for budget, score in by_budget.items() if not ends or budget <= max(ends)}


def first_chart(board: Board) -> Drawing | None:
    """Draw how much is found by tokens, of few, in letters that a phone shows large enough."""
    lines = first_lines(board)
    if not lines:
        return None
    ticks = sorted({point["x"] for line in lines for point in line})
    across = Axis("tokens handed over", (ticks[0], ticks[-1]), ticks, format="~s", log=True)
    spoken = "; ".join(_spoken_end(line, ticks[-1]) for line in lines)
    return curves(
        lines,
        across,
        Axis(None, (0, 1), 5, format="%"),
        f"Bands are 95 % intervals over conversations. At {ticks[-1]:,} tokens: {spoken}.",
        spread=Spread.BAND,
        colours=_first_colours(lines),
        height=170,
        width=250,
        left=42,
    )


def _spoken_end(line: Sequence[Mapping[str, Any]], last: int) -> str:
    """Say where a line ends; at which place, where it ends before the *last*."""
    end = line[-1]
    where = "" if end["x"] == last else f" at {end['x']:,}, where it ends"
    return f"{end['name']} {number(end['value'])}{where}"


def _first_colours(lines: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
    systems = [line[0]["name"] for line in lines if line[0]["role"] == "system"]
    hues = dict(zip(systems, SERIES, strict=False))
    return [hues.get(line[0]["name"], QUIET) for line in lines]


def k_chart(board: Board) -> Drawing | None:
    """Draw recall at several k as lines with 95 % bands, k on a log scale; ``None`` with fewer than two k."""
    lines = tuple((e, e.role, e.by_k) for e in board.entries)
    return _curves(_Curve("k", "Recall@k", lines), _colours(board.entries))


def _curves(curve: _Curve, colours: Sequence[str]) -> Drawing | None:
    """Draw lines over a log scale, labelled where they end; ``None`` with fewer than two points."""
    import altair as alt

    drawn = [(_name(e), kind, rows) for e, kind, scores in curve.lines if len(rows := points(e, scores)) > 1]
    if not drawn:
        return None
    places = sorted({r["x"] for _, _, rows in drawn for r in rows})
    height, top = 300, max(1.0, *(r["high"] for _, _, rows in drawn for r in rows))
    labelled = [rows for _, kind, rows in drawn if kind != "own"]
    ends = apart([rows[-1]["value"] / top * height for rows in labelled], gap=15)
    names = shorts(rows[-1]["name"] for rows in labelled)
    for rows, end in zip(labelled, ends, strict=True):
        rows[-1]["label"], rows[-1]["at"] = names[rows[-1]["name"]], end / height * top
    data = [r | {"kind": kind} for _, kind, rows in drawn for r in rows]
    hues = dict(zip((_name(e) for e, kind, _ in curve.lines if kind != "own"), colours, strict=True))
    shown = list(dict.fromkeys(name for name, _, _ in drawn))
    colour = alt.Color("name:N", scale=alt.Scale(domain=shown, range=[hues[name] for name in shown]), legend=None)
    kinds = alt.Scale(domain=["system", "floor", "ceiling", "own"], range=[[1, 0], [4, 3], [4, 3], [1, 3]])
    axis = alt.Axis(values=places, labelExpr="format(datum.value, ',')")
    x = alt.X("x:Q", title=curve.axis, scale=alt.Scale(type="log", domain=[places[0], places[-1]]), axis=axis)
    y = alt.Y(
        "value:Q", title=curve.name, scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=6)
    )
    base = alt.Chart(inline(data)).encode(color=colour, detail=alt.Detail("kind:N"))
    measured = base.transform_filter("datum.kind != 'own'")
    last = base.transform_filter("isValid(datum.label)")
    layers = layered(
        measured.mark_area(opacity=0.13).encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        base.mark_line(strokeWidth=2).encode(
            x=x, y=y, strokeDash=alt.StrokeDash("kind:N", scale=kinds, legend=None)
        ),
        measured.mark_point(filled=True, size=28, opacity=1).encode(x=x, y=y),
        last.mark_rule(strokeWidth=1).encode(
            x=alt.XValue(WIDTH + 6), x2=alt.X2Value(WIDTH + 20), y=alt.Y("value:Q"), y2=alt.Y2("at:Q")
        ),
        last.mark_text(align="left", fontSize=12).encode(
            x=alt.XValue(WIDTH + 25), y=alt.Y("at:Q"), text=alt.Text("label:N"), color=alt.ColorValue(INK)
        ),
    )
    ends_text = "; ".join(
        f"{name}{' in random order' if kind == 'own' else ''} {number(rows[0]['value'])} at {rows[0]['x']}, "
        f"{number(rows[-1]['value'])} at {rows[-1]['x']}"
        for name, kind, rows in drawn
    )
    return Drawing(
        specification(layers, height=height, left=64, right=190),
        f"Bands are 95 % intervals over conversations. {ends_text}.",
    )


def latency_chart(board: Board) -> Drawing | None:
    """Draw the median and the 95th percentile of search and write calls on a log scale."""
    import altair as alt

    rows = [r for e in board.entries for r in calls(e)]
    if not rows:
        return None
    ends = [r[key] for r in rows for key in ("p50", "p95")]
    scale = alt.Scale(type="log", domain=_decades(min(ends), max(ends)), nice=False)
    axis = alt.Axis(tickCount=5, labelExpr="format(datum.value, ',~g')", values=_powers(min(ends), max(ends)))
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=_named(board.entries)),
        yOffset=alt.YOffset("call:N", sort=["search", "write"]),
        color=alt.Color("call:N", scale=alt.Scale(domain=["search", "write"], range=[ACCENT, QUIET]), legend=None),
    )
    layers = layered(
        base.mark_rule(strokeWidth=2).encode(
            x=alt.X("p50:Q", title="ms per call", scale=scale, axis=axis), x2=alt.X2("p95:Q")
        ),
        base.mark_point(filled=True, size=55, opacity=1).encode(x=alt.X("p50:Q", scale=scale)),
        base.mark_tick(thickness=2, size=9).encode(x=alt.X("p95:Q", scale=scale)),
        base.mark_text(align="left", fontSize=11).encode(
            x=alt.XValue(WIDTH + 12), text=alt.Text("figure:N"), color=alt.ColorValue(INK)
        ),
    )
    spoken = "; ".join(f"{r['name']} {r['figure']} ms" for r in rows)
    return Drawing(
        specification(layers, height=40 * len(board.entries), right=150),
        f"From the median (dot) to the 95th percentile (bar). {spoken}.",
    )


def _name(entry: Entry) -> str:
    """Say when an entry is no contestant; the full label, because rows of a chart are told apart by it."""
    return entry.label if entry.role == "system" else f"{entry.label} ({entry.role})"


def _named(entries: Sequence[Entry]) -> Any:
    """Return an axis of names."""
    import altair as alt

    return alt.Axis(labelPadding=10, labelExpr=labels(map(_name, entries)))


def _roles(system: Any, other: Any) -> Any:
    import altair as alt

    return alt.Scale(domain=["system", "floor", "ceiling"], range=[system, other, other])


def _colours(entries: Sequence[Entry]) -> list[str]:
    """Give systems the hues in turn; floors and ceilings stay grey."""
    systems = [e.label for e in entries if e.role == "system"]
    hues = {label: SERIES[i % len(SERIES)] for i, label in enumerate(systems)}
    return [hues.get(e.label, QUIET) for e in entries]


def _dot(entry: Entry, score: Score) -> dict[str, Any]:
    low = score.value if score.low is None else score.low
    high = score.value if score.high is None else score.high
    return {
        "name": _name(entry),
        "role": entry.role,
        "value": score.value,
        "low": low,
        "high": high,
        "figure": number(score.value),
    }


def points(entry: Entry, scores: Mapping[int, Score]) -> list[dict[str, Any]]:
    """Return the defined points of a curve."""
    defined = [(place, s) for place, s in sorted(scores.items()) if s.value is not None]
    return [_dot(entry, s) | {"x": place} for place, s in defined]


def _brief(score: Score) -> str:
    return "\N{EN DASH}" if score.value is None else f"{score.value:.2f}"


def _heading(board: Board, category: str) -> str:
    """Break a category at its joints and put the number of questions under it."""
    scored = [e.by_category[category].denominator.scored for e in board.entries if category in e.by_category]
    words = category.replace("_", " ").replace("-", " ").split()
    lines = [" ", *words[:2]][-2:] if len(words) < 3 else [words[0], " ".join(words[1:])]
    return "\n".join([*lines, f"n={count(max(scored))}"])


def calls(entry: Entry) -> list[dict[str, Any]]:
    """Return search and write times; a clock that read 0 is drawn at a microsecond."""
    t = entry.latency
    return [
        {
            "name": _name(entry),
            "call": call,
            "p50": max(p50, 0.001),
            "p95": max(p95, 0.001),
            "figure": f"{call} {milliseconds(p50)} to {milliseconds(p95)}",
        }
        for call, p50, p95 in (
            ("search", t.search_p50, t.search_p95),
            ("write", t.write_p50, t.write_p95),
        )
        if p50 is not None and p95 is not None
    ]


def _powers(low: float, high: float) -> list[float]:
    powers = [10.0**e for e in range(-3, 8)]
    return [p for p in powers if low / 10 < p < high * 10]


def _decades(low: float, high: float) -> list[float]:
    powers = _powers(low, high)
    return [min(powers[0], low), max(powers[-1], high)]
