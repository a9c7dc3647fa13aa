"""One small set of runs for all tests of the command line."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with runs of three systems on the tiny world."""
    folder = tmp_path_factory.mktemp("made")
    systems = ("-s", "bm25", "-s", "random", "-s", "oracle")
    assert invoke(["run", "-d", "synthetic:tiny", *systems, "--out", str(folder), "--json"]) == 0
    return folder


@pytest.fixture
def out(made: Path, tmp_path: Path) -> Path:
    """Return a folder with a copy of the run of BM25 on the tiny world, as it was sealed, to add to it."""
    (run,) = made.glob("*-bm25-*")
    shutil.copytree(run, tmp_path / "out" / run.name, ignore=shutil.ignore_patterns("scores", "layers"))
    return tmp_path / "out"
