"""Write docs/real-vectors.md's tables from runs with real vectors.

    python tools/real_vectors.py RUNS

RUNS holds the folders that the commands of ``results/vectors/tables.toml`` name by ``--out``, all or some of them:
a row without runs there keeps what it has. Without RUNS only the page is written again, from what is kept.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.reproduce.columns import packed
from memgauge.reproduce.vectors import RESULTS, VALUES, VectorFigures
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.seal import sealed
from memgauge.runs.record.store import find_runs, load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.quality import quality_columns
from memgauge.studies.quality.study import PUBLISHED_AS
from memgauge.studies.shift.play.online import outcomes
from memgauge.studies.shift.protocol.scene import scenes
from memgauge.studies.shift.protocol.spec import PRESETS
from memgauge.studies.targets.lineup import TARGETS, AuditSpec, line_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.reproduce.vector_tables import VectorRow, VectorTable
    from memgauge.reproduce.vectors import Cell, Values
    from memgauge.runs.record.store import Run

ROOT = Path(__file__).parent.parent
FOLDER, PAGE = ROOT / "results" / "vectors", ROOT / "docs" / "real-vectors.md"
BOARD = ROOT / "results" / "board"
MEASURES = ("Recall@60", "MRR@60", "nDCG@60")
SIGNED = " - "
_PLACE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)


class Collected:
    """The runs in one folder, read once, and what questions were worth *before* they were made."""

    def __init__(self, root: Path, before: Mapping[str, Values]) -> None:
        self._root = root
        self.before = before
        self._runs = cache(self._read)
        self.gold = cache(lambda ref: GoldTable.read(open_dataset(ref)))

    def _read(self, folder: str) -> list[Run]:
        return [load(path) for path in find_runs((self._root / folder,)) if sealed(path)]

    def of(self, row: VectorRow) -> list[Run]:
        """Return the runs of a row, bursts in order; none where none are finished."""
        if not row.runs or not (self._root / row.runs).is_dir():
            return []
        wanted = re.escape(row.system).replace(r"\*", "[^,]*") + (
            rf",store=.*/{re.escape(row.store.replace('+', '-'))}-79fa87e9\.jsonl" if row.store else ""
        )
        runs = [run for run in self._runs(row.runs) if re.fullmatch(wanted, run.manifest.system.ref)]
        return sorted(runs, key=lambda run: int(run.manifest.stream.parameters.get("m", 0)))


def collected(table: VectorTable, runs: Collected) -> Iterator[tuple[str, Values]]:
    """Yield what every question was worth in the cells of a table whose runs are there."""
    by_kind = {"shift": _shift, "targets": _targets, "transfer": _transfer, "quality": _quality}
    if table.kind in by_kind:
        for row, column, values in by_kind[table.kind](table, runs):
            if not np.isnan(values).all():
                yield row.key_of(table, column), values


def _shift(table: VectorTable, runs: Collected) -> Iterator[tuple[VectorRow, str, Values]]:
    dataset, gold = open_dataset(table.dataset), runs.gold(table.dataset)
    spec = replace(PRESETS["paper"], bursts=(0, 100))
    laid = scenes(dataset, spec)
    for row in table.rows:
        played = runs.of(row)
        if len(played) < len(spec.bursts):
            continue
        replayed = outcomes([row.key], [run.folder for run in played], laid, spec, gold)
        pooled = replayed.post_shift & (replayed.order <= spec.horizon)
        places = [gold.number[question] for question in replayed.questions]
        clean, interrupted = replayed.hits[0].astype(np.float64)
        for column, hits, within in zip(
            table.columns, (clean, clean, interrupted), (np.ones_like(pooled), pooled, pooled), strict=True
        ):
            values = np.full(len(gold.questions), np.nan)
            values[places] = np.where(within, hits, np.nan)
            yield row, column, values


def _targets(table: VectorTable, runs: Collected) -> Iterator[tuple[VectorRow, str, Values]]:
    """Yield values on the questions that all rows of a store share; of a table of differences, that all share."""
    differences = any(row.of for row in table.rows)
    stores = dict.fromkeys("" if differences else row.store for row in table.rows if row.runs)
    for store in stores:
        rows = [row for row in table.rows if row.runs and (differences or row.store == store)]
        played = [row for row in rows if runs.of(row)]
        if not played:
            continue
        lineup = line_up([runs.of(row)[0] for row in played], runs.gold(table.dataset), AuditSpec())
        mask = lineup.shared(*TARGETS)
        for name in (row.key_of(table, column) for row in rows if row not in played for column in table.own):
            mask = mask & ~np.isnan(runs.before[name]) if name in runs.before else mask
        for row, audited in zip(played, lineup.runs, strict=True):
            for column, target in zip(table.own, TARGETS, strict=True):
                yield row, column, np.where(mask, audited.rows(target).values, np.nan)


def _transfer(table: VectorTable, runs: Collected) -> Iterator[tuple[VectorRow, str, Values]]:
    for row in table.rows:
        if row.runs == "board":
            with unbundled(BOARD / f"{row.system}.zip") as folder:
                yield from _transferred(table, row, load(folder), runs.gold(table.dataset))
        elif played := runs.of(row):
            yield from _transferred(table, row, played[0], runs.gold(table.dataset))


def _transferred(
    table: VectorTable, row: VectorRow, run: Run, gold: GoldTable
) -> Iterator[tuple[VectorRow, str, Values]]:
    lineup = line_up([run], gold, AuditSpec(answerable=False))
    (audited,) = lineup.runs
    cells = [(target, measure) for target in TARGETS for measure in MEASURES]
    for column, (target, measure) in zip(table.columns, cells, strict=True):
        if audited.serves(target):
            rows = audited.rows(target, measure)
            yield row, column, np.where(rows.defined & lineup.inside, rows.values, np.nan)


def _quality(table: VectorTable, runs: Collected) -> Iterator[tuple[VectorRow, str, Values]]:
    for row in table.rows:
        if played := runs.of(row):
            names = [PUBLISHED_AS[column] for column in table.columns]
            measured = quality_columns(played[0], runs.gold(table.dataset), names)
            for column, score in zip(table.columns, measured, strict=True):
                yield row, column, np.where(score.rows.defined, score.rows.values, np.nan)


def markdown(table: VectorTable, cells: Mapping[str, Cell]) -> str:
    """Write one table of the page."""
    heads = ["", *table.columns, "pairs told apart" if table.kind == "claims" else "n"]
    lines = [f"| {' | '.join(heads)} |", f"| :--- |{' ---: |' * (len(heads) - 1)}"]
    for row in table.rows:
        own = [cells.get(row.key_of(table, column)) for column in table.columns]
        printed = row.published or (None,) * len(own)
        shown = [
            _cell(table, row, column, cell, beside)
            for column, cell, beside in zip(table.columns, own, printed, strict=True)
        ]
        counts = [int(cell[3] or 0) for cell in own if cell]
        asked = " to ".join(f"{n:,}" for n in sorted({min(counts), max(counts)})) if counts else ""
        lines.append(f"| {' | '.join([row.label, *shown, asked])} |")
    return "\n".join(lines) + "\n"


def _cell(table: VectorTable, row: VectorRow, column: str, cell: Cell | None, published: float | None) -> str:
    sign = "+" if row.of or SIGNED in column else ""
    beside = "" if published is None else f"({published:{sign}.3f})"
    if cell is None or cell[0] is None:
        return beside
    if table.kind == "claims":
        return f"{cell[0] * (cell[3] or 0):.0f} of {cell[3]:.0f}"
    brief = cell[1] is None or table.kind == "transfer"
    around = "" if brief else f" [{cell[1]:{sign}.3f}, {cell[2]:{sign}.3f}]"
    return f"{cell[0]:{sign}.3f}{around} {beside}".rstrip()


def page(text: str, figures: VectorFigures) -> str:
    """Put every table of the page in its place."""
    tables = {table.key: markdown(table, figures.results) for table in figures.described.tables}
    return _PLACE.sub(lambda place: f"{place[1]}\n{tables[place[2]]}\n{place[3]}", text)


def main(arguments: Sequence[str]) -> None:
    """Collect what questions were worth, compute the cells, write the page."""
    figures = VectorFigures(FOLDER)
    if arguments:
        before = VectorFigures(FOLDER).values if (FOLDER / VALUES).is_file() else {}
        runs, values = Collected(Path(arguments[0]), before), dict(before)
        for table in figures.described.tables:
            values |= dict(collected(table, runs))
        (FOLDER / VALUES).write_bytes(packed(values))
        cells = {name: [value and round(value, 7) for value in cell] for name, cell in figures.compute().items()}
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(cell)}" for name, cell in cells.items())
        (FOLDER / RESULTS).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text("utf-8"), figures), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
