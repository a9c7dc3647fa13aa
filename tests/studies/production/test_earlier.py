"""What happened last before a time, asked for many at once, is what a loop finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.production.earlier import EarlierEvents

EVENTS = st.lists(st.tuples(st.integers(0, 4), st.integers(-5, 9)), max_size=12)


@given(EVENTS, EVENTS)
def test_the_last_event_and_the_count_are_those_of_a_loop(
    events: list[tuple[int, int]], asked: list[tuple[int, int]]
) -> None:
    """Of events that are equal in key and time, the last one that was named; keys without events have none."""
    keys, times = (np.array([each[place] for each in events], dtype=np.int64) for place in (0, 1))
    wanted, until = (np.array([each[place] for each in asked], dtype=np.int64) for place in (0, 1))
    index = EarlierEvents(keys, times)
    before = [[p for p, (key, time) in enumerate(events) if key == k and time <= t] for k, t in asked]
    last = [max(places, key=lambda p: (events[p][1], p), default=-1) for places in before]
    assert index.latest(wanted, until).tolist() == last
    assert index.count(wanted, until).tolist() == [len(places) for places in before]
