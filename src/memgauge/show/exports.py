"""Tables for other programs: CSV, JSON and Parquet, values at full precision with the ends of their intervals."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from memgauge.show.safety import OBEYED, clean, harmless
from memgauge.show.table import noted as small_print
from memgauge.text.databases import in_memory, writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.show.table import Cell, Table, Value


def csv_text(table: Table) -> str:
    """Write a table as CSV; small print becomes a column of its own, and no cell is a formula to a spreadsheet."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([harmless(head) for head in flat_heads(table)])
    writer.writerows([[_harmless(value) for value in row] for row in flat_rows(table)])
    return buffer.getvalue()


def json_text(table: Table) -> str:
    """Write a table as JSON: title, heads, and rows of values."""
    data = {
        "title": table.title,
        "note": table.explained,
        "heads": flat_heads(table),
        "rows": list(flat_rows(table)),
    }
    return clean(json.dumps(data, ensure_ascii=False, indent=1)) + "\n"


def data_text(data: Any) -> str:
    """Write data as JSON for programs; what a terminal would obey is escaped, which means the same."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return OBEYED.sub(lambda sign: json.dumps(sign[0])[1:-1], text) + "\n"


def write_parquet(table: Table, path: Path) -> None:
    """Write a table as Parquet, numbers as numbers and everything else as text."""
    write_records(flat_heads(table), list(flat_rows(table)), path)


def write_records(names: Sequence[str], rows: Sequence[Sequence[Value]], path: Path) -> None:
    """Write plain values as Parquet under their names, as :func:`write_parquet` writes those of a table."""
    heads = _distinct(names)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(heads)
    kinds = ["DOUBLE" if _numbers(column) else "VARCHAR" for column in columns]
    with in_memory() as database:
        names = ", ".join(f'"{head.replace(chr(34), "")}" {kind}' for head, kind in zip(heads, kinds, strict=True))
        database.execute(f"CREATE TABLE shown ({names})")
        if rows:
            lists = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)  # a statement a row takes seconds
            typed_columns = [
                [_typed(value, kind) for value in column] for column, kind in zip(columns, kinds, strict=True)
            ]
            database.execute(f"INSERT INTO shown SELECT {lists}", typed_columns)
        with writing(path):
            database.execute("COPY shown TO $1 (FORMAT parquet)", [str(path)])


def flat_heads(table: Table) -> list[str]:
    """Name every exported column: a value, the ends of its interval, its small print."""
    return [
        name
        for head, spread, noted in zip(table.heads, table.spread, table.noted, strict=True)
        for name in (
            head,
            *((f"{head} (low)", f"{head} (high)") if spread else ()),
            *((f"{head} (note)",) if noted else ()),
        )
    ]


def flat_rows(table: Table) -> Iterator[list[Value]]:
    """Yield the rows under :func:`flat_heads`."""
    spread, noted = table.spread, table.noted
    for row in table.rows:
        yield [value for place, cell in enumerate(row) for value in _values(cell, spread[place], noted[place])]


def _values(cell: Cell, spread: bool, noted: bool) -> Iterator[Value]:
    yield cell.text if cell.value is None else cell.value
    if spread:
        yield from (cell.low, cell.high)
    if noted:
        yield small_print(cell)


def _harmless(value: Value) -> Value:
    return harmless(value) if isinstance(value, str) else value


def _numbers(column: Sequence[Value]) -> bool:
    return any(isinstance(value, int | float) for value in column) and not any(
        isinstance(value, str) and value not in {"", "undefined", "n/a"} for value in column
    )


def _typed(value: Value, kind: str) -> Value:
    if kind == "DOUBLE":
        return value if isinstance(value, int | float) else None
    return None if value is None else clean(str(value))


def _distinct(heads: Sequence[str]) -> list[str]:
    return [
        head if head and heads.index(head) == place else f"{head} {place + 1}" for place, head in enumerate(heads)
    ]
