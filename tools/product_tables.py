"""Write docs/products.md's tables, computed from what lies in results/products and results/board.

    python tools/product_tables.py [RUNS]

RUNS is the folder that the commands of ``results/products/tables.toml`` wrote to: its runs and cards are packed first.
Without it only numbers and page are written again, from what is frozen.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.reproduce.products import PLACE, RESULTS, ProductFigures
from memgauge.results import plain
from memgauge.runs.record.bundle import bundle, unbundled
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.seal import sealed
from memgauge.runs.record.store import find_runs, load
from memgauge.show.exports import data_text
from memgauge.studies.attribution.cards import CARDS
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.reproduce.product_tables import ProductTable

ROOT = Path(__file__).parent.parent
FOLDER, PAGE = ROOT / PLACE, ROOT / "docs" / "products.md"
SIGNED = "lost"
PLAYED = "played"
_PLACE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def pack(runs: Path, folder: Path) -> None:
    """Pack every run below *runs* as the bundle, and every card as the file, that a row names."""
    for path in find_runs((runs,)):
        if sealed(path):
            run = load(path)
            burst = run.manifest.stream.parameters.get("m")
            name = run.manifest.system.name
            target = Path("small") / f"{name}.zip" if burst is None else Path("shift") / f"{name}-m{burst}.zip"
            (folder / target).parent.mkdir(exist_ok=True)
            bundle(path, folder / target, without_text=burst is not None)
    for path in sorted((runs / "attribution").glob("*/attribution.json")):
        (folder / "attribution").mkdir(exist_ok=True)
        write_atomically(
            folder / "attribution" / f"{path.parent.name}.json",
            data_text(plain(CARDS.read(json_file(path), str(path)))),
        )


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
        shown = [_cell(cell, signed=SIGNED in column) for column, cell in zip(table.columns, own, strict=True)]
        said = " ".join(unable[f"{table.key}/{row.key}"])
        lines.append(f"| {' | '.join([row.key, *shown, asked, said or '–'])} |")
    lines += [f"| {each.name} |{' |' * (len(heads) - 2)} not played: {each.why} |" for each in table.absent]
    return "\n".join(lines) + "\n"


def _cell(cell: Sequence[float | None] | None, *, signed: bool) -> str:
    if cell is None or cell[0] is None:
        return "–"
    sign = "+" if signed else ""
    around = "" if cell[1] is None else f" [{cell[1]:{sign}.3f}, {cell[2]:{sign}.3f}]"
    return f"{cell[0]:{sign}.3f}{around}"


def played(figures: ProductFigures) -> str:
    """Write which version of each product was played, with which vectors, and what was changed to play it."""
    return "\n".join(["| product | version | vectors | changed |", "| :--- | :--- | :--- | :--- |", *_played(figures)]) + "\n"


def _played(figures: ProductFigures) -> Iterator[str]:
    files = {row.key: file for table in figures.described.tables for row in table.rows for file in row.files[:1]}
    files |= {row.key: row.files[0] for table in figures.described.tables if table.dataset for row in table.rows}
    for key, file in sorted(files.items()):
        with unbundled(figures.folder.parent / file) as folder:
            system = load(folder).manifest.system
        promises = system.capabilities
        models = ", ".join(promises.get("models") or ()) or "none"
        yield f"| {key} | {system.version} | {models} | {'; '.join(promises.get('interventions') or ())} |"


def page(text: str, figures: ProductFigures) -> str:
    """Put every table of the page in its place."""
    tables = {table.key: markdown(table, figures) for table in figures.described.tables}
    tables[PLAYED] = played(figures)
    return _PLACE.sub(lambda place: f"{place[1]}\n{tables[place[2]]}\n{place[3]}", text)


def main(arguments: Sequence[str]) -> None:
    """Pack what was played, compute the cells, write the page."""
    if arguments:
        pack(Path(arguments[0]), FOLDER)
    figures = ProductFigures(FOLDER)
    computed = figures.compute()
    cells = ",\n".join(f"{json.dumps(name)}: {json.dumps(cell)}" for name, cell in computed["cells"].items())
    unable = json.dumps(computed["unable"], indent=0, ensure_ascii=False)
    write_atomically(FOLDER / RESULTS, f'{{"cells": {{\n{cells}\n}},\n"unable": {unable}}}\n')
    PAGE.write_text(page(PAGE.read_text("utf-8"), figures), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
