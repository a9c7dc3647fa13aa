"""Events of the original archive: three platforms, several spellings, nothing dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.models import Commit, Event, Payload, SlackEvent, SlackMessage, Ticket, utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.track.timeline.fields import Fields

STAMP = "%Y%m%dT%H%M"
"""How the archive writes a time; it names no zone, and is read as UTC."""


@dataclass
class HistoryNotes:
    """What is known while a history is read in time order."""

    at_time: dict[datetime, str] = field(default_factory=dict)
    """The first Slack event of each time, which replies name."""
    notes: list[str] = field(default_factory=list)
    """What had to be decided."""


def read_events(entries: Sequence[Fields]) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Read a history; returns its events in time order, and what had to be decided.

    Raises:
        MalformedDataError: It cannot be read; the message names file, line and field.
    """
    timed_entries = [(_time(entry), number, entry) for number, entry in enumerate(entries, 1)]
    sorted_entries = sorted(timed_entries, key=itemgetter(0))
    reading = HistoryNotes()
    if sorted_entries != timed_entries:
        reading.notes.append("The history was not in time order; it was sorted, equal times as they stood.")
    events = tuple(_event(entry, f"e{number:03d}", at, reading) for at, number, entry in sorted_entries)
    return events, tuple(reading.notes)


def _time(entry: Fields) -> datetime:
    stamp = entry.needed("timestamp")
    try:
        at = utc(datetime.fromisoformat(stamp))
    except ValueError as error:
        raise entry.wrong(f"{stamp!r} is no time", "timestamp") from error
    if at.strftime(STAMP) != stamp:
        entry.extra["timestamp"] = stamp
    return at


def _event(entry: Fields, event_id: str, at: datetime, reading: HistoryNotes) -> Event:
    platform = entry.needed("platform")
    content = entry.inner("generation_meta_data")
    payload: Payload
    match platform.strip().lower():
        case "slack":
            payload = _conversation(content, reading)
            reading.at_time.setdefault(at, event_id)
        case "linear":
            payload = _ticket(content)
        case "git":
            payload = content.model(Commit, "files")
        case _:
            raise entry.wrong(f"the platform {platform!r} is none of slack, linear, git", "platform")
    if platform not in {"slack", "linear", "git"}:
        entry.extra["platform"] = platform
    return Event(id=event_id, at=at, payload=payload, extra=entry.rest())


def _conversation(content: Fields, reading: HistoryNotes) -> SlackEvent:
    messages = []
    if content.has("sender", "message"):
        messages.append(SlackMessage(sender=content.needed("sender"), text=content.needed("message")))
    for key in ("thread", "replies"):
        messages += [_message(item) for item in content.each(key)]
    if not messages:
        raise content.wrong("nobody says anything: 'sender' and 'message', 'thread' or 'replies' is missing")
    channel = (content.text("channel") or "").strip()
    if channel.startswith("#"):
        content.extra["channel"] = channel
    return SlackEvent(
        messages=tuple(messages),
        channel=channel.removeprefix("#"),
        recipients=_recipients(content),
        reply_to=_parent(content, reading),
        extra=content.rest(),
    )


def _message(item: Fields) -> SlackMessage:
    return SlackMessage(sender=item.needed("sender"), text=item.needed("message"), extra=item.rest())


def _recipients(content: Fields) -> tuple[str, ...]:
    several = content.texts("recipients") or ()
    single = content.texts("recipient") or ()
    if single:
        content.extra["recipient"] = content.extra.get("recipient", list(single))
    return tuple(dict.fromkeys((*several, *single)))


def _parent(content: Fields, reading: HistoryNotes) -> str:
    stamp = content.text("thread_of")
    if stamp is None:
        return ""
    try:
        parent = reading.at_time.get(utc(datetime.fromisoformat(stamp)), "")
    except ValueError:
        parent = ""
    content.extra["thread_of"] = stamp
    if not parent:
        reading.notes.append(f"A reply names {stamp!r}, where no earlier Slack event stands; it opens a thread.")
    return parent


def _ticket(content: Fields) -> Ticket:
    title = content.needed("title")
    team = (content.text("team") or "").strip()
    if team.startswith("#"):
        content.extra["team"] = team
    return content.model(Ticket, title=title, team=team.removeprefix("#"))
