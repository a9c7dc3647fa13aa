"""Tables and figures to take away: any table as CSV or JSON, any figure as SVG or PNG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.show.exports import csv_text, json_text
from memgauge.show.figures import alone, png

if TYPE_CHECKING:
    from memgauge.show import Table

TABLES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
DRAWINGS = {"svg": "image/svg+xml", "png": "image/png"}


@dataclass(frozen=True)
class File:
    """Something to take away."""

    name: str
    media: str
    content: bytes


def taken(table: Table, kind: str) -> File:
    """Write a table."""
    text = csv_text(table) if kind == "csv" else json_text(table)
    return File(f"{table.key}.{kind}", TABLES[kind], text.encode("utf-8", "replace"))


def drawing(key: str, svg: str, kind: str) -> File:
    """Write a drawing that stands alone, in the reader's light or dark; as PNG on white."""
    return File(f"{key}.{kind}", DRAWINGS[kind], alone(svg).encode() if kind == "svg" else png(svg))
