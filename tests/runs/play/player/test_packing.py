"""Streams on their way to a player."""

from __future__ import annotations

import pickle
from datetime import datetime
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Question, Turn
from memgauge.runs.play.player.assignment import Assignment, Chosen
from memgauge.runs.play.player.packing import packed, unpacked
from memgauge.streams import Ask, Clock, Removal, Remove, Reset, SessionEnd, Write

if TYPE_CHECKING:
    from memgauge.streams import Event

_TIMES = st.none() | st.datetimes()
_TURNS = st.builds(Turn, st.text(), st.text(), st.text(), st.text(), _TIMES, st.text())
_EVENTS = st.one_of(
    st.builds(Write, st.lists(_TURNS, max_size=3).map(tuple), st.text(max_size=3)),
    st.builds(SessionEnd, st.text()),
    st.builds(Ask, st.builds(Question, st.text(), st.text(), st.text(), st.text(), _TIMES, st.none() | st.text())),
    st.builds(Clock, st.datetimes()),
    st.just(Reset()),
    st.builds(Remove, st.sampled_from(Removal)),
)


@given(st.lists(_EVENTS, max_size=6).map(tuple))
def test_a_stream_arrives_as_it_was(stream: tuple[Event, ...]) -> None:
    """Whatever happens in it, and in whatever order."""
    assert unpacked(packed(stream)) == stream


def test_an_assignment_holds_its_stream_on_both_sides() -> None:
    """Only on the way are turns anything but turns."""
    stream = (Write((Turn("t1", "Ada", "Hello.", "s1", datetime(2024, 1, 1)),)), SessionEnd("s1"))  # noqa: DTZ001 - naive, as turns are
    sent = Assignment(Chosen("bm25"), "c", 0, 1, stream, {"k": 3})
    arrived = pickle.loads(pickle.dumps(sent))  # noqa: S301 - our own
    assert arrived == sent
    assert arrived.bounds.k == sent.bounds.k
