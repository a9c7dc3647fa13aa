"""Runs to look at, made once."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memgauge.runs.play.execute import execute
from support.handmade import five_questions, planned
from support.players import AsPlayers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a notebook on five questions; leave the folder as it is."""
    (folder,) = execute(
        planned(five_questions(), "support.systems:Notebook"),
        tmp_path_factory.mktemp("pristine's"),
        executor=AsPlayers(),
        check=False,
    )
    return folder


@pytest.fixture
def sealed_run(pristine: Path, tmp_path: Path) -> Path:
    """Give a copy of a sealed run, to be spoiled at will."""
    return shutil.copytree(pristine, tmp_path / "run")
