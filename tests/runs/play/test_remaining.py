"""How much is done, and what that says of the rest."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.runs.play.execute import PlanProgress
from memgauge.runs.play.remaining import WorkDone
from support.handmade import planned, two_questions

if TYPE_CHECKING:
    from memgauge.runs.play.plan import PlannedRun


@cache
def _planned(system: str) -> PlannedRun:
    return planned(two_questions(), system).cells[0]


def cell(sizes: dict[str, int], system: str = "none") -> PlannedRun:
    """Return a planned run of conversations of these sizes."""
    return replace(_planned(system), conversations=len(sizes), turns=sum(sizes.values()), questions=0, sizes=sizes)


@given(sizes=st.lists(st.integers(100, 400), min_size=10, max_size=25), data=st.data())
def test_half_way_the_time_left_is_right_within_a_factor_of_one_and_a_half(
    sizes: list[int], data: st.DataObject
) -> None:
    """Whatever the sizes, where a turn of two systems costs 1 s and 5 s, each a tenth more or less."""
    noise = st.floats(0.9, 1.1)
    named = {f"c{number}": size for number, size in enumerate(sizes)}
    cells = {0: cell(named, "none"), 1: cell(named, "bm25")}
    pace, clock, moments = WorkDone(cells, {0: (), 1: ()}), 0.0, list[tuple[float, float | None]]()
    for name, size in named.items():
        for index, seconds in ((0, 1.0), (1, 5.0)):
            clock += size * seconds * data.draw(noise)
            pace.finish(index, name)
            moments.append((clock, pace.share(away=1)))
    done, share = next((moment, share) for moment, share in moments if share is not None and share >= 0.5)
    left = PlanProgress(0, 0, "", 0, share).seconds_left(done)
    assert left is not None
    assert (clock - done) / 1.5 <= left <= (clock - done) * 1.5


def test_nothing_is_said_before_there_is_a_basis() -> None:
    """Not of a system that showed nothing, one conversation in a hundred, or fewer than are on their way."""
    many = {f"c{number}": 10 for number in range(100)}
    pace = WorkDone({0: cell(many), 1: cell(many, "bm25")}, {0: (), 1: ()})
    for number in range(5):
        pace.finish(0, f"c{number}")
        assert pace.share(away=1) is None
    pace.finish(1, "c0")
    assert pace.share(away=16) is None
    assert pace.share(away=1) == pytest.approx(6 / 200)
    alone = WorkDone({0: cell(many)}, {0: ()})
    alone.finish(0, "c0")
    assert alone.share(away=1) is None
    assert PlanProgress(1, 100, "", 0).seconds_left(60.0) is None


def test_what_was_done_before_counts_neither_as_work_nor_as_speed() -> None:
    """A run that is resumed begins at nothing; one long conversation of four short ones is more than half."""
    sizes = {"long": 600, "a": 100, "b": 100, "c": 100, "d": 100}
    pace = WorkDone({0: cell(sizes)}, {0: ("a",)})
    pace.finish(0, "long")
    assert pace.share(away=1) == pytest.approx(600 / 900)
    for name in ("b", "c", "d"):
        pace.finish(0, name)
    assert pace.share(away=0) == 1.0
