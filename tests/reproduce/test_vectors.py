"""Tables with real vectors: every cell follows from what questions were worth, and the page shows no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import real_vectors
from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, IdentityError
from memgauge.reproduce import Status, reproduce
from memgauge.reproduce.columns import packed, unpacked
from memgauge.reproduce.vectors import TABLES, VALUES, VectorFigures
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.scoring.gold import GoldTable
from support import real_data

if TYPE_CHECKING:
    from pathlib import Path

DATASET = "synthetic:tiny"
TINY = """
[sha256]
"synthetic:tiny" = "SHA"

[[tables]]
key = "found"
title = "What was found"
kind = "targets"
dataset = "synthetic:tiny"
commands = []
columns = ["Raw", "Source", "Source - Raw", "Raw ≠ Source"]

[[tables.rows]]
key = "low"
label = "low"
published = [0.1, 0.2, 0.1, 0.6]

[[tables.rows]]
key = "high"
label = "high"
published = [0.3, 0.4, 0.1, 0.5]

[[tables.rows]]
key = "apart"
label = "high - low"
of = "high"
less = "low"

[[tables]]
key = "order"
title = "Do columns order rows alike?"
kind = "ranks"
dataset = "synthetic:tiny"
commands = []
ordering = "found"
columns = ["rho", "inversion"]

[[tables.rows]]
key = "printed"
label = "as published"
members = ["low", "high"]
printed = true

[[tables]]
key = "claim"
title = "Is the order as claimed?"
kind = "claims"
dataset = "synthetic:tiny"
commands = []
ordering = "found"
columns = ["Raw", "Source"]

[[tables.rows]]
key = "all"
label = "all"
members = ["low", "high"]
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> VectorFigures:
    """Keep two rows on the tiny world: one finds something where the other finds nothing, but for one question."""
    dataset = open_dataset(DATASET)
    n = len(GoldTable.read(dataset).questions)
    none, half = np.zeros(n), np.full(n, 0.5)
    half[0], none[0] = np.nan, 1.0
    folder = tmp_path_factory.mktemp("vectors")
    (folder / TABLES).write_text(TINY.replace("SHA", dataset.identity.sha256), encoding="utf-8")
    columns = {"low/Raw": none, "low/Source": half, "high/Raw": half, "high/Source": none}
    (folder / VALUES).write_bytes(packed({f"found/{name}": column for name, column in columns.items()}))
    return VectorFigures(folder)


def test_cells_follow_from_what_questions_were_worth(tiny: VectorFigures) -> None:
    """Differences are paired by question, and what is not defined on one side counts on none."""
    cells = tiny.compute()
    n = len(tiny.values["found/low/Raw"])
    assert cells["found/low/Source"][0::3] == [0.5, n - 1]
    assert cells["found/low/Source - Raw"][0::3] == [0.5, n - 1]
    assert cells["found/low/Raw ≠ Source"][0::3] == [1.0, n - 1]
    assert cells["found/apart/Raw"][0::3] == [0.5, n - 1]
    assert cells["found/apart/Source"][0::3] == [-0.5, n - 1]


def test_orders_follow_from_other_tables(tiny: VectorFigures) -> None:
    """Of published rows as of measured ones: of two pairs one column orders one as claimed, the other none."""
    cells = tiny.compute()
    assert cells["order/printed/rho"][0] == -1.0
    assert cells["order/printed/inversion"][0] == 1.0
    assert cells["claim/all/Raw"][0] in {1.0, None}
    assert cells["claim/all/Source"][0] in {0.0, None}


def test_other_data_are_refused(tiny: VectorFigures, tmp_path: Path) -> None:
    """Conversations of another file would be clusters of other questions."""
    (tmp_path / TABLES).write_text(TINY.replace("SHA", "0" * 64), encoding="utf-8")
    (tmp_path / VALUES).write_bytes((tiny.folder / VALUES).read_bytes())
    with pytest.raises(IdentityError, match="synthetic:tiny"):
        VectorFigures(tmp_path).compute()


def test_columns_come_back_as_they_were() -> None:
    """Undefined values too, whatever their lengths; what is too varied is refused."""
    columns = {"a": np.array([0.25, np.nan, 1.0]), "b": np.array([]), "c": np.linspace(-1, 1, 600)}
    for name, column in unpacked(packed(columns)).items():
        np.testing.assert_allclose(column, columns[name], atol=1e-7, equal_nan=True)
    with pytest.raises(ConfigError, match="too many"):
        packed({"a": np.arange(70_000.0)})


def test_the_page_shows_what_is_kept() -> None:
    """Every table stands on it once, as the tool writes it, and all of it is small and holds no text."""
    figures = VectorFigures(real_vectors.FOLDER)
    text = real_vectors.PAGE.read_text("utf-8")
    assert real_vectors.page(text, figures) == text
    assert all(text.count(f"<!-- table: {table.key} -->") == 1 for table in figures.described.tables)
    assert sum(path.stat().st_size for path in real_vectors.FOLDER.iterdir()) < 300_000


QUALITY = """
[sha256]
"synthetic:tiny" = "SHA"

[[tables]]
key = "ladder"
title = "Rungs"
kind = "quality"
dataset = "synthetic:tiny"
commands = []
columns = ["Recall@10"]

[[tables.rows]]
key = "kept"
label = "kept"
runs = "kept"
system = "recency"

[[tables.rows]]
key = "new"
label = "new"
runs = "new"
system = "bm25"
"""


def test_a_row_without_runs_keeps_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One row is played again, and the other needs not be."""
    dataset = open_dataset(DATASET)
    old = np.full(len(GoldTable.read(dataset).questions), 0.25)
    (tmp_path / TABLES).write_text(QUALITY.replace("SHA", dataset.identity.sha256), encoding="utf-8")
    (tmp_path / VALUES).write_bytes(packed({"ladder/kept/Recall@10": old, "ladder/new/Recall@10": old}))
    page = tmp_path / "page.md"
    page.write_text("<!-- table: ladder -->\n<!-- end -->\n", encoding="utf-8")
    execute(plan([DATASET], ["bm25"]), tmp_path / "runs" / "new")
    monkeypatch.setattr(real_vectors, "FOLDER", tmp_path)
    monkeypatch.setattr(real_vectors, "PAGE", page)
    real_vectors.main([str(tmp_path / "runs")])
    values = VectorFigures(tmp_path).values
    np.testing.assert_array_equal(values["ladder/kept/Recall@10"], old)
    assert set(np.unique(values["ladder/new/Recall@10"])) > {0.0, 1.0}
    assert "| kept | 0.250" in page.read_text("utf-8")


def test_without_weights_nothing_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is named, with the command that brings it."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path))
    rows = reproduce(["vectors-local"])
    assert {row.status for row in rows} == {Status.SKIP}
    assert all("memgauge models install minilm" in row.reason for row in rows)


@pytest.mark.slow
@pytest.mark.data
def test_every_cell_of_the_page_comes_out_again() -> None:
    """From the values and the datasets at hand alone."""
    real_data("locomo")
    rows = reproduce(["vectors"])
    assert {row.status for row in rows} <= {Status.OK, Status.DIFFERS}
