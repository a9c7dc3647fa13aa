"""Runs of memories with one known defect each, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors.inline import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from support.sharing import made_once

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run

DEFECTS = ("drops", "forgets", "truncates", "leaks", "outdated", "tiny", "backwards", "breaks")
WORLD = "synthetic:tiny"


@pytest.fixture(scope="session")
def defective(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Play every defect, the sound memory, and one that says nothing of what it stores, on the tiny world."""

    def make(folder: Path) -> None:
        systems = ["bm25", "support.systems:Unlisted", *(f"defective:{how}" for how in DEFECTS)]
        execute(plan([WORLD], systems, limits=Limits(retries=0), probes=0), folder, executor=Inline())

    folder = made_once(tmp_path_factory, "why-defects", make)
    runs = [load(each.parent) for each in sorted(folder.glob("*/SEAL"))]
    return {run.manifest.system.ref: run for run in runs}
