"""The tables of products in the studies, computed again from their frozen bundles."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.reproduce.product_cards import attributed
from memgauge.reproduce.product_rows import StudyWorld, studied
from memgauge.reproduce.product_tables import ProductTables
from memgauge.runs.record.files import small
from memgauge.studies.checkout import published_at
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memgauge.stats import Interval

PLACE: Final = Path("results") / "products"
TABLES: Final = "tables.toml"
RESULTS: Final = "results.json"
CLOSE: Final = 1e-6
"""How far apart two computations of one number may lie: seven digits are kept."""


@dataclass(frozen=True)
class ProductFigures:
    """What lies in the checkout: tables as described, what they are computed from, and what came out."""

    folder: Path

    @cached_property
    def described(self) -> ProductTables:
        """Read the tables."""
        return ProductTables.model_validate(tomllib.loads((self.folder / TABLES).read_text("utf-8")))

    @cached_property
    def results(self) -> dict[str, Any]:
        """Read what came out: ``cells`` by name, ``unable`` by row, ``played`` by product."""
        results: dict[str, Any] = json_of(small(self.folder / RESULTS))
        return results

    def compute(self) -> dict[str, Any]:
        """Compute every cell and every sentence.

        Raises:
            DataNotFoundError: A dataset is not at hand.
            IdentityError: It is another.
            RunError: A bundle is broken or missing.
        """
        cells, unable = dict[str, list[float | None]](), dict[str, list[str]]()
        played_by_row = dict[str, list[str]]()
        worlds = {ref: StudyWorld(ref, sha256) for ref, sha256 in self.described.sha256.items()}
        for table in self.described.tables:
            for row in table.rows:
                if table.key == "attribution":
                    rates, sentences = attributed(self.folder.parent / row.file)
                else:
                    product = studied(table, row, worlds[table.dataset], self.folder.parent)
                    rates, sentences = product.cells, product.unable
                    played_by_row[row.key] = list(product.played)
                unable[f"{table.key}/{row.key}"] = list(sentences)
                cells |= {row.key_of(table, name): cell for name, cell in _plain(rates).items()}
        return {"cells": cells, "unable": unable, "played": played_by_row}


def _plain(cells: Mapping[str, Interval]) -> dict[str, list[float | None]]:
    rows = {name: (cell.mean, cell.low, cell.high, cell.n) for name, cell in cells.items()}
    return {name: [value if value is None else round(value, 7) for value in row] for name, row in rows.items()}


def measured() -> ProductFigures:
    """Open what was played.

    Raises:
        DataNotFoundError: It is not here.
    """
    return ProductFigures(published_at(PLACE, RESULTS, "The tables of products in the studies"))


def products() -> Mapping[str, float]:
    """Compute every table again, and count what comes out as it stands on the page."""
    return figures(measured())


def figures(product_figures: ProductFigures) -> Mapping[str, float]:
    """Count the cells and the sentences of *product_figures*, and those that come out again."""
    recomputed, published = product_figures.compute(), product_figures.results
    cells, unable = published["cells"], published["unable"]
    n_same = sum(_same(cell, recomputed["cells"].get(name)) for name, cell in cells.items())
    tables = product_figures.described.tables
    counts = {
        "tables": len(tables),
        "products_least": min(len(table.rows) for table in tables),
        "rows": sum(len(table.rows) for table in tables),
        "cells": len(cells),
        "cells_recomputed": n_same,
        "cells_that_differ": len(recomputed["cells"].keys() | cells.keys()) - n_same,
        "rows_whose_sentences_differ": sum(
            recomputed["unable"].get(row) != unable.get(row) for row in recomputed["unable"].keys() | unable.keys()
        ),
    }
    means = {name: cell[0] for name, cell in recomputed["cells"].items() if cell[0] is not None}
    return {name: float(count) for name, count in counts.items()} | means


def _same(cell: list[float | None], recomputed: list[float | None] | None) -> bool:
    return recomputed is not None and all(
        a == b if a is None or b is None else abs(a - b) <= CLOSE for a, b in zip(cell, recomputed, strict=True)
    )
