"""`memgauge models choose`."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from support.personas import options_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two runs on invented personas."""
    folder = tmp_path_factory.mktemp("two")
    ref = f"personamem:{options_file(folder)}"
    command = ["run", "-d", ref, "-s", "bm25", "-s", "none", "--executor", "inline", "--out", str(folder / "out")]
    assert invoke([*command, "--json"]) == 0
    return folder / "out"


@pytest.fixture
def out(runs: Path, tmp_path: Path) -> Path:
    """Give a copy of both, to be chosen from."""
    return shutil.copytree(runs, tmp_path / "out")


def test_choices_stand_beside_what_options_give_away(memgauge: Callable[..., Said], out: Path) -> None:
    """Scores, endings, every floor and the categories; how options were shown comes first."""
    said = memgauge("models", "choose", out, "--orders", "4", "--seed", "7")
    assert said.code == 0
    assert "Every question was shown in 4 orders of its options, drawn by seed 7." in said.out
    for floor in ("chance", "longest option", "first option as written", "most frequent letter as shown"):
        assert floor in said.out
    assert "the options alone, read by overlap" in said.out
    assert "no choice" in said.out


def test_choices_are_data_too(memgauge: Callable[..., Said], out: Path) -> None:
    """The same reader is asked without a memory; every showing has an ending."""
    data = memgauge("models", "choose", out, "--json").data
    chosen = {entry["system"]: entry for entry in data["choices"]}
    alone = {entry["system"]: entry for entry in data["alone"]}
    assert chosen["bm25"]["endings"]["right"] == 6
    assert chosen["none"]["endings"] == alone["none"]["endings"]
    for entry in (*chosen.values(), *alone.values()):
        assert sum(entry["endings"].values()) == 12
        assert {floor["name"]: floor["accuracy"] for floor in entry["floors"]}["chance"] == 0.25


def test_a_model_is_planned_for_both_contexts(memgauge: Callable[..., Said], out: Path) -> None:
    """Nothing is asked; every showing of both runs counts, with a memory and without."""
    said = memgauge("models", "choose", out, "--model", "openai:gpt-4.1-mini", "--plan", "--json")
    assert said.code == 0
    assert said.data["calls"] == 2 * 2 * 12
    assert memgauge("models", "choose", out, "--plan", "--json").data["calls"] == 0


def test_a_run_without_options_is_told_what_to_do(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Its answers are for another command."""
    folder = tmp_path / "out"
    assert memgauge("run", "-d", "synthetic:tiny", "-s", "bm25", "--executor", "inline", "--out", folder).code == 0
    said = memgauge("models", "choose", folder)
    assert said.code == 2
    assert "no options to choose from" in said.err
    assert "models answer" in said.err
