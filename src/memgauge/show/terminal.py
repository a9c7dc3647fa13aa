"""Documents on a terminal, from 80 columns up; plain ASCII where the output is no terminal."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
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
    from collections.abc import Iterable, Iterator

    from rich.console import Console, ConsoleOptions, RenderableType

    from memgauge.show.document import Block, Document, Note
    from memgauge.show.table import Cell, Column

_PLAIN: Final = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_GAP: Final = 2
_LONGEST: Final = (12, 10, 8, 7, 6, 5, 4)
"""Lengths at which heads are folded where a table is too wide, the first that helps."""
_WRAPPED: Final = 12
"""Columns that prose can do with."""
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
            case Code() if everything:
                yield Text(clean(block.text))
            case Steps() if everything:
                yield from _steps(block)
            case Section() if block.fold is not Fold.CLOSED or everything:
                yield ""
                yield Text(clean(" ".join((block.title, *(badge.text for badge in block.badges)))), style="bold")
                yield from _blocks(block.blocks, everything=everything)


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
        shown, dropped = fitted(self.table, options.max_width)
        if shown.title:
            yield Text(clean(shown.title), style="italic")
        yield _drawn(shown, plain=plain, room=options.max_width)
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


def _width(table: Table, place: int) -> int:
    return max(map(cell_len, (table.columns[place].head, *(_line(row[place]) for row in table.rows))))


def _drawn(table: Table, *, plain: bool, room: int) -> RichTable:
    box = (_PLAIN if plain else SIMPLE_HEAD) if table.ruled else None
    gap, longest = (1, 0) if table.ruled else _setting(table, room)
    drawn = RichTable(box=box, pad_edge=False, show_edge=False, padding=(0, gap, 0, 0))
    for place, (column, numeric) in enumerate(zip(table.columns, table.numeric, strict=True)):
        whole = numeric or column.kind is Kind.TEXT
        drawn.add_column(
            Text(clean(_folded(table, place, longest) if longest else _head(column))),
            justify="right" if numeric else "left",
            no_wrap=whole,
            overflow="ellipsis" if whole else "fold",
        )
    for number, row in enumerate(table.rows):
        drawn.add_row(*map(_text, row), style="dim" if number in table.quiet else None)
    return drawn


def _setting(table: Table, room: int) -> tuple[int, int]:
    """Choose the gap between columns, and how long a line of a head may be (0: any), so that no figure is cut."""
    if _needed(table, 0) + _GAP * len(table.columns) <= room:
        return _GAP, 0
    fitting = (longest for longest in (0, *_LONGEST) if _needed(table, longest) + len(table.columns) <= room)
    return 1, next(fitting, _LONGEST[-1])


def _needed(table: Table, longest: int) -> int:
    """Add up the least widths of columns; what wraps needs little."""
    widths = 0
    for place, (column, numeric) in enumerate(zip(table.columns, table.numeric, strict=True)):
        head = _folded(table, place, longest) if longest else _head(column)
        whole = max(map(cell_len, (*head.split("\n"), *(_line(row[place]) for row in table.rows))))
        widths += whole if numeric or column.kind is Kind.TEXT else min(whole, _WRAPPED)
    return widths


def _folded(table: Table, place: int, longest: int) -> str:
    """Fold a head, no narrower than its cells are."""
    cells = max((cell_len(_line(row[place])) for row in table.rows), default=0)
    return "\n".join(wrap(_head(table.columns[place]), max(longest, cells)))


def _head(column: Column) -> str:
    return f"{column.head} ({column.under})" if column.under else column.head


def _text(cell: Cell) -> Text:
    style = {"best": "bold", "value": "bold", "warn": "yellow"}.get(cell.mark, "")
    return Text(clean(_line(cell)), style=style)


def _line(cell: Cell) -> str:
    """Say in one line what a cell says with its small print; badges stand in brackets."""
    badges = "".join(f" ({badge})" for badge in cell.badges)
    return f"{cell.text}{badges}{f' {cell.under}' if cell.under else ''}".replace("\n", " ")
