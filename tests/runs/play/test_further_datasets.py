"""Benchmarks whose files do not lie here, run whole on records that were invented in their shapes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.cli import main
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from support.further import FILES, written

if TYPE_CHECKING:
    from pathlib import Path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must end well, and return what it prints."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(words)
    out, err = capsys.readouterr()
    assert not ended.value.code, err
    return out


@pytest.mark.parametrize("name", FILES)
def test_what_does_not_lie_here_obeys_the_laws(name: str, tmp_path: Path) -> None:
    """Every invented folder is read, validates, and asks something that has an answer to find."""
    dataset = open_dataset(written(name, tmp_path))
    assert not validate(dataset)
    assert any(gold.evidence for gold in dataset.gold())


@pytest.mark.parametrize("name", [name for name in FILES if name != "perltqa"])
def test_it_is_run_scored_and_explained(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run is made and scored with a finite figure, its failures are told, and a board is drawn."""
    ref, runs = written(name, tmp_path / "data"), tmp_path / "runs"
    made = execute(plan([ref], ["bm25", "none"]), runs, executor=Inline(), check=False)
    folders = list(map(str, made))
    assert len(folders) == 2
    board: Any = json.loads(said(capsys, "score", *folders, "--measure", "Hit@5", "--format", "json"))
    assert '"bm25"' in json.dumps(board)
    assert "bm25" in said(capsys, "failures", *folders)


def test_nothing_is_found_by_turn_where_labels_name_sessions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """PerLTQA's evidence names sessions, so that a measure of turns has nothing to score, and says so."""
    ref = written("perltqa", tmp_path / "data")
    described = json.loads(said(capsys, "data", "describe", ref, "--format", "json"))
    assert (described["with_evidence"], described["scored_repair"]) == (1, 0)
