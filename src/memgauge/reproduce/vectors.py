"""Tables with real vectors beside published ones, computed again from what each question was worth."""

from __future__ import annotations

import tempfile
import tomllib
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import IdentityError
from memgauge.reproduce.columns import unpacked
from memgauge.reproduce.vector_tables import LESS, UNLIKE, VectorTables
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.files import small
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.stats import Clusters, estimates, holm, inversion, spearman
from memgauge.studies.checkout import published_at
from memgauge.studies.targets.lineup import TARGETS, AuditSpec, line_up
from memgauge.studies.targets.stores import write_store
from memgauge.systems.models.catalogue import local_model, settings_of
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from memgauge.reproduce.vector_tables import VectorRow, VectorTable
    from memgauge.stats import Estimate

    Values = NDArray[np.float64]
    Cell = list[float | None]
    """Mean, ends of its interval over conversations, and n."""

PLACE: Final = Path("results") / "vectors"
TABLES: Final = "tables.toml"
VALUES: Final = "values.bin"
RESULTS: Final = "results.json"
SURE: Final = 0.05
CLOSE: Final = 1e-6
"""How far apart two computations of one value may lie: values of questions are kept in single precision."""


@dataclass(frozen=True, eq=False)
class VectorFigures:
    """What lies in the checkout: tables as described, and what each question was worth."""

    folder: Path

    @cached_property
    def described(self) -> VectorTables:
        """Read the tables."""
        return VectorTables.model_validate(tomllib.loads((self.folder / TABLES).read_text("utf-8")))

    @cached_property
    def values(self) -> Mapping[str, Values]:
        """Read what questions were worth; what is not defined is not a number."""
        return unpacked((self.folder / VALUES).read_bytes())

    @cached_property
    def results(self) -> dict[str, Cell]:
        """Read what came out when the page was written, cell by cell."""
        results: dict[str, Cell] = json_of(small(self.folder / RESULTS))
        return results

    def compute(self) -> dict[str, Cell]:
        """Compute every cell.

        Raises:
            DataNotFoundError: A dataset is not at hand.
            IdentityError: It is another.
        """
        cells: dict[str, Cell] = {}
        golds = {ref: _gold(ref, sha256) for ref, sha256 in self.described.sha256.items()}
        for table in self.described.tables:
            ordered_table = next(
                (candidate for candidate in self.described.tables if candidate.key == table.ordering), table
            )
            labels = [question.conversation for question in golds[ordered_table.dataset].questions]
            clusters = Clusters.of(np.array(labels))
            if table.kind == "ranks":
                cells |= _ranked(table, ordered_table, cells)
            elif table.kind == "claims":
                cells |= self._claimed(table, ordered_table, clusters)
            else:
                cells |= self._cells(table, clusters)
        return cells

    def _cells(self, table: VectorTable, clusters: Clusters) -> Iterator[tuple[str, Cell]]:
        for row in table.rows:
            for column in table.columns:
                values = self._column(table, row, column)
                if values is not None:
                    around = _estimate(values, clusters).interval
                    yield row.key_of(table, column), [around.mean, around.low, around.high, around.n]

    def _column(self, table: VectorTable, row: VectorRow, column: str) -> Values | None:
        """Return what each question is worth in one cell; nothing where nothing was measured."""
        if row.of:
            first, second = (self._column(table, table.row(key), column) for key in (row.of, row.less))
            return None if first is None or second is None else first - second
        if LESS in column or UNLIKE in column:
            sign = LESS if LESS in column else UNLIKE
            first, second = (self._column(table, row, part) for part in column.split(sign))
            if first is None or second is None:
                return None
            return first - second if sign is LESS else np.where(np.isnan(first - second), np.nan, first != second)
        return self.values.get(row.key_of(table, column))

    def _claimed(
        self, table: VectorTable, ordered_table: VectorTable, clusters: Clusters
    ) -> Iterator[tuple[str, Cell]]:
        """Compare rows of *other* two by two, each column in the order in which it was published."""
        for row in table.rows:
            for column in table.columns:
                place = ordered_table.columns.index(column)
                claimed_rows = sorted(
                    map(ordered_table.row, row.members), key=lambda claimed_row: claimed_row.published[place]
                )
                columns = [self._column(ordered_table, claimed_row, column) for claimed_row in claimed_rows]
                measured = [values for values in columns if values is not None]
                pairs = [_estimate(higher - lower, clusters) for lower, higher in combinations(measured, 2)]
                adjusted = holm([1.0 if pair.p is None else pair.p for pair in pairs])
                clear_means = [
                    pair.interval.mean or 0.0 for pair, p in zip(pairs, adjusted, strict=True) if p < SURE
                ]
                n_right = sum(mean > 0 for mean in clear_means)
                yield (
                    row.key_of(table, column),
                    [n_right / len(clear_means) if clear_means else None, None, None, len(clear_means)],
                )


