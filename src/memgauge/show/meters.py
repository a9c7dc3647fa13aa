"""Bars of block characters beside the figures of a table, as long as a terminal has room for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memgauge.show.numbers import Kind
from memgauge.show.table import Cell, Column

if TYPE_CHECKING:
    from memgauge.show.table import Table

_EIGHTHS: Final = "▏▎▍▌▋▊▉█"
LEAST: Final = 8
"""Letters of the shortest bar that shows something."""
_MOST: Final = 24
INTERVAL: Final = Column("95 %", Kind.NUMBER)
"""The column of the intervals of the figures before it."""


def with_meters(table: Table, room: int = LEAST) -> Table:
    """Draw the figures by which a table ranks in a column of its own, behind them and their intervals.

    Nothing is drawn where no column ranks. The scale ends at 1, or at the largest figure.
    """
    ranking = next(
        (place for place in range(len(table.columns)) if any(row[place].mark == "value" for row in table.rows)),
        None,
    )
    if ranking is None:
        return table
    values = [value if isinstance(value := row[ranking].value, int | float) else 0.0 for row in table.rows]
    largest = max(1.0, *values)
    at = ranking + 1 + (table.columns[ranking + 1 : ranking + 2] == (INTERVAL,))
    meter_cells = (Cell(meter(value, largest, min(room, _MOST))) for value in values)
    return replace(
        table,
        columns=(*table.columns[:at], Column("", Kind.TEXT, yields=1), *table.columns[at:]),
        rows=tuple((*row[:at], cell, *row[at:]) for row, cell in zip(table.rows, meter_cells, strict=True)),
        names=table.names + (table.names >= at),
    )


def meter(value: float, top: float, room: int) -> str:
    """Draw a figure as a bar that is *room* letters long at *top*; nothing has none.

    >>> meter(0.5, 1.0, 8)
    '████'
    """
    full_blocks, eighths = divmod(round(max(value, 0.0) / top * room * 8), 8)
    return "█" * full_blocks + (_EIGHTHS[eighths - 1] if eighths else "")
