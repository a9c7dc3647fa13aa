from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.cli import main
from memgauge.datasets.abilities import SEEN, abilities
from memgauge.datasets.catalogue import DATASETS

if TYPE_CHECKING:
    from pathlib import Path


def run(*words: str) -> int:
    """Run the command line and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0)


def test_every_dataset_says_what_it_can_measure() -> None:
    """Each registered benchmark has a row of facts, with words that are known."""
    known = abilities()
    missing = [name for name in DATASETS.names() if name not in known]
    assert not missing
    assert all(row.seen in SEEN and row.defects and row.evidence for row in known.values())


def test_floors_stand_beside_what_can_be_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """One row a dataset as data, whose floors are computed from what is here."""
    assert run("data", "table", "synthetic:tiny", "--format", "json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["dataset"], row["evidence"], row["run_on"]) == ("synthetic:tiny", "turns", "made here")
    assert row["floors"]["questions"] == 32
    assert 0 < row["floors"]["random"] < row["floors"]["grep"] < 1
    assert row["floors"]["longest"] is None


def test_what_lies_nowhere_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without data a dataset has its facts, no figures, and the reason; one that is named must be there."""
    monkeypatch.setenv("MEMGAUGE_DATA", str(tmp_path))
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert run("data", "table", "realtalk") == 2
    assert "No files of realtalk" in capsys.readouterr().err


def test_the_table_fits_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of a row is cut: names, licences and defects are all there, on lines of at most 80 characters."""
    monkeypatch.setenv("COLUMNS", "80")
    assert run("data", "table", "synthetic:tiny", "--plain") == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for part in ("What is scored without a memory", "Licences and known defects", "easier to", "silence"):
        assert part in shown


def test_tasks_are_listed_with_what_they_may_be_used_for(capsys: pytest.CaptureFixture[str]) -> None:
    """All 22 tasks, each with its licence and use."""
    assert run("data", "tasks", "--format", "json") == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert len(rows) == 22
    uses = {row["name"]: row["use"] for row in rows}
    assert (uses["MemBench"], uses["REALTALK"]) == ("any", "ask its makers")


def test_doubts_are_read_and_disputed_ones_count_as_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Every doubt is shown with what follows from it; an unknown kind is named with its place."""
    doubt = {
        "dataset": "longmemeval",
        "question_id": "ab",
        "question": "?",
        "golden_answer": None,
        "category": "x",
        "error_type": "DISPUTED",
        "cited_evidence": None,
        "correct_evidence": None,
        "reasoning": "",
        "correct_answer": None,
        "source": "own comparison",
        "standing": "checked",
    }
    path = tmp_path / "doubts.json"
    path.write_text(json.dumps([doubt]), encoding="utf-8")
    assert run("data", "doubts", str(path), "--format", "json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["question"], row["counts"], row["corrupts_answer"]) == ("ab", False, False)
    path.write_text(json.dumps([doubt | {"error_type": "RUMOUR"}]), encoding="utf-8")
    assert run("data", "doubts", str(path)) == 2
    assert "$[0].error_type: Unknown kind of doubt 'RUMOUR'" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_a_matter_of_spelling(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was to be read does not help its reader by being made."""
    assert run("data", "doubts", str(tmp_path / "doubts.json")) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "Check the spelling, and that its folder is there." in told
