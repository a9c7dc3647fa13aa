"""Documents on a terminal, from 80 columns up; plain ASCII where the output is no terminal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import fill
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD, Box
from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

from memgauge.show.document import Code, Fold, Notes, Prose, Section, Steps, Tone
from memgauge.show.numbers import Kind
from memgauge.show.safety import clean
from memgauge.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import Console, ConsoleOptions, RenderableType

    from memgauge.show.document import Block, Document, Note
    from memgauge.show.table import Cell, Column

_PLAIN: Final = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_GAP: Final = 2
WIDTH: Final = 120
"""Columns where there is no terminal."""


def lines(document: Document, *, everything: bool = False) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a document: the verdict first, brief tables or all, the notes, what to do."""
    if document.title:
        yield Text(clean(document.title), style="bold")
    if document.lead:
        yield Text(clean(document.lead))
    for fact in document.facts:
        yield Text(clean(fact), style="dim")
    yield from _blocks(document.blocks, everything=everything)
    if document.notes:
        yield ""
        yield from _notes(document.notes)
    if document.next:
        yield ""
        yield Text(clean(document.next))


def printed(document: Document) -> str:
    """Write what a terminal without colours shows, every table of it."""
    import io

    from rich.console import Console

    console = Console(file=io.StringIO(), width=WIDTH, highlight=False, markup=False)
    for line in lines(document, everything=True):
        console.print(line)
    return clean(console.file.getvalue())  # type: ignore[attr-defined]  # a StringIO


def _blocks(blocks: Iterable[Block], *, everything: bool) -> Iterator[RenderableType]:
    for block in blocks:
        match block:
            case Table() if (block.brief or everything) and block.rows:
                yield ""
                yield FittingTable(block)
            case Prose():
                yield Text(clean(block.text), style="yellow" if block.tone is Tone.WARN else "")
            case Notes():
                yield from _notes(block.notes)
            case Code() if block.brief or everything:
                yield Text(clean(block.text))
            case Steps() if everything:
                yield from _steps(block)
            case Section() if block.fold is not Fold.CLOSED or everything:
                yield from _section(block, everything=everything)


def _section(block: Section, *, everything: bool) -> Iterator[RenderableType]:
    """Yield a heading and what is under it; no heading where all of it is for pages, such as figures."""
    inside = list(_blocks(block.blocks, everything=everything))
    if inside or not block.blocks:
        yield ""
        yield Text(clean(" ".join((block.title, *(badge.text for badge in block.badges)))), style="bold")
        yield from inside


def _notes(notes: Iterable[Note]) -> Iterator[Text]:
    for note in notes:
        sign = "!" if note.tone is Tone.WARN else "-"
        yield Text(clean(f"{sign} {note.about}: {note.text}" if note.about else f"{sign} {note.text}"))


def _steps(block: Steps) -> Iterator[Text]:
    for step in block.steps:
        beside = f"  ({step.beside})" if step.beside else ""
        badges = "".join(f" [{badge}]" for badge in step.badges)
        line = f"{'*' if step.stands_out else ' '} {step.number:>3} {step.text}{badges}{beside}"
        yield Text(clean(line), style="green" if step.stands_out else "")


@dataclass(frozen=True)
class FittingTable:
    """A table that leaves out what the console has no room for, and says so."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        plain = options.ascii_only or not options.is_terminal
        write = _stacked if self.table.stacks and _widest(self.table) > options.max_width else _line
        shown, dropped = fitted(self.table, options.max_width, write)
        if shown.title:
            yield Text(clean(shown.title), style="italic")
        yield _drawn(shown, write, plain=plain)
        if shown.note:
            yield Text(clean(shown.note))
        if dropped:
            yield Text(clean(f"Too narrow for: {', '.join(dropped)}."))


def fitted(table: Table, width: int, write: Callable[[Cell], str]) -> tuple[Table, list[str]]:
    """Leave out columns, the most yielding first, until the rest fits *width*; return their heads too."""
    left = dict(enumerate(table.columns))
    widths = {place: _width(table, place, write) + _GAP for place in left}
    while sum(widths[place] for place in left) > width and any(column.yields for column in left.values()):
        del left[max(left, key=lambda place: left[place].yields)]
    dropped = frozenset(range(len(table.columns))) - left.keys()
    return table.without(dropped), [table.columns[place].head for place in sorted(dropped)]


def _widest(table: Table) -> int:
    return sum(_width(table, place, _line) + _GAP for place in range(len(table.columns)))


def _width(table: Table, place: int, write: Callable[[Cell], str]) -> int:
    column = table.columns[place]
    heads = _head(column).split() if write is _stacked else [column.head]
    return max((1, *map(cell_len, heads), *(_longest(write(row[place])) for row in table.rows)))


def _longest(text: str) -> int:
    return max(map(cell_len, text.split("\n")))


def _drawn(table: Table, write: Callable[[Cell], str], *, plain: bool) -> RichTable:
    box = (_PLAIN if plain else SIMPLE_HEAD) if table.ruled else None
    drawn = RichTable(box=box, pad_edge=False, show_edge=False, padding=(0, 1 if table.ruled else 2, 0, 0))
    for place, (column, numeric) in enumerate(zip(table.columns, table.numeric, strict=True)):
        head = clean(_head(column))
        drawn.add_column(
            Text(fill(head, _width(table, place, write)) if write is _stacked else head),
            justify="right" if numeric else "left",
            no_wrap=numeric or column.kind is Kind.TEXT,
            overflow="fold",
        )
    for place, row in enumerate(table.rows):
        drawn.add_row(*(_text(cell, write) for cell in row), style="dim" if place in table.quiet else None)
    return drawn


def _head(column: Column) -> str:
    return f"{column.head} ({column.under})" if column.under else column.head


def _text(cell: Cell, write: Callable[[Cell], str]) -> Text:
    style = {"best": "bold", "value": "bold", "warn": "yellow"}.get(cell.mark, "")
    return Text(clean(write(cell)), style=style)


def _line(cell: Cell) -> str:
    """Say in one line what a cell says with its small print; badges stand in brackets."""
    badges = tuple(f"({badge})" for badge in cell.badges)
    return " ".join(filter(None, (cell.text, *badges, cell.under, cell.beside))).replace("\n", " ")


def _stacked(cell: Cell) -> str:
    """Say in a second line what is small print."""
    return "\n".join(filter(None, (_line(replace(cell, under="")), cell.under.replace("\n", " "))))
