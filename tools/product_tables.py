"""Write docs/products.md's tables, computed from what lies in results/products and results/board.

    python tools/product_tables.py

Nothing is played: numbers and page follow from what is frozen.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.reproduce.products import PLACE, RESULTS, ProductFigures
from memgauge.runs.record.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.reproduce.product_tables import ProductTable

ROOT = Path(__file__).parent.parent
FOLDER, PAGE = ROOT / PLACE, ROOT / "docs" / "products.md"
NOTHING = "-"
PLAYED = "played"
_PLACE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def markdown(table: ProductTable, figures: ProductFigures) -> str:
    """Write one table of the page, those who find most first by its first column."""
    cells, unable = figures.results["cells"], figures.results["unable"]
    heads = ["", *table.columns, "n", "could not"]
    lines = [f"| {' | '.join(heads)} |", f"| :--- |{' ---: |' * (len(heads) - 2)} :--- |"]
    first = {row.key: (cells.get(row.key_of(table, table.columns[0])) or [0.0])[0] or 0.0 for row in table.rows}
    for row in sorted(table.rows, key=lambda each: -first[each.key]):
        own = [cells.get(row.key_of(table, column)) for column in table.columns]
        counts = [cell[3] for cell in own if cell and cell[3]]
        asked = " to ".join(f"{n:,}" for n in sorted({min(counts), max(counts)})) if counts else ""
        shown = [_cell(cell) for cell in own]
        cannot = " ".join(unable[f"{table.key}/{row.key}"])
        lines.append(f"| {' | '.join([row.key, *shown, asked, cannot or NOTHING])} |")
    return "\n".join(lines) + "\n"


def _cell(cell: Sequence[float | None] | None) -> str:
    if cell is None or cell[0] is None:
        return NOTHING
    around = "" if cell[1] is None else f" [{cell[1]:.3f}, {cell[2]:.3f}]"
    return f"{cell[0]:.3f}{around}"


def played(figures: ProductFigures) -> str:
    """Write which version of each product was played, with which vectors, and what was changed to play it."""
    lines = ["| product | version | vectors | changed |", "| :--- | :--- | :--- | :--- |"]
    lines += [f"| {' | '.join([key, *facts])} |" for key, facts in sorted(figures.results["played"].items())]
    return "\n".join(lines) + "\n"


def page(text: str, figures: ProductFigures) -> str:
    """Put every table of the page in its place."""
    tables = {PLAYED: played(figures)} | {
        str(each.key): markdown(each, figures) for each in figures.described.tables
    }
    return _PLACE.sub(lambda place: f"{place[1]}\n{tables[place[2]]}\n{place[3]}", text)


def main() -> None:
    """Compute the cells, write the page."""
    figures = ProductFigures(FOLDER)
    computed = figures.compute()
    cells = ",\n".join(f"{json.dumps(name)}: {json.dumps(cell)}" for name, cell in computed.pop("cells").items())
    words = ",\n".join(f'"{name}": {json.dumps(column, indent=0)}' for name, column in computed.items())
    write_atomically(FOLDER / RESULTS, f'{{"cells": {{\n{cells}\n}},\n{words}}}\n')
    PAGE.write_text(page(PAGE.read_text("utf-8"), figures), encoding="utf-8")


if __name__ == "__main__":
    main()
