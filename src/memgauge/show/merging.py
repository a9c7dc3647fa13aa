"""The one table of a document that is for programs, where the same table stands in several of its parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from memgauge.show.document import Document, Section
from memgauge.show.table import Cell, Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBER: Final = re.compile(r"\d+")
OF: Final = "of"
"""The column that says from which part a row is."""


def main_table(document: Document) -> Table | None:
    """Return the table that a document is about; ``None`` where it has none.

    Where its parts have one each, as boards of several datasets have, rows of all stand below each other, behind
    the name of their part; what one part has no column for stays empty.
    """
    first = next(document.tables, None)
    if first is None:
        return None
    alike = [(part, table) for part, table in _by_part(document) if _kind(table) == _kind(first)]
    return first if len(alike) == 1 else _stacked(alike)


def _by_part(document: Document) -> Iterator[tuple[str, Table]]:
    """Yield every table behind the heading of the part that it stands in, or its own."""
    for block in document.blocks:
        inside = Document("", blocks=(block,)).tables
        yield from ((block.title if isinstance(block, Section) else table.title, table) for table in inside)


def _kind(table: Table) -> str:
    """Tell tables apart but for the number of their part."""
    return _NUMBER.sub("", table.key)


def _stacked(parts: list[tuple[str, Table]]) -> Table:
    columns = {column.head: column for _, table in parts for column in table.columns}
    rows = tuple(
        (Cell(part), *(dict(zip(table.heads, row, strict=True)).get(head, Cell("")) for head in columns))
        for part, table in parts
        for row in table.rows
    )
    first = parts[0][1]
    return Table(first.key, first.title, (Column(OF), *columns.values()), rows, first.note)
