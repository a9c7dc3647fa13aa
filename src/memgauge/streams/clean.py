"""The undisturbed stream: sessions in order, every question where its dataset asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.streams.events import Ask, Event, SessionEnd, Stream, Write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.records import Case, Session

UNIT_SIZES = {"turn": 1, "pair": 2, "session": None}
"""Turns in one write, by the unit that a system asks for; ``None`` is the whole session."""


def clean(case: Case, unit: str = "turn") -> Stream:
    """Order the writes of *case*, split by *unit*, and its questions."""
    return tuple(_events(case, UNIT_SIZES[unit]))


def _events(case: Case, size: int | None) -> Iterator[Event]:
    for session in case.conversation.sessions:
        yield from _writes(session, size)
        yield SessionEnd(session.id)
        yield from (Ask(q) for q in case.questions if q.after_session == session.id)
    known = {session.id for session in case.conversation.sessions}
    yield from (Ask(q) for q in case.questions if q.after_session not in known)


def _writes(session: Session, size: int | None) -> Iterator[Event]:
    step = size or len(session.turns) or 1
    for start in range(0, len(session.turns), step):
        yield Write(session.turns[start : start + step])
