"""The tables of products in the studies, computed again from their frozen bundles and cards."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.reproduce.product_rows import StudiedProduct, StudyWorld, studied
from memgauge.reproduce.product_tables import ProductTables
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.files import small
from memgauge.scoring.verify import passed, verify
from memgauge.studies.checkout import published_at
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memgauge.reproduce.product_tables import ProductTable

PLACE: Final = Path("results") / "products"
TABLES: Final = "tables.toml"
RESULTS: Final = "results.json"
BUNDLE: Final = ".zip"
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
        """Read what came out when the page was written: ``cells`` by name, and ``unable`` by row."""
        read: dict[str, Any] = json_of(small(self.folder / RESULTS))
        return read

    def compute(self, *keys: str) -> dict[str, Any]:
        """Compute every cell and every sentence of the tables *keys*, or of all.

        Raises:
            DataNotFoundError: A dataset is not at hand.
            IdentityError: It is another.
            RunError: A bundle is broken or missing.
        """
        cells, unable = dict[str, list[float | None]](), dict[str, list[str]]()
        worlds = {ref: StudyWorld(ref, sha256) for ref, sha256 in self.described.sha256.items()}
        for table in (each for each in self.described.tables if not keys or each.key in keys):
            for row in table.rows:
                computed = studied(table, row, worlds.get(table.dataset), self.folder.parent)
                unable[f"{table.key}/{row.key}"] = list(computed.unable)
                cells |= {row.key_of(table, name): cell for name, cell in _plain(computed).items()}
        return {"cells": cells, "unable": unable}

    def bundles(self, tables: tuple[ProductTable, ...]) -> list[Path]:
        """List the bundles that lie here; those of the board are verified with the board."""
        files = {self.folder.parent / file for table in tables for row in table.rows for file in row.files}
        return sorted(path for path in files if path.is_relative_to(self.folder) and path.suffix == BUNDLE)


def _plain(computed: StudiedProduct) -> dict[str, list[float | None]]:
    rows = {name: (cell.mean, cell.low, cell.high, cell.n) for name, cell in computed.cells.items()}
    return {name: [value if value is None else round(value, 7) for value in row] for name, row in rows.items()}


def measured() -> ProductFigures:
    """Open what was played.

    Raises:
        DataNotFoundError: It is not here.
    """
    return ProductFigures(published_at(PLACE, RESULTS, "The tables of products in the studies"))


def products() -> Mapping[str, float]:
    """Compute the tables again whose questions need no data of others."""
    return _figures(measured(), generated=True)


def products_locomo() -> Mapping[str, float]:
    """Compute the tables again that stand on bundles of the board."""
    return _figures(measured(), generated=False)


def _figures(found: ProductFigures, *, generated: bool) -> Mapping[str, float]:
    tables = tuple(
        table for table in found.described.tables if (table.dataset.partition(":")[0] != "locomo") is generated
    )
    keys = [table.key for table in tables]
    again, written = found.compute(*keys), found.results
    claimed = {name: cell for name, cell in written["cells"].items() if name.partition("/")[0] in keys}
    sentences = {name: said for name, said in written["unable"].items() if name.partition("/")[0] in keys}
    same = sum(_same(cell, again["cells"].get(name)) for name, cell in claimed.items())
    counts = {
        "tables": len(tables),
        "products_least": min(len(table.rows) for table in tables),
        "rows": sum(len(table.rows) for table in tables),
        "cells": len(claimed),
        "cells_recomputed": same,
        "cells_that_differ": len(again["cells"].keys() | claimed.keys()) - same,
        "rows_whose_sentences_differ": sum(
            again["unable"].get(row) != sentences.get(row) for row in again["unable"].keys() | sentences.keys()
        ),
    }
    if generated:
        bundles = found.bundles(tables)
        counts |= {"bundles": len(bundles), "bundles_that_verify": sum(map(_verifies, bundles))}
    means = {name: cell[0] for name, cell in again["cells"].items() if cell[0] is not None}
    return {name: float(count) for name, count in counts.items()} | means


def _verifies(path: Path) -> bool:
    with unbundled(path) as folder:
        return passed(verify(folder))


def _same(cell: list[float | None], again: list[float | None] | None) -> bool:
    return again is not None and all(
        a == b if a is None or b is None else abs(a - b) <= CLOSE for a, b in zip(cell, again, strict=True)
    )
