"""What is written for spreadsheets does nothing there, and means the same when it is read again."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.exchange.export import EXPORTERS
from memgauge.exchange.freeze import import_trace
from memgauge.exchange.table import bare, guarded
from memgauge.records import Target
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load

if TYPE_CHECKING:
    from pathlib import Path

FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "|calc", "%x", " =1+1", "'=1", "''", "'tis", "plain")


@given(st.text() | st.sampled_from(FORMULAS))
def test_a_guard_is_put_on_and_taken_off(text: str) -> None:
    """No text begins like a formula, and every text comes back."""
    assert bare(guarded(text)) == text
    assert not guarded(text).lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "|", "%"))


def test_a_trace_with_formulas_goes_to_csv_and_back(tmp_path: Path) -> None:
    """Texts and ids of memories; no cell of the file begins a formula."""
    tiny = open_dataset("synthetic:tiny")
    (folder,) = execute(
        plan(["synthetic:tiny"], ["recency"], conversations=1), tmp_path / "runs", executor=Inline(), check=False
    )
    asked = load(folder).questions["question"].tolist()[0]
    first = tmp_path / "first.jsonl"
    rows = [{"question": asked, "rank": n, "memory": f"={n}", "text": text} for n, text in enumerate(FORMULAS, 1)]
    first.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made, _ = import_trace("jsonl", first, tiny, tmp_path / "in", label="x", partial=True)
    (path,) = EXPORTERS["csv"](load(made), tiny, tmp_path / "out", Target.SOURCE)
    with path.open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.lstrip(" ").startswith(("=", "+", "-", "@", "|", "%"))]
    again, _ = import_trace("csv", path, tiny, tmp_path / "in", label="x", partial=True)
    found = load(again).hits_of([asked], 99)[asked]
    assert [(hit["memory"], hit["text"]) for hit in found] == [(row["memory"], row["text"]) for row in rows]
