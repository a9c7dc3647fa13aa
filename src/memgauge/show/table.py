"""A table as a value: typed columns, and cells that know what is read, what is exported and where they lead."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memgauge.show.numbers import ABSENT, UNDEFINED, Kind, between, written
from memgauge.stats.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

Value = str | float | int | None


@dataclass(frozen=True)
class Cell:
    """One cell: what is read, what is said below it in small print, and the value that is exported."""

    text: str
    under: str = ""
    value: Value = None
    """Exported instead of the text, at full precision."""
    low: float | None = None
    high: float | None = None
    """The ends of the value's interval."""
    beside: str = ""
    """What somebody else says of the same, such as a published figure."""
    leads: Any = None
    """What a link of this cell leads to, in the terms of the frame that it is shown in."""
    mark: str = ""
    """A kind, by which it may be drawn: ``best``, ``value``, ``warn``, ``text``."""
    badges: tuple[str, ...] = ()
    """Short words beside the text, such as a role."""
    drawing: Markup | None = None


@dataclass(frozen=True)
class Column:
    """One column: its head, what its values are, and how readily it gives way where room is short."""

    head: str
    kind: Kind | None = None
    """``None``: what the cells look like decides."""
    under: str = ""
    """Small print below the head."""
    means: str = ""
    """What the head abbreviates."""
    legend: str = ""
    """A sentence of the table's note that is about this column, and stands there where the column does."""
    yields: int = 0
    """Columns of higher numbers are left out first on a narrow terminal; 0 never."""
    brief: bool = True
    """Whether a terminal shows it unasked."""
    aside: bool = False
    """Whether a page shows it only behind a title, with all other columns."""

    @classmethod
    def each(cls, kind: Kind, *heads: str) -> tuple[Column, ...]:
        """Make a column under each head, all of one kind."""
        return tuple(cls(head, kind) for head in heads)


@dataclass(frozen=True)
class Table:
    """A table with a key that is unique in its document; one cell of a row names it, most often the first."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    """What it counts, by which contract."""
    short: str = ""
    """The note as a terminal says it unasked, where the whole is a wall of words."""
    brief: bool = True
    """Whether a terminal shows it unasked."""
    ruled: bool = False
    """Whether a terminal rules it: the one table that a reader came for. Its first intervals then stand in a
    column of their own there, and other small print is left to pages."""
    quiet: frozenset[int] = field(default_factory=frozenset)
    """Rows that stand back, such as floors and ceilings."""
    leading: frozenset[int] = field(default_factory=frozenset)
    """Rows of what may be the best."""
    stacks: bool = False
    """Whether a terminal without room puts small print below its value before it leaves out a column."""
    names: int = 0
    """The column whose cells name the rows."""
    first: frozenset[int] | None = None
    """Rows that a page shows before all of them are asked for; ``None`` for all."""

    @classmethod
    def of(
        cls,
        key: str,
        title: str,
        columns: Sequence[Column | str],
        rows: Sequence[Sequence[Cell | Interval | Value]],
        note: str = "",
        *,
        brief: bool = True,
        stacks: bool = False,
    ) -> Table:
        """Make a table of cells or plain values, which are written as their column says."""
        heads = tuple(each if isinstance(each, Column) else Column(each) for each in columns)
        cells = tuple(
            tuple(cell(value, column.kind) for value, column in zip(row, heads, strict=True)) for row in rows
        )
        return cls(key, title, heads, cells, note, brief=brief, stacks=stacks)

    @property
    def heads(self) -> tuple[str, ...]:
        """Return what the columns are called."""
        return tuple(column.head for column in self.columns)

    @property
    def explained(self) -> str:
        """Return the note, with what is to be said of the columns that are here."""
        return self.explaining(self.note)

    def explaining(self, note: str) -> str:
        """Return *note* with what is to be said of the columns that are here."""
        return " ".join(filter(None, (note, *(column.legend for column in self.columns))))

    @cached_property
    def numeric(self) -> tuple[bool, ...]:
        """Whether each column holds figures, which stand below each other by their last digit."""
        return tuple(self._numeric(place, column) for place, column in enumerate(self.columns))

    @cached_property
    def noted(self) -> tuple[bool, ...]:
        """Whether any cell of each column has small print that is no interval."""
        return tuple(any(noted(row[place]) for row in self.rows) for place in range(len(self.columns)))

    @cached_property
    def spread(self) -> tuple[bool, ...]:
        """Whether any cell of each column has an interval."""
        return tuple(any(row[place].low is not None for row in self.rows) for place in range(len(self.columns)))

    @property
    def abridged(self) -> Table | None:
        """Return the rows and columns that a page shows first; ``None`` where that is all of it."""
        aside = frozenset(place for place, column in enumerate(self.columns) if column.aside)
        places = [place for place in range(len(self.rows)) if self.first is None or place in self.first]
        if not aside and len(places) == len(self.rows):
            return None
        quiet = frozenset(new for new, old in enumerate(places) if old in self.quiet)
        rows = tuple(self.rows[place] for place in places)
        return replace(self, rows=rows, quiet=quiet, first=None).without(aside)

    def without(self, places: frozenset[int]) -> Table:
        """Leave out columns."""
        places_left = [place for place in range(len(self.columns)) if place not in places]
        return replace(
            self,
            columns=tuple(self.columns[place] for place in places_left),
            rows=tuple(tuple(row[place] for place in places_left) for row in self.rows),
            names=places_left.index(self.names) if self.names in places_left else 0,
        )

    def _numeric(self, place: int, column: Column) -> bool:
        if column.kind is not None:
            return column.kind not in {Kind.TEXT, Kind.PROSE}
        return place > 0 and all(_figure(row[place]) for row in self.rows)


def cell(value: Cell | Interval | Value, kind: Kind | None = None) -> Cell:
    """Make a cell of a value, written as *kind* says; nothing is an empty cell but where a figure is expected."""
    match value:
        case Cell():
            drawn_cell = value
        case Interval():
            drawn_cell = _estimate(value, kind or Kind.NUMBER)
        case bool():
            drawn_cell = Cell("yes" if value else "no")
        case str():
            drawn_cell = Cell(value)
        case None if kind in {None, Kind.TEXT, Kind.PROSE}:
            drawn_cell = Cell("")
        case _:
            drawn_cell = Cell(written(value, kind or Kind.NUMBER), value=value)
    return drawn_cell


def noted(cell: Cell) -> str:
    """Return the small print of a cell that is no interval."""
    return " ".join(filter(None, ("" if cell.low is not None else cell.under, cell.beside)))


def _estimate(value: Interval, kind: Kind) -> Cell:
    under = between(value.low, value.high, kind) or (value.reason if value.mean is None else "")
    return Cell(written(value.mean, kind), under, value.mean, value.low, value.high)


def _figure(cell: Cell) -> bool:
    if cell.mark == "text" or isinstance(cell.value, str):
        return False
    return (
        cell.value is not None
        or not cell.text
        or cell.text[0] in "0123456789+-[<✓"
        or cell.text in {UNDEFINED, ABSENT}
    )
