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
_WRAPPED: Final = 12
"""Letters of a line that prose can do with."""
_LEAST: Final = 8
"""Letters below which prose is not set."""
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


@dataclass(frozen=True)
class Setting:
    """How closely a table is set."""

    gap: int = _GAP
    stacked: bool = False
    """Whether small print stands below its figure."""
    longest: int = 0
    """Letters in a line of a head; 0: any number."""


_CLOSER: Final = (
    Setting(),
    Setting(1),
    Setting(1, stacked=True),
    *(Setting(1, stacked=True, longest=longest) for longest in (12, 10, 8, 7, 6, 5, 4)),
)
"""Ways to set a table, each closer than the one before."""


def _drawn(table: Table, *, plain: bool, room: int) -> RichTable:
    box = (_PLAIN if plain else SIMPLE_HEAD) if table.ruled else None
    setting = Setting(1) if table.ruled else _setting(table, room)
    drawn = RichTable(box=box, pad_edge=False, show_edge=False, padding=(0, setting.gap, 0, 0))
    for place in range(len(table.columns)):
        whole, numeric = _whole(table, place), table.numeric[place]
        drawn.add_column(
            Text(clean(_folded(table, place, setting))),
            justify="right" if numeric else "left",
            no_wrap=whole,
            overflow="ellipsis" if whole else "fold",
            min_width=None if whole else min(_needed(table, place, setting), _LEAST),
        )
    for number, row in enumerate(table.rows):
        cells = (_text(cell, stacked=setting.stacked) for cell in row)
        drawn.add_row(*cells, style="dim" if number in table.quiet else None)
    return drawn


def _whole(table: Table, place: int) -> bool:
    """Whether the cells of a column are never broken."""
    return table.numeric[place] or table.columns[place].kind is Kind.TEXT


def _setting(table: Table, room: int) -> Setting:
    """Choose the first setting in which no figure is cut."""
    places = range(len(table.columns))
    return next(
        (way for way in _CLOSER if sum(_needed(table, place, way) + way.gap for place in places) <= room),
        _CLOSER[-1],
    )


def _needed(table: Table, place: int, setting: Setting) -> int:
    """Return the least width of a column; what wraps needs little."""
    cells = (_line(row[place], stacked=setting.stacked) for row in table.rows)
    widths = (cell_len(line) for text in (_folded(table, place, setting), *cells) for line in text.split("\n"))
    return max(widths) if _whole(table, place) else min(max(widths), _WRAPPED)


def _folded(table: Table, place: int, setting: Setting) -> str:
    """Return a head, folded no narrower than its cells are."""
    head = _head(table.columns[place])
    if not setting.longest:
        return head
    lines = (line for row in table.rows for line in _line(row[place], stacked=setting.stacked).split("\n"))
    widest = max(map(cell_len, lines), default=0)
    width = max(setting.longest, widest)
    return "\n".join(part for words in wrap(head, width, break_long_words=False) for part in wrap(words, width))


def _head(column: Column) -> str:
    return f"{column.head} ({column.under})" if column.under else column.head


def _text(cell: Cell, *, stacked: bool) -> Text:
    style = {"best": "bold", "value": "bold", "warn": "yellow"}.get(cell.mark, "")
    return Text(clean(_line(cell, stacked=stacked)), style=style)


def _line(cell: Cell, *, stacked: bool = False) -> str:
    """Say in one line what a cell says with its small print, or in two; badges stand in brackets."""
    badges = "".join(f" ({badge})" for badge in cell.badges)
    text, under = (part.replace("\n", " ") for part in (f"{cell.text}{badges}", cell.under))
    return f"{text}{chr(10) if stacked else ' '}{under}" if under else text
