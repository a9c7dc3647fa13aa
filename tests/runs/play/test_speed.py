"""How fast a memory is, from a beginning that is thrown away."""

from __future__ import annotations

import pytest

from memgauge.runs.play.speed import Extent, speed_of
from support.handmade import five_questions, planned


def test_a_pace_is_measured_from_a_beginning() -> None:
    """It is of turns and of questions, and nothing failed."""
    work = planned(five_questions(), "bm25")
    case = next(five_questions().cases())
    paced = speed_of(work.cells[0], case, within_s=60)
    assert paced.speed is not None
    assert (paced.problem, paced.late, dict(paced.reasons)) == ("", "", {})
    assert paced.speed.seconds(Extent(1000, 1000)) > paced.speed.seconds(Extent(1, 1)) > 0


@pytest.mark.parametrize(
    ("system", "problem"), [("Dying", "ended its process"), ("Failing", "answered none of 1 questions")]
)
def test_what_does_not_work_has_no_pace(system: str, problem: str) -> None:
    """A process that ends and searches that all raise are said, not timed."""
    work = planned(five_questions(), f"support.systems:{system}")
    paced = speed_of(work.cells[0], next(five_questions().cases()), within_s=60, turns=3, questions=1)
    assert paced.problem == problem
