"""Runs of some systems on a small world whose words are near, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import limits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WORLD = "synthetic:small,level=lex"
SYSTEMS = ("recency", "bm25", "pipeline:embedder=none", "none", "faulty:raises")


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Return the folder of the run of every system, for everybody to read."""
    work = plan([WORLD], SYSTEMS, limits=limits(k=10))
    made = execute(work, tmp_path_factory.mktemp("runs"), executor=Inline(), check=False)
    return dict(zip(SYSTEMS, made, strict=True))
