"""Runs without a record of costs say the true reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.runs.play.execute import execute
from memgauge.runs.record.store import load
from memgauge.scoring.costless import without_costs
from support.handmade import planned, two_questions

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run


@pytest.mark.players
def test_who_died_everywhere_left_no_costs(tmp_path: Path) -> None:
    """Where each conversation ended with its process, nobody counted, and no version is blamed."""
    (folder,) = execute(planned(two_questions(), "support.systems:Dying"), tmp_path, check=False)
    run = load(folder)
    assert run.cost is None
    assert without_costs(run) == "its process died in every conversation, so that nobody could count its costs"


def test_what_was_played_elsewhere_and_earlier_is_told_apart(runs: dict[str, Run]) -> None:
    """An imported run brought no costs, and an early version wrote none."""
    run = runs["many Notebook"]
    system = run.manifest.system.model_copy(update={"ref": "imported:trec"})
    imported = replace(run, manifest=run.manifest.model_copy(update={"system": system}))
    assert without_costs(imported) == "it was played elsewhere, and no costs came with it"
    assert without_costs(run) == "an earlier version made its run, and recorded no costs"
