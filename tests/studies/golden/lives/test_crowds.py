"""Crowds: hundreds of other things."""

from __future__ import annotations

from itertools import chain

import pytest

from memgauge.studies.golden.lives.crowds import AT_ONCE, crowd_of_things
from memgauge.studies.golden.scenario import Say


@pytest.mark.parametrize("count", [0, 1, 12, 13, 260, 1_200])
def test_a_crowd_names_as_many_things_as_it_is_asked_for(count: int) -> None:
    """Every thing is another one with a value of its own, a dozen in a turn."""
    turns = [turn for turn in crowd_of_things(count, "x") if isinstance(turn, Say)]
    named = list(chain.from_iterable(turn.sets.items() for turn in turns))
    assert len(dict(named)) == len(set(dict(named).values())) == len(named) == count
    assert all(len(turn.sets) <= AT_ONCE for turn in turns)
