"""A world with versions, and runs of memories on it, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.voiced import Truth

if TYPE_CHECKING:
    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run

WORLD = "synthetic:tiny,level=lex"


@pytest.fixture(scope="session")
def world() -> Dataset:
    """Open a small world in which facts change."""
    return open_dataset(WORLD)


@pytest.fixture(scope="session")
def truth(world: Dataset) -> Truth:
    """Read what holds in it."""
    return Truth.of(world)


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Run three memories on it."""
    systems = ["bm25", "recency", "pipeline:embedder=none"]
    folders = execute(plan([WORLD], systems), tmp_path_factory.mktemp("context"), executor=Inline(), check=False)
    return {run.label.partition(":")[0]: run for run in map(load, folders)}
