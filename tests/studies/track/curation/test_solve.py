"""The solve-check."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.llm.scripted import Scripted
from memgauge.studies.track.curation.record import Solved
from memgauge.studies.track.curation.solve import Playing, judged, solve
from memgauge.studies.track.timeline.models import Timeline
from support.track.curation import shipped

if TYPE_CHECKING:
    from pathlib import Path


def test_ceiling_floor_and_baseline_play(tmp_path: Path) -> None:
    """The oracle is right everywhere, the random agent nowhere, the searcher in between."""
    timeline = Timeline.model_validate(json.loads(shipped()))
    found = {one.agent: one for one in solve(timeline, tmp_path, Playing(sandbox="off"))}
    assert (found["oracle"].score, found["random"].score, found["search"].score) == (1, 0, 0.25)
    assert found["search"].questions == {"q1": 0, "q2": 0, "q3": 1, "q4": 0}


def test_a_model_can_be_the_baseline(tmp_path: Path) -> None:
    """It plays as any agent does; what rules cannot score is not counted."""
    timeline = Timeline.model_validate(json.loads(shipped()))
    model = Scripted(["POOL_LIMIT", "40 and 48", "212", "wen, 2025-03-28"], name="test:model")
    how = Playing("test:model", model, sandbox="off")
    found = solve(timeline, tmp_path, how)
    assert (found[-1].agent, found[-1].score) == ("test:model", 1)
    (told,) = judged("one", found, "test:model")
    assert (told.code, told.what) == ("too-easy", "test:model answers everything")


@pytest.mark.parametrize(
    ("agent", "questions", "code"),
    [
        ("oracle", {"q1": 1.0, "q2": 0.5}, "unsolvable"),
        ("oracle", {"q1": None}, "unsolvable"),
        ("random", {"q1": 1.0, "q2": 0.0}, "guessable"),
        ("search", {"q1": 1.0, "q2": 1.0}, "too-easy"),
        ("search", {"q1": 1.0, "q2": 0.0}, None),
        ("oracle", {"q1": 1.0}, None),
        ("random", {"q1": 0.0}, None),
    ],
)
def test_results_are_judged(agent: str, questions: dict[str, float | None], code: str | None) -> None:
    """Each of the three has what speaks against an instance."""
    found = [one.code for one in judged("one", [Solved(agent=agent, score=0, questions=questions)], "search")]
    assert found == ([code] if code else [])
