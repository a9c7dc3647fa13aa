"""Documents on a terminal, from 60 columns up; plain ASCII where the output is no terminal."""

from __future__ import annotations

from itertools import dropwhile
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.text import Text

from memgauge.show.document import Code, Fold, Notes, Prose, Section, Steps, Tone, Ways
from memgauge.show.fitting import WIDTH, FittingTable
from memgauge.show.safety import clean, one_line
from memgauge.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console, RenderableType

    from memgauge.show.document import Block, Document, Note

WIDEST: Final = 120
"""Columns of a file, and the most that a line of a terminal is read in."""
NARROWEST: Final = 40
"""Columns below which lines are left to the terminal to break."""

_TONES: Final = {Tone.LEAD: "bold", Tone.SOFT: "dim", Tone.WARN: "yellow"}


def lines(document: Document, *, everything: bool = False) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a document: the verdict first, brief tables or all, the notes, what to do."""
    yield from dropwhile(lambda line: line == "", _lines(document, everything=everything))


def printed(document: Document) -> str:
    """Write what a terminal without colours shows, every table of it."""
    import io

    from rich.console import Console

    console = Console(file=io.StringIO(), width=WIDEST, highlight=False, markup=False)
    for line in lines(document, everything=True):
        put_line(console, line)
    return clean(console.file.getvalue())  # type: ignore[attr-defined]  # a StringIO


def put_line(console: Console, what: object) -> None:
    """Print what may have to be copied: a word longer than the console is wide stands whole."""
    is_whole = bool(getattr(what, "no_wrap", None))
    if isinstance(what, Text) and any(cell_len(word) > console.width for word in what.plain.split()):
        what, is_whole = Text("\n".join(_unbroken(what.plain, console.width)), style=what.style), True
    console.print(what, markup=False, soft_wrap=is_whole, crop=False)


def _unbroken(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a text, none of which breaks a word."""
    for line in text.split("\n"):
        yield from wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]


def _lines(document: Document, *, everything: bool) -> Iterator[RenderableType]:
    """Yield a document: what is concluded before what it is concluded from."""
    if document.lead:
        yield _words(document.lead, style="bold")
    if document.title:
        heading = "dim" if document.lead else "bold"
        yield _words(f"{document.title} {document.beside}".rstrip(), style=heading)
    for fact in document.facts:
        yield _words(fact, style="dim")
    yield from _blocks(document.blocks, everything=everything)
    if document.notes:
        yield ""
        yield from _notes(document.notes)
    if document.next:
        yield ""
        yield _words(document.next)


def _blocks(blocks: Iterable[Block], *, everything: bool, under: str = "") -> Iterator[RenderableType]:
    for block in blocks:
        match block:
            case Table() if (block.brief or everything) and block.rows:
                if not block.ruled:
                    yield ""
                yield FittingTable(block, everything=everything, titled=block.title != under)
            case Prose():
                yield _words(block.text, style=_TONES.get(block.tone, ""))
            case Notes():
                yield from _notes(block.notes)
            case Ways():
                yield from _ways(block)
            case Code() if block.brief or everything:
                yield Text(clean(block.text), no_wrap=True)
            case Steps() if everything:
                yield from _steps(block)
            case Section() if block.fold is not Fold.CLOSED or everything:
                yield from _section(block, everything=everything)


def _section(block: Section, *, everything: bool) -> Iterator[RenderableType]:
    """Yield a heading and what is under it; no heading where all of it is for pages, such as figures."""
    renderables = list(_blocks(block.blocks, everything=everything, under=block.title))
    if renderables or all(isinstance(part, Steps) and not part.steps for part in block.blocks):
        yield ""
        words = clean(" ".join((block.title, *(badge.text for badge in block.badges))))
        beside_text = (" ", (clean(block.beside), "dim")) if block.beside else ()
        yield Text.assemble((words, "bold"), *beside_text)
        yield from renderables


def _notes(notes: Iterable[Note]) -> Iterator[Text]:
    for note in notes:
        sign, style = ("!", "yellow") if note.tone is Tone.WARN else ("-", "")
        text = f"{one_line(note.about)}: {note.text}" if note.about else note.text
        yield _words(f"{sign} {text}", style=style)


def _ways(block: Ways) -> Iterator[Text]:
    """Yield what to type, each with what it is for; links are for pages."""
    command_ways = [way for way in block.ways if way.command]
    width = max((len(way.command) for way in command_ways), default=0)
    for way in command_ways:
        line = f"  {way.command:<{width}}  {way.why}"
        yield _words(line if len(line) <= WIDTH else f"  {way.command}\n      {way.why}")


def _steps(block: Steps) -> Iterator[Text]:
    for step in block.steps:
        beside_text = f"  ({step.beside})" if step.beside else ""
        badges = "".join(f" [{badge}]" for badge in step.badges)
        line = f"{'*' if step.stands_out else ' '} {step.number:>3} {step.text}{badges}{beside_text}"
        yield _words(line, style="green" if step.stands_out else "")


def _words(text: str, style: str = "") -> Text:
    """Set words in lines; :func:`put_line` prints a path or a command whole, however long it is."""
    return Text(clean(text), style=style)