def _estimate(values: Values, clusters: Clusters) -> Estimate:
    is_defined = ~np.isnan(values)
    (estimate,) = estimates(np.nan_to_num(values)[:, None], clusters, is_defined[:, None], shares=True)
    return estimate


def _ranked(
    table: VectorTable, ordered_table: VectorTable, cells: Mapping[str, Cell]
) -> Iterator[tuple[str, Cell]]:
    """Say how far the first and the last column of *other* order rows alike."""
    for row in table.rows:
        members = list(map(ordered_table.row, row.members))
        ends = list[list[float]]()
        for place in (0, len(ordered_table.columns) - 1):
            printed_means = [member.published[place] for member in members] if row.printed else []
            keys = (
                []
                if row.printed
                else [member.key_of(ordered_table, ordered_table.columns[place]) for member in members]
            )
            ends.append([*printed_means, *(mean for mean in (cells[key][0] for key in keys) if mean is not None)])
        for column, agreement in zip(table.columns, (spearman(*ends), inversion(*ends)), strict=True):
            yield row.key_of(table, column), [agreement.value, None, None, len(members)]


def _gold(ref: str, sha256: str) -> GoldTable:
    dataset = open_dataset(ref)
    if dataset.identity.sha256 != sha256:
        raise IdentityError(
            f"{ref} here is not what the tables with real vectors were measured on.", "Use the published file."
        )
    return GoldTable.read(dataset)


def measured() -> VectorFigures:
    """Open what was measured.

    Raises:
        DataNotFoundError: It is not here.
    """
    return VectorFigures(published_at(PLACE, RESULTS, "The tables with real vectors"))


def vectors() -> Mapping[str, float]:
    """Compute every cell of the page again, and count those that come out as they stand there."""
    tables = measured()
    recomputed, published = tables.compute(), tables.results
    n_same = sum(_same(cell, recomputed.get(name)) for name, cell in published.items())
    counts = {
        "tables": len(tables.described.tables),
        "rows": sum(len(table.rows) for table in tables.described.tables),
        "cells": len(published),
        "cells_recomputed": n_same,
        "cells_that_differ": len(recomputed.keys() | published.keys()) - n_same,
    }
    means = {name: cell[0] for name, cell in recomputed.items() if cell[0] is not None}
    return {name: float(count) for name, count in counts.items()} | means


def _same(cell: Cell, recomputed: Cell | None) -> bool:
    return recomputed is not None and all(
        a == b if a is None or b is None else abs(a - b) <= CLOSE for a, b in zip(cell, recomputed, strict=True)
    )


def vectors_local() -> Mapping[str, float]:
    """Play the first conversation again with the weights at hand, and hold every question against what is kept.

    Raises:
        MissingExtraError: A model is not installed.
        DataNotFoundError: Data, or what was measured, is not here.
    """
    for name in ("minilm", "e5"):
        settings_of(local_model(name))
    tables, figures = measured(), dict[str, float]()
    for table in tables.described.tables:
        for row in (candidate for candidate in table.rows if candidate.replayed):
            n_values, n_same = _replayed(tables, table, row)
            figures |= {
                f"{row.key}_values": float(n_values),
                f"{row.key}_values_that_differ": float(n_values - n_same),
            }
    return figures


def _replayed(figures: VectorFigures, table: VectorTable, row: VectorRow) -> tuple[int, int]:
    """Count the values of one conversation, and those that come out again."""
    dataset = open_dataset(table.dataset)
    with tempfile.TemporaryDirectory() as scratch:
        store = write_store(dataset, row.store, Path(scratch) / "stores")
        (folder,) = execute(plan([table.dataset], [f"{row.system},store={store}"], conversations=1), Path(scratch))
        lineup = line_up([load(folder)], GoldTable.read(dataset), AuditSpec())
        n_values = n_same = 0
        for column, target in zip(table.own, TARGETS, strict=True):
            rows = lineup.runs[0].rows(target)
            values = figures.values[row.key_of(table, column)]
            both_defined = lineup.inside & rows.defined & ~np.isnan(values)
            n_values += int(both_defined.sum())
            n_same += int((np.abs(rows.values[both_defined] - values[both_defined]) <= CLOSE).sum())
    return n_values, n_same
