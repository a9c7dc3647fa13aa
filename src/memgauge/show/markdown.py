"""Documents as GitHub Markdown, to be pasted where people talk."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.show.document import Code, Figure, Fold, Notes, Prose, Section, Steps, Tone, Ways
from memgauge.show.safety import clean, escape
from memgauge.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.show.document import Block, Document, Note, Way
    from memgauge.show.table import Cell

_FENCE = "````"
_PLAIN = re.compile(r"[^`<>&|\n]+")


def markdown(document: Document, *, level: int = 2) -> str:
    """Write a document under a heading of a *level*; figures are left to pages, their numbers stand in tables."""
    return "\n".join(_lines(document, level))


def _lines(document: Document, level: int) -> Iterator[str]:
    if document.title:
        yield f"{'#' * level} {escape(document.title)}\n"
    for text in (document.beside, document.lead, *document.facts):
        if text:
            yield f"{escape(text)}\n"
    yield from _blocks(document.blocks, level + 1)
    if document.notes:
        yield from _notes(document.notes)
        yield ""
    if document.identity:
        yield f"{'; '.join(f'{escape(key)} {_literal(value)}' for key, value in document.identity.items())}\n"


def _blocks(blocks: Iterable[Block], level: int, under: str = "") -> Iterator[str]:
    for block in blocks:
        match block:
            case Table() if block.rows:
                yield from _titled(block, level, under)
            case Prose():
                yield f"{escape(block.text)}\n"
            case Notes():
                yield from _notes(block.notes)
                yield ""
            case Code():
                yield f"{_FENCE}\n{clean(block.text).replace(_FENCE, '')}\n{_FENCE}\n"
            case Steps():
                yield from (f"{n}. {escape(step.text)}" for n, step in enumerate(block.steps, 1))
                yield ""
            case Ways():
                yield from (f"- {escape(way.why)}{_command(way)}" for way in block.ways)
                yield ""
            case Section() if not all(isinstance(inner, Figure) for inner in block.blocks):
                words = (block.title, *(badge.text for badge in block.badges))
                yield f"{'#' * level} {escape(' '.join(words))}\n"
                if block.beside:
                    yield f"{escape(block.beside)}\n"
                yield from _blocks(_unfolded(block), level + 1, block.title)


def _command(way: Way) -> str:
    return f": {_literal(way.command)}" if way.command else ""


def _unfolded(section: Section) -> tuple[Block, ...]:
    """Leave timelines and programs behind a folded title to pages: where people talk, space is short."""
    if section.fold is not Fold.FOLDED:
        return section.blocks
    return tuple(block for block in section.blocks if not isinstance(block, Steps | Code))


def _titled(block: Table, level: int, under: str) -> Iterator[str]:
    if block.title and block.title != under:
        yield f"{'#' * level} {escape(block.title)}\n"
    yield from table(block)
    yield ""
    if block.explained:
        yield "\n\n".join(map(escape, block.explained.splitlines())) + "\n"


def table(shown: Table) -> Iterator[str]:
    """Write a table: what is small print elsewhere stands beside its value."""
    yield _row([escape(column.head) for column in shown.columns])
    yield _row(["---:" if numeric else ":---" for numeric in shown.numeric])
    for row in shown.rows:
        yield _row([_cell(cell) for cell in row])


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    strong = f"**{text}**" if cell.mark in {"best", "value"} and text else text
    badges = "".join(f" *({escape(badge)})*" for badge in cell.badges)
    return "".join((strong, badges, *(f" {escape(detail)}" for detail in (cell.under, cell.beside) if detail)))


def _literal(value: str) -> str:
    """Write a value letter by letter where nothing in it could end that."""
    return f"`{clean(value)}`" if _PLAIN.fullmatch(value) else escape(value)


def _notes(notes: Iterable[Note]) -> Iterator[str]:
    for note in notes:
        sign = "**!** " if note.tone is Tone.WARN else ""
        about = f"{escape(note.about)}: " if note.about else ""
        yield f"- {sign}{about}{escape(note.text)}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
