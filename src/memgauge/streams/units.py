"""How many turns a system is handed at a time."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from memgauge.long_values import sequence_of
from memgauge.streams.events import Stream, Write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.streams.events import Event

UNIT_SIZES: Mapping[str, int | None] = {"turn": 1, "pair": 2, "session": None}
"""Turns in one write, by the unit that a system asks for; ``None`` is the whole session."""


def in_units(stream: Stream, unit: str) -> Stream:
    """Join the writes of *stream* that follow each other within a session into writes of one *unit*.

    Whatever lies between two writes, a question above all, keeps them apart.
    """
    return sequence_of(_joined(stream, UNIT_SIZES[unit]))


def _joined(stream: Stream, size: int | None) -> Iterator[Event]:
    if size == 1:  # nothing is joined
        for event in stream:
            if isinstance(event, Write) and len(event.turns) > 1:
                yield from (Write((turn,), event.user) for turn in event.turns)
            else:
                yield event
        return
    for home, events in groupby(stream, key=_home):
        if home is None:
            yield from events
            continue
        turns = tuple(turn for event in events if isinstance(event, Write) for turn in event.turns)
        step = size or len(turns) or 1
        yield from (Write(turns[start : start + step], home[1]) for start in range(0, len(turns), step))


def _home(event: Event) -> tuple[str, str] | None:
    """Name the session and the user of a write; nothing else can be joined."""
    return (event.turns[0].session, event.user) if isinstance(event, Write) and event.turns else None
