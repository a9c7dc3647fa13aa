"""The verification guide of an instance: how a person with the timeline at hand comes to every answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.models import SlackEvent, Ticket
from memgauge.studies.track.timeline.references import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.studies.track.curation.record import MisleadingEvent
    from memgauge.studies.track.timeline.models import Event, Timeline

GUIDE = "guide.md"
"""What the file is called, in the folder of an instance."""
_SHORT = 18
"""Words of an event that are quoted."""


def guide(timeline: Timeline, roles: Mapping[str, MisleadingEvent]) -> str:
    """Write the guide as Markdown."""
    return "\n".join(_lines(timeline, roles)) + "\n"


def _lines(timeline: Timeline, roles: Mapping[str, MisleadingEvent]) -> Iterator[str]:
    yield f"# {timeline.name}: how its answers are verified\n"
    about = timeline.title or timeline.name
    yield f"{about}. {len(timeline.events)} events. Whoever is to be scored may not read this.\n"
    for question in timeline.questions:
        hops = f"{question.hops} hops" if question.hops else "hops not counted"
        yield f"## {question.id}: {question.text}\n"
        yield f"**{question.answer}** ({hops}, {question.source})\n"
        yield f"{question.guide or 'No guide.'}\n"
        for name in question.evidence:
            yield f"- {_quoted(timeline.event(name))}"
        yield ""
    if roles:
        yield "## What misleads on purpose\n"
        for name, role in roles.items():
            by = f", superseded by {role.superseded_by}" if role.superseded_by else ""
            yield f"- {role.kind}{by}: {_quoted(timeline.event(name))}"


def _quoted(event: Event) -> str:
    words = text_of(event).split()
    text = " ".join(words[:_SHORT]) + (" …" if len(words) > _SHORT else "")
    return f"`{event.id}` {event.at:%Y-%m-%d %H:%M} {event.platform}{_place(event)}: {text}"


def _place(event: Event) -> str:
    match event.payload:
        case SlackEvent(channel=str() as channel) if channel:
            return f" #{channel}"
        case SlackEvent(reply_to=str() as earlier) if earlier:
            return f" (reply to {earlier})"
        case SlackEvent(recipients=people):
            return f" to {', '.join(people)}"
        case Ticket(team=team):
            return f" ({team})" if team else ""
    return ""
