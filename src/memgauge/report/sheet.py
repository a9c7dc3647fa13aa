"""A table as a value, for whoever draws it: a page, a terminal, CSV, JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.show.safety import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

Value = str | float | int | None
_NO_FIGURE = frozenset({"undefined", "n/a"})
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
"""What a spreadsheet may take for the beginning of a formula."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A number as spreadsheets read it too; Python also takes `-inf` and `-1_0` for one."""


@dataclass(frozen=True)
class Cell:
    """One cell: what is read, what is said below it in small print, and the value that is exported."""

    text: str
    under: str = ""
    value: Value = None
    """Exported instead of the text, at full precision."""
    leads: Any = None
    """What a link of this cell leads to, in the terms of whoever draws it."""
    mark: str = ""
    """A kind, by which it may be drawn."""
    drawing: Markup | None = None


@dataclass(frozen=True)
class Sheet:
    """A table with a key that is unique on its page; the first cell of a row names it."""

    key: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    @classmethod
    def of(
        cls, key: str, title: str, heads: Sequence[str], rows: Sequence[Sequence[Cell | Value]], note: str = ""
    ) -> Sheet:
        """Make a sheet of cells or plain values."""
        return cls(key, title, tuple(heads), tuple(tuple(cell(one) for one in row) for row in rows), note)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether each column holds figures, which stand below each other by their last digit."""
        return tuple(
            all(_figure(row[place]) for row in self.rows if place < len(row)) for place in range(len(self.heads))
        )

    @property
    def noted(self) -> tuple[bool, ...]:
        """Whether any cell of each column has small print."""
        return tuple(
            any(row[place].under for row in self.rows if place < len(row)) for place in range(len(self.heads))
        )


def cell(value: Cell | Value) -> Cell:
    """Make a cell of a plain value; nothing is an empty cell."""
    if isinstance(value, Cell):
        return value
    if value is None:
        return Cell("")
    if isinstance(value, str):
        return Cell(value)
    return Cell(f"{value:,}" if isinstance(value, int) else f"{value:.3f}", value=value)


def csv_text(sheet: Sheet) -> str:
    """Write a sheet as CSV; small print becomes a column of its own, and no cell is a formula to a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    heads, rows = _flat(sheet)
    writer.writerow([harmless(head) for head in heads])
    writer.writerows([[harmless(one) for one in row] for row in rows])
    return out.getvalue()


def json_text(sheet: Sheet) -> str:
    """Write a sheet as JSON: title, heads, and rows of values."""
    heads, rows = _flat(sheet)
    data = {"title": sheet.title, "note": sheet.note, "heads": heads, "rows": rows}
    return clean(json.dumps(data, ensure_ascii=False, indent=1)) + "\n"


def harmless(value: Value) -> Value:
    """Return what a spreadsheet shows as it is: a text that looks like a formula gets an apostrophe before it."""
    if not isinstance(value, str):
        return value
    text = clean(value)
    if not text.lstrip(" ").startswith(_FORMULA) or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def _figure(one: Cell) -> bool:
    if one.mark == "text" or isinstance(one.value, str):
        return False
    return one.value is not None or not one.text or one.text[0] in "0123456789+-[<✓" or one.text in _NO_FIGURE


def _flat(sheet: Sheet) -> tuple[list[str], list[list[Value]]]:
    noted = sheet.noted
    heads = [
        name
        for head, has in zip(sheet.heads, noted, strict=True)
        for name in ([head, f"{head} (note)"] if has else [head])
    ]
    return heads, [list(_values(row, noted)) for row in sheet.rows]


def _values(row: Sequence[Cell], noted: Sequence[bool]) -> Iterator[Value]:
    for one, has in zip(row, noted, strict=False):
        yield one.text if one.value is None else one.value
        if has:
            yield one.under
