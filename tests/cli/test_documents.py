"""Commands that show a table show a document: on the terminal, as data, and as files of any kind."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

from memgauge.reproduce import reproduce

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

COMMANDS = {
    "runs": ("runs", "list", "MADE"),
    "datasets": ("data", "list"),
    "systems": ("systems", "list"),
    "figures": ("reproduce", "models"),
    "difficulty": ("data", "difficulty", "synthetic:tiny"),
    "shortcuts": ("data", "audit", "synthetic:tiny"),
    "answers": ("models", "answer", "MADE", "--stages"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_shown_is_a_file_of_any_kind(
    name: str, memgauge: Callable[..., Said], made: Path, tmp_path: Path
) -> None:
    """The page holds every table, the table is CSV, and the data is what `--json` prints."""
    command = [made if part == "MADE" else part for part in COMMANDS[name]]
    printed = memgauge(*command, "--json").data
    folder = tmp_path / "out"
    shown = memgauge(*command, "--out", folder)
    assert "Written: " in shown.out
    assert json.loads((folder / f"{name}.json").read_text("utf-8")) == printed
    page = (folder / f"{name}.html").read_text("utf-8")
    assert "<table" in page
    assert "<script" not in page
    memgauge(*command, "--out", tmp_path / "table.csv")
    heads, *rows = csv.reader((tmp_path / "table.csv").read_text("utf-8").splitlines())
    assert heads
    assert rows
    assert all(len(row) == len(heads) for row in rows)


def test_recomputed_figures_are_printed_to_the_last_digit(memgauge: Callable[..., Said]) -> None:
    """What scripts read of figures is neither rounded nor sorted."""
    printed = memgauge("reproduce", "models", "--json").data
    expected = json.loads(json.dumps([asdict(row) for row in reproduce(["models"])]))
    assert printed == expected
    assert [list(row) for row in printed] == [list(row) for row in expected]


def test_a_list_of_runs_says_their_state(memgauge: Callable[..., Said], made: Path) -> None:
    """Each run by its folder, and whether it is sealed; the data has the whole manifest."""
    shown = memgauge("runs", "list", made)
    assert shown.out.count("sealed") == 3
    data = memgauge("runs", "list", made, "--json").data
    assert {run["sealed"] for run in data} == {True}
    assert all(run["limits"]["k"] == 60 for run in data)


def test_a_plan_shows_the_work_and_what_models_would_be_asked(memgauge: Callable[..., Said]) -> None:
    """Counts of every cell, then calls, tokens and money, and both in one sentence each."""
    shown = memgauge("runs", "plan", "-d", "synthetic:tiny", "-s", "bm25", "--model", "openai:gpt-4.1-mini").out
    assert "Running calls no model, so it costs nothing" in shown
    assert "Asking models" in shown
    assert "32 calls of models, about 0." in shown
