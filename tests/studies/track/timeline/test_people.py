"""Who is named in a history."""

from __future__ import annotations

from memgauge.studies.track.timeline.models import Commit, Event, SlackEvent, SlackMessage, Team, Ticket, Timeline
from memgauge.studies.track.timeline.people import everybody


def test_whoever_says_gets_writes_leads_or_belongs_is_named() -> None:
    """From every platform, once; what names nobody adds nobody."""
    payloads = (
        SlackEvent(messages=(SlackMessage(sender="mira", text="hello"),), channel="ops", recipients=("jonas",)),
        Ticket(title="Rotate", lead="wen"),
        Ticket(title="Tidy"),
        Commit(author="oskar"),
        Commit(),
    )
    events = tuple(
        Event.model_validate({"id": f"e{n}", "at": "2025-05-15T09:00:00Z", "payload": payload})
        for n, payload in enumerate(payloads)
    )
    history = Timeline(name="x", admins=("mo",), teams=(Team(name="a", members=("wen", "greta")),), events=events)
    assert everybody(history) == {"mira", "jonas", "wen", "oskar", "mo", "greta"}
