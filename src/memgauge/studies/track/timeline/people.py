"""Who is named in a history: whoever says, gets, writes, leads or belongs to anything."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.models import Commit, SlackEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.track.timeline.models import Payload, Timeline


def everybody(timeline: Timeline) -> frozenset[str]:
    """Return every person of a history, by the names that it has for them."""
    members = chain.from_iterable(team.members for team in timeline.teams)
    named = chain.from_iterable(_named(event.payload) for event in timeline.events)
    return frozenset(filter(None, (*timeline.admins, *members, *named)))


def _named(payload: Payload) -> Iterator[str]:
    if isinstance(payload, SlackEvent):
        yield from (message.sender for message in payload.messages)
        yield from payload.recipients
    elif isinstance(payload, Commit):
        yield payload.author
    else:
        yield payload.lead or ""
