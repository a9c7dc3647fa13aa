"""Runs whose lists end at thirty memories, some 660 tokens, long before larger budgets are full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from support.players import AsPlayers

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run

FEW = 30


def ended_runs(out: Path, *systems: str, k: int = FEW) -> dict[str, Run]:
    """Play systems that may return no more than *k* memories; by label."""
    work = plan(["synthetic:small"], systems, limits=Limits(k=k))
    played = map(load, execute(work, out, executor=AsPlayers(), check=False))
    return {run.label: run for run in played}
