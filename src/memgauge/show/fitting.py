"""A table in the columns that a terminal has: set closer, small print below, columns left out, or in parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD, Box
from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

from memgauge.show.abridging import abridged
from memgauge.show.meters import INTERVAL, LEAST, with_meters
from memgauge.show.numbers import Kind
from memgauge.show.safety import clean, one_line
from memgauge.show.table import Cell, Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

WIDTH: Final = 80
"""Columns where there is no terminal."""
_PLAIN: Final = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_GAP: Final = 2
_WRAPPED: Final = 12
"""Letters of a line that prose can do with."""
_LEAST: Final = 8
"""Letters below which prose is not set."""
_LABEL: Final = 24
"""Letters of a name in a ruled table."""
_NAME: Final = 5 * _LABEL
"""Letters of a name in any other table, where it may wrap."""
_LONGEST: Final = 3 * WIDTH
"""Letters of a line where there is no terminal: what is longer is broken there too."""


@dataclass(frozen=True)
class TableSetting:
    """How closely a table is set."""

    gap: int = _GAP
    stacked: bool = False
    """Whether small print stands below its figure."""
    longest: int = 0
    """Letters in a line of a head; 0: any number."""
    whole: bool = False
    """Whether no word is broken: a program looks for it, or somebody copies it."""


_CLOSER: Final = (
    TableSetting(),
    TableSetting(1),
    TableSetting(1, stacked=True),
    *(TableSetting(1, stacked=True, longest=longest) for longest in (12, 10, 8, 7, 6, 5, 4)),
)
"""Ways to set a table, each closer than the one before."""
_UNBROKEN: Final = tuple(replace(way, whole=True) for way in _CLOSER)


@dataclass(frozen=True)
class FittingTable:
    """A table that leaves out what the console has no room for, and says so."""

    table: Table
    everything: bool = True
    titled: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        plain = options.ascii_only or not options.is_terminal
        table = _named_shortly(self.table if self.everything else _brief(self.table))
        fitted_table, dropped_heads = _within(table, options.max_width, bars=table.ruled and not plain)
        if fitted_table.title and self.titled and not fitted_table.ruled:
            yield Text(clean(fitted_table.title), style="italic")
        room = options.max_width
        if (
            not options.is_terminal
            and room >= WIDTH
            and not table.ruled
            and _unbroken_room(fitted_table) <= _LONGEST
        ):
            room = max(room, _unbroken_room(fitted_table))
            rich_table = _drawn(fitted_table, _setting(fitted_table, room, _UNBROKEN), plain=plain, room=room)
            yield from console.render(rich_table, options.update(max_width=room))
        else:
            for place, part in enumerate(_parts(fitted_table, room)):
                yield from [""] if place else []
                way = TableSetting(1) if part.ruled else _setting(part, room)
                yield _drawn(part, way, plain=plain, room=room)
        note = fitted_table.explaining((not self.everything and fitted_table.short) or fitted_table.note)
        if fitted_table.ruled and (note or dropped_heads):
            yield ""
        if note:
            yield Text(clean(note), style="dim")
        if dropped_heads:
            yield Text(clean(f"Columns that do not fit here: {', '.join(dropped_heads)}."), style="dim")


def fitted(table: Table, width: int) -> tuple[Table, list[str]]:
    """Leave out columns, the most yielding first, until the rest fits *width*; return their heads too."""
    way = _CLOSER[-1] if table.stacks else _CLOSER[0]
    columns_left = dict(enumerate(table.columns))
    widths = {place: _width(table, place, way) + way.gap for place in columns_left}
    while sum(widths[place] for place in columns_left) > width and any(
        column.yields for column in columns_left.values()
    ):
        del columns_left[max(columns_left, key=lambda place: columns_left[place].yields)]
    dropped_places = frozenset(range(len(table.columns))) - columns_left.keys()
    return table.without(dropped_places), [table.columns[place].head for place in sorted(dropped_places)]


def _within(table: Table, width: int, *, bars: bool) -> tuple[Table, list[str]]:
    """Fit a table, the figure that ranks drawn as bars of what room is left where *bars* are wanted."""
    slim = _slim(table) if table.ruled else table
    if not bars:
        return fitted(slim, width)
    metered, way = with_meters(slim), _CLOSER[0]
    fitted_table, dropped_heads = fitted(metered, width)
    spare = width - sum(_width(fitted_table, place, way) + way.gap for place in range(len(fitted_table.columns)))
    if spare > 0:
        fitted_table = fitted(with_meters(slim, LEAST + spare), width)[0]
    return fitted_table, [head for head in dropped_heads if head]


def _brief(table: Table) -> Table:
    return table.without(frozenset(place for place, column in enumerate(table.columns) if not column.brief))


def _slim(table: Table) -> Table:
    """Put the first intervals into a column of their own, and leave other small print and long names to pages."""
    names = abridged((row[table.names].text for row in table.rows), _LABEL, _cut)
    rows = tuple(
        tuple(_bare(cell, names if place == table.names else {}) for place, cell in enumerate(row))
        for row in table.rows
    )
    if not any(table.spread):
        return replace(table, rows=rows)
    at = table.spread.index(True) + 1
    ends = (Cell(row[at - 1].under if row[at - 1].low is not None else "") for row in table.rows)
    return replace(
        table,
        columns=(*table.columns[:at], INTERVAL, *table.columns[at:]),
        rows=tuple((*row[:at], end, *row[at:]) for row, end in zip(rows, ends, strict=True)),
    )


def _named_shortly(table: Table) -> Table:
    """Cut what names rows, and heads, to a few lines: a name from elsewhere may be as long as it likes."""
    name_cells = [row[table.names] for row in table.rows]
    prose = table.columns[table.names].kind is Kind.PROSE
    names = _shortly(cell.text for cell in name_cells if cell.mark != "text" and not prose)
    heads = _shortly(column.head for column in table.columns)
    if all(text == name for name, text in (*names.items(), *heads.items())):
        return table
    rows = tuple(
        tuple(
            replace(cell, text=names.get(cell.text, cell.text)) if at == table.names else cell
            for at, cell in enumerate(row)
        )
        for row in table.rows
    )
    return replace(
        table, columns=tuple(replace(column, head=heads[column.head]) for column in table.columns), rows=rows
    )


def _shortly(names: Iterable[str]) -> Mapping[str, str]:
    """Say how each name is written: in one line, and abridged where it is very long."""
    full_lines = {name: one_line(name) for name in names}
    short_lines = abridged(full_lines.values(), _NAME, lambda name: f"{name[: _NAME - 3]}...")
    return {name: short_lines[line] for name, line in full_lines.items()}


def _bare(cell: Cell, names: Mapping[str, str]) -> Cell:
    return replace(cell, text=names.get(cell.text, cell.text), under="", low=None, high=None)


def _cut(name: str) -> str:
    return f"{name[: _LABEL - 3]}..."


def _parts(table: Table, room: int) -> Iterator[Table]:
    """Yield a table, or, where no setting makes it fit, several with some of its columns each, all with names."""
    way, every = _CLOSER[0 if table.ruled else -1], range(len(table.columns))
    widths = {place: _needed(table, place, way) + way.gap for place in every}
    if sum(widths.values()) - way.gap <= room:
        yield table
        return
    places_left = [place for place in every if place != table.names]
    while places_left:
        ends = accumulate((widths[place] for place in places_left), initial=widths[table.names])
        fitting = max(1, sum(end <= room for end in ends) - 1)
        yield table.without(frozenset(every) - {table.names, *places_left[:fitting]})
        places_left = places_left[fitting:]


def _unbroken_room(table: Table) -> int:
    """Return the least room in which no word is broken."""
    return _least_room(table, _UNBROKEN[-1])


def _drawn(table: Table, way: TableSetting, *, plain: bool, room: int) -> RichTable:
    box = (_PLAIN if plain else SIMPLE_HEAD) if table.ruled else None
    rich_table = RichTable(box=box, pad_edge=False, show_edge=False, padding=(0, way.gap, 0, 0))
    widths = [None] * len(table.columns) if table.ruled else _widths(table, way, room)
    for place, width in enumerate(widths):
        unbroken, numeric = _whole(table, place), table.numeric[place]
        rich_table.add_column(
            Text(clean(_folded(table, place, way))),
            justify="right" if numeric else "left",
            no_wrap=unbroken,
            overflow="ellipsis" if unbroken else "fold",
            width=width,
            min_width=None if unbroken else min(_width(table, place, way), _least(table, place, way)),
        )
    for number, row in enumerate(table.rows):
        cells = (_text(cell, stacked=way.stacked) for cell in row)
        rich_table.add_row(*cells, style=_standing(table, number))
    return rich_table


def _widths(table: Table, way: TableSetting, room: int) -> list[int | None]:
    """Share out the room among columns that wrap, none below its least; leave it to rich where that is too much.

    Rich takes from the widest columns and then gives each its least again, so that a table may stand out of its
    room, and the letters there are lost.
    """
    places = range(len(table.columns))
    natural = [_width(table, place, way) for place in places]
    least = [
        width if _whole(table, place) else min(width, _least(table, place, way))
        for place, width in enumerate(natural)
    ]
    space = room - way.gap * (len(places) - 1)
    if not sum(least) <= space < sum(natural):
        return [None] * len(places)
    level = max(natural)
    while sum(shares := [max(low, min(width, level)) for low, width in zip(least, natural, strict=True)]) > space:
        level -= 1
    spare = space - sum(shares)
    for place in places:
        if spare and shares[place] < natural[place] and shares[place] == level:
            shares[place], spare = shares[place] + 1, spare - 1
    return list(shares)


def _standing(table: Table, number: int) -> str | None:
    return "dim" if number in table.quiet else "green" if number in table.leading else None


def _whole(table: Table, place: int) -> bool:
    """Whether the cells of a column are never broken; names are, rather than that their ends are lost."""
    return table.numeric[place] or (table.columns[place].kind is Kind.TEXT and place != table.names)


def _setting(table: Table, room: int, ways: Sequence[TableSetting] = _CLOSER) -> TableSetting:
    """Choose the first setting in which no figure is cut."""
    return next((way for way in ways if _least_room(table, way) <= room), ways[-1])


def _least_room(table: Table, way: TableSetting) -> int:
    """Return the least room for a table that is set so."""
    return sum(_needed(table, place, way) + way.gap for place in range(len(table.columns)))


def _width(table: Table, place: int, way: TableSetting) -> int:
    """Return the width that a column takes where nothing in it wraps."""
    cells = (_line(row[place], stacked=way.stacked) for row in table.rows)
    return max(cell_len(line) for text in (_folded(table, place, way), *cells) for line in text.split("\n"))


def _needed(table: Table, place: int, way: TableSetting) -> int:
    """Return the least width of a column; what wraps needs little."""
    width = _width(table, place, way)
    return width if _whole(table, place) else min(width, max(_WRAPPED, _least(table, place, way)))


def _least(table: Table, place: int, way: TableSetting) -> int:
    """Return the room that a column which wraps is given: a name of no prose stays in one line where it can."""
    kind = table.columns[place].kind
    names = kind is Kind.TEXT or (way.whole and kind is None)
    least = _LABEL if place == table.names and names else _LEAST
    if not way.whole:
        return least
    words = (word for row in table.rows for word in _line(row[place], stacked=way.stacked).split())
    return max([least, *map(cell_len, words), *map(cell_len, _head(table.columns[place]).split())])


def _folded(table: Table, place: int, way: TableSetting) -> str:
    """Return a head, folded no narrower than its cells are."""
    head = _head(table.columns[place])
    if not way.longest:
        return head
    lines = (line for row in table.rows for line in _line(row[place], stacked=way.stacked).split("\n"))
    width = max(way.longest, *map(cell_len, lines), 1)
    lines_of_head = wrap(head, width, break_long_words=False, break_on_hyphens=not way.whole)
    return "\n".join(
        lines_of_head if way.whole else (part for words in lines_of_head for part in wrap(words, width))
    )


def _head(column: Column) -> str:
    return f"{column.head} ({column.under})" if column.under else column.head


def _text(cell: Cell, *, stacked: bool) -> Text:
    style = {"best": "bold green", "value": "bold", "told": "bold", "warn": "yellow"}.get(cell.mark, "")
    return Text(clean(_line(cell, stacked=stacked)), style=style)


def _line(cell: Cell, *, stacked: bool = False) -> str:
    """Say in one line what a cell says with its small print, or in two; badges stand in brackets."""
    badges = tuple(f"({badge})" for badge in cell.badges)
    under = one_line(cell.under)
    parts = (cell.text, *badges, "" if stacked else under, cell.beside)
    text = one_line(" ".join(filter(None, parts)))
    return f"{text}\n{under}" if stacked and under else text
