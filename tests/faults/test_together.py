"""Two of the same command in one folder at once: one works, the other is told, and the run is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chaos.faults import DATASET, SYSTEM, rows
from memgauge.errors import RunBusyError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.seal import Seal
from support.faults import failed

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.play.execute import PlanProgress


def test_two_runs_in_one_folder_do_not_mix(tmp_path: Path) -> None:
    """Whenever the second one starts, it is refused or finds the run finished, and nothing is there twice."""
    planned = plan([DATASET], [SYSTEM])
    (whole,) = execute(planned, tmp_path / "whole")
    refused = 0

    def again(_: PlanProgress) -> None:
        nonlocal refused
        try:
            execute(planned, tmp_path / "out")
        except RunBusyError:
            refused += 1

    (folder,) = execute(planned, tmp_path / "out", on_progress=again)
    assert refused < 3
    assert Seal.read(folder).content == Seal.read(whole).content
    assert rows(folder) == rows(whole)
    assert failed(folder) == {}
