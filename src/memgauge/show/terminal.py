"""Documents on a terminal, from 80 columns up; plain ASCII where the output is no terminal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD, Box
from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

from memgauge.show.document import Code, Fold, Notes, Prose, Section, Steps, Tone
from memgauge.show.numbers import Kind
from memgauge.show.safety import clean
from memgauge.show.table import Cell, Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console, ConsoleOptions, RenderableType

    from memgauge.show.document import Block, Document, Note

_PLAIN: Final = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_GAP: Final = 2
_LABEL: Final = 24
"""Letters of a name in a ruled table."""
WIDTH: Final = 120
"""Columns where there is no terminal."""


def lines(document: Document, *, everything: bool = False) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a document: the verdict first, brief tables or all, the notes, what to do."""
    yield from dropwhile(lambda line: line == "", _lines(document, everything=everything))


def _lines(document: Document, *, everything: bool) -> Iterator[RenderableType]:
    if document.title:
        yield Text(clean(f"{document.title} {document.beside}".rstrip()), style="bold")
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


def _blocks(blocks: Iterable[Block], *, everything: bool, under: str = "") -> Iterator[RenderableType]:
    for block in blocks:
        match block:
            case Table() if (block.brief or everything) and block.rows:
                if not block.ruled:
                    yield ""
                yield FittingTable(block, everything=everything, titled=block.title != under)
            case Prose():
                yield Text(clean(block.text), style="yellow" if block.tone is Tone.WARN else "")
            case Notes():
                yield from _notes(block.notes)
            case Code() if everything:
                yield Text(clean(block.text))
            case Steps() if everything:
                yield from _steps(block)
            case Section() if block.fold is not Fold.CLOSED or everything:
                yield ""
                words = (block.title, *(badge.text for badge in block.badges), block.beside)
                yield Text(clean(" ".join(filter(None, words))), style="bold")
                yield from _blocks(block.blocks, everything=everything, under=block.title)


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
    everything: bool = True
    titled: bool = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        plain = options.ascii_only or not options.is_terminal
        table = self.table
        if not self.everything:
            hidden = (place for place, column in enumerate(table.columns) if not column.brief)
            table = table.without(frozenset(hidden))
        shown, dropped = fitted(_slim(table) if table.ruled else table, options.max_width)
        if shown.title and self.titled and not shown.ruled:
            yield Text(clean(shown.title), style="italic")
        yield _drawn(shown, plain=plain)
        if shown.ruled and (shown.note or dropped):
            yield ""
        if shown.note:
            yield Text(clean(shown.note))
        if dropped:
            yield Text(clean(f"Too narrow for: {', '.join(dropped)}."))


def fitted(table: Table, width: int) -> tuple[Table, list[str]]:
    """Leave out columns, the most yielding first, until the rest fits *width*; return their heads too."""
    left = dict(enumerate(table.columns))
    widths = {place: _width(table, place) + _GAP for place in left}
    while sum(widths[place] for place in left) > width and any(column.yields for column in left.values()):
        del left[max(left, key=lambda place: left[place].yields)]
    dropped = frozenset(range(len(table.columns))) - left.keys()
    return table.without(dropped), [table.columns[place].head for place in sorted(dropped)]


def _slim(table: Table) -> Table:
    """Put the first intervals into a column of their own, and leave other small print and long names to pages."""
    rows = tuple(
        tuple(_bare(cell, named=place == table.names) for place, cell in enumerate(row)) for row in table.rows
    )
    if not any(table.spread):
        return replace(table, rows=rows)
    at = table.spread.index(True) + 1
    ends = (Cell(row[at - 1].under if row[at - 1].low is not None else "") for row in table.rows)
    return replace(
        table,
        columns=(*table.columns[:at], Column("95 %", Kind.NUMBER), *table.columns[at:]),
        rows=tuple((*row[:at], end, *row[at:]) for row, end in zip(rows, ends, strict=True)),
    )


def _bare(cell: Cell, *, named: bool) -> Cell:
    text = cell.text
    if named and len(text) > _LABEL:
        text = f"{text[: _LABEL - 3]}..."
    return replace(cell, text=text, under="", low=None, high=None)


def _width(table: Table, place: int) -> int:
    return max(map(cell_len, (table.columns[place].head, *(_line(row[place]) for row in table.rows))))


def _drawn(table: Table, *, plain: bool) -> RichTable:
    box = (_PLAIN if plain else SIMPLE_HEAD) if table.ruled else None
    drawn = RichTable(box=box, pad_edge=False, show_edge=False, padding=(0, 1 if table.ruled else 2, 0, 0))
    for column, numeric in zip(table.columns, table.numeric, strict=True):
        drawn.add_column(
            Text(clean(_head(column))),
            justify="right" if numeric else "left",
            no_wrap=numeric or column.kind is Kind.TEXT,
            overflow="fold",
        )
    for place, row in enumerate(table.rows):
        drawn.add_row(*map(_text, row), style="dim" if place in table.quiet else None)
    return drawn


def _head(column: Column) -> str:
    return f"{column.head} ({column.under})" if column.under else column.head


def _text(cell: Cell) -> Text:
    style = {"best": "bold", "value": "bold", "warn": "yellow"}.get(cell.mark, "")
    return Text(clean(_line(cell)), style=style)


def _line(cell: Cell) -> str:
    """Say in one line what a cell says with its small print; badges stand in brackets."""
    badges = "".join(f" ({badge})" for badge in cell.badges)
    return f"{cell.text}{badges}{f' {cell.under}' if cell.under else ''}".replace("\n", " ")
