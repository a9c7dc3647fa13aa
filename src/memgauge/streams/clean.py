"""The undisturbed stream: sessions in order, turn by turn, every question where its dataset asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.long_values import sequence_of
from memgauge.streams.events import Ask, Event, SessionEnd, Stream, StreamProtocol, Write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.records import Case


def clean(case: Case) -> Stream:
    """Order the turns of *case* and its questions."""
    return sequence_of(_events(case))


def _events(case: Case) -> Iterator[Event]:
    for session in case.conversation.sessions:
        yield from (Write((turn,)) for turn in session.turns)
        yield SessionEnd(session.id)
        yield from (Ask(q) for q in case.questions if q.after_session == session.id)
    session_ids = {session.id for session in case.conversation.sessions}
    yield from (Ask(q) for q in case.questions if q.after_session not in session_ids)


CLEAN = StreamProtocol("clean", clean)
