"""Messages become conversations: sessions in time order, under ids that say nothing."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from memgauge.records import Conversation, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import timedelta

    from memgauge.datasets.building.messages import ExportMessage

T = TypeVar("T")


def chronological(messages: Iterable[ExportMessage]) -> tuple[ExportMessage, ...]:
    """Bring the messages of each session into time order; sessions keep the order in which they begin."""
    groups: defaultdict[tuple[str, str | None], list[ExportMessage]] = defaultdict(list)
    for message in messages:
        groups[message.conversation, message.session].append(message)
    return tuple(message for group in groups.values() for message in _by_time(group, lambda m: m.at))


def group(messages: Iterable[ExportMessage], gap: timedelta) -> tuple[Conversation, ...]:
    """Make one conversation a person, ``u001`` and so on in the order in which they appear.

    Messages without a session of their own are cut wherever more than *gap* lies between two of them. A session is
    as early as its first message that has a time.
    """
    people: defaultdict[str, list[ExportMessage]] = defaultdict(list)
    for message in messages:
        people[message.conversation].append(message)
    return tuple(
        Conversation(f"u{number:03d}", tuple(_sessions(spoken, gap)))
        for number, spoken in enumerate(people.values(), 1)
    )


def _sessions(messages: list[ExportMessage], gap: timedelta) -> Iterator[Session]:
    labelled: defaultdict[str, list[ExportMessage]] = defaultdict(list)
    loose = []
    for message in messages:
        if message.session is None:
            loose.append(message)
        else:
            labelled[message.session].append(message)
    for number, spoken in enumerate(_by_time([*labelled.values(), *_cut(loose, gap)], _start), 1):
        key = f"s{number:03d}"
        turns = (
            Turn(f"{key}:t{position:02d}", message.speaker, message.text, key, message.at, message.role)
            for position, message in enumerate(spoken, 1)
        )
        yield Session(key, _start(spoken), tuple(turns))


def _cut(messages: list[ExportMessage], gap: timedelta) -> list[list[ExportMessage]]:
    sessions: list[list[ExportMessage]] = []
    last: datetime | None = None
    for message in messages:
        if not sessions or (last is not None and message.at is not None and message.at - last > gap):
            sessions.append([])
        sessions[-1].append(message)
        last = message.at or last
    return sessions


def _start(messages: list[ExportMessage]) -> datetime | None:
    return next((message.at for message in messages if message.at is not None), None)


def _by_time(items: Iterable[T], time: Callable[[T], datetime | None]) -> list[T]:
    """Sort by time; what has none stays behind what it followed."""
    timed: list[tuple[datetime, T]] = []
    last = datetime.min  # noqa: DTZ901 - naive, as all times here
    for item in items:
        last = time(item) or last
        timed.append((last, item))
    return [item for _, item in sorted(timed, key=lambda pair: pair[0])]
