"""A stream as plain tuples, which travel to a player in a fraction of the time that its values would take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.records import Question, Turn
from memgauge.streams import Ask, SessionEnd, Write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.streams import Event, Stream

    Packed = tuple[Any, ...]
    """A write as its user and the fields of its turns, a question as its fields, all others as they are."""


def packed(stream: Iterable[Event]) -> Packed:
    """Take the values of a stream apart."""
    return tuple(map(_packed, stream))


def unpacked(events: Packed) -> Stream:
    """Put a stream together again."""
    return tuple(_unpacked(events))


def _packed(event: Event) -> object:
    if isinstance(event, Write):
        return event.user, tuple(_fields(event.turns))
    if isinstance(event, SessionEnd):
        return event.session
    if isinstance(event, Ask):
        asked = event.question
        return [asked.id, asked.conversation, asked.text, asked.category, asked.asked_at, asked.after_session]
    return event


def _fields(turns: Iterable[Turn]) -> Iterator[tuple[Any, ...]]:
    return ((turn.id, turn.speaker, turn.text, turn.session, turn.at, turn.role) for turn in turns)


def _unpacked(events: Packed) -> Iterator[Event]:
    for event in events:
        kind = type(event)
        if kind is tuple:
            user, turns = event
            yield Write(tuple(Turn(*fields) for fields in turns), user)
        elif kind is str:
            yield SessionEnd(event)
        elif kind is list:
            yield Ask(Question(*event))
        else:
            yield event
