"""Questions put elsewhere, and bursts of other turns before them: pure functions from stream to stream.

Where a question is put and what interrupts it is plain data, made by whoever knows the gold; nothing here does.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from memgauge.streams.events import Ask, Reset, Stream, Write

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from memgauge.records import Turn
    from memgauge.streams.events import Event


def place(stream: Stream, after: Mapping[str, str]) -> Stream:
    """Ask every question right after a turn: *after* names the turn of each question that is to be asked at all.

    Questions behind one turn keep the order of *after*.
    """
    asks = {event.question.id: event for event in stream if isinstance(event, Ask)}
    following: defaultdict[str, list[Ask]] = defaultdict(list)
    for question, turn in after.items():
        following[turn].append(asks[question])
    return tuple(_placed(stream, following))


def _placed(stream: Stream, following: Mapping[str, Sequence[Ask]]) -> Iterator[Event]:
    for event in stream:
        if isinstance(event, Ask):
            continue
        if not isinstance(event, Write):
            yield event
            continue
        for turn in event.turns:
            yield Write((turn,))
            yield from following.get(turn.id, ())


def interrupt(stream: Stream, bursts: Mapping[str, Sequence[Turn]]) -> Stream:
    """Insert a burst of turns before each question that has one."""
    return tuple(_interrupted(stream, bursts))


def _interrupted(stream: Stream, bursts: Mapping[str, Sequence[Turn]]) -> Iterator[Event]:
    for event in stream:
        if isinstance(event, Ask):
            yield from (Write((turn,)) for turn in bursts.get(event.question.id, ()))
        yield event


def isolate(stream: Stream, foreign: Collection[str]) -> Stream:
    """Let no turn of *foreign* (ids of what interrupts) outlive the session that it interrupted.

    Before the first turn of the next session everything is forgotten and what was really said is said again: the
    one way of taking turns back that every memory supports.
    """
    return tuple(_isolated(stream, foreign))


def _isolated(stream: Stream, foreign: Collection[str]) -> Iterator[Event]:
    own_events: list[Event] = []
    running, dirty = "", False
    for event in stream:
        if isinstance(event, Ask):
            yield event
        elif isinstance(event, Write) and event.turns[0].id in foreign:
            yield event
            dirty = True
        else:
            session = event.turns[0].session if isinstance(event, Write) else running
            if dirty and session != running:
                yield Reset()
                yield from own_events
                dirty = False
            yield event
            own_events.append(event)
            running = session
