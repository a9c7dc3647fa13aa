"""Runs to score, made once."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from support.handmade import five_questions, many_questions, planned, two_questions
from support.players import AsPlayers

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Run several systems on the handmade datasets; keys are dataset and system."""
    out = tmp_path_factory.mktemp("runs")
    made: dict[str, Run] = {}
    datasets = {"two": two_questions(), "five": five_questions(), "many": many_questions()}
    for name, dataset in datasets.items():
        refs = ("Notebook", "Backwards", "Failing", "Nothing", "Digest", "Minutes")
        work = planned(dataset, *(f"support.systems:{ref}" for ref in refs), "oracle", "random")
        made |= {
            f"{name} {load(folder).label}": load(folder)
            for folder in execute(work, out / name, check=False, executor=AsPlayers())
        }
    return made


@pytest.fixture(scope="session")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Run three systems on a dataset of the catalogue."""
    return execute(
        plan(["synthetic:tiny"], ["bm25", "none", "oracle"]),
        tmp_path_factory.mktemp("synthetic"),
        executor=AsPlayers(),
    )


@pytest.fixture
def spoilable(synthetic: list[Path], tmp_path: Path) -> Path:
    """Give a copy of one of them, to be spoiled at will."""
    return shutil.copytree(synthetic[0], tmp_path / "run")
