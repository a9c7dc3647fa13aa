"""Events and questions put together to an instance."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from memgauge.misfits import first_misfit
from memgauge.studies.track.curation.record import MisleadingEvent  # noqa: TC001 - pydantic reads it while running
from memgauge.studies.track.curation.seed import CurationModel
from memgauge.studies.track.timeline.models import (
    CodeRepository,
    Commit,
    Event,
    HiddenQuestion,
    Team,
    Ticket,
    Timeline,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.studies.track.curation.seed import Seed

_UNFIT = re.compile(r"[^a-z0-9]+")


class InstanceDraft(CurationModel):
    """What somebody drafted: events in any order, questions, and which events mislead on purpose."""

    events: tuple[Event, ...]
    questions: tuple[HiddenQuestion, ...] = ()
    roles: dict[str, MisleadingEvent] = Field(default_factory=dict)


def assembled(seed: Seed, draft: InstanceDraft, bundle: str = "") -> Timeline:
    """Make the instance of a seed.

    Raises:
        ValueError: The parts do not fit together; the message says which.
    """
    events = in_order(draft.events)
    return checked(
        {
            "name": seed.name,
            "title": seed.title,
            "repository": _repository(seed, events, bundle),
            "teams": _teams(events),
            "events": events,
            "questions": draft.questions,
        }
    )


def checked(fields: dict[str, Any]) -> Timeline:
    """Validate the fields of an instance.

    Raises:
        ValueError: They do not fit together; the message is one line.
    """
    try:
        return Timeline.model_validate(fields)
    except ValidationError as error:
        raise ValueError(str(first_misfit(error))) from error


def changed(timeline: Timeline, **fields: Any) -> Timeline:
    """Return an instance with other fields, validated as a whole.

    Raises:
        ValueError: They do not fit together; the message is one line.
    """
    return checked({name: getattr(timeline, name) for name in Timeline.model_fields} | fields)


def in_order(events: Iterable[Event]) -> tuple[Event, ...]:
    """Sort events by time; equal times keep their order."""
    return tuple(sorted(events, key=lambda event: event.at))


def numbered(prefix: str, ids: Iterable[str], count: int) -> list[str]:
    """Return new ids: a letter and two digits or more."""
    taken_ids = set(ids)
    free_ids = (
        name
        for number in range(1, len(taken_ids) + count + 1)
        if (name := f"{prefix}{number:02d}") not in taken_ids
    )
    return [next(free_ids) for _ in range(count)]


def _repository(seed: Seed, events: Iterable[Event], bundle: str) -> CodeRepository | None:
    if seed.origin is not None:
        origin = seed.origin
        name = _UNFIT.sub("-", origin.repository.lower()).strip("-")
        return CodeRepository(
            name=name, branch=origin.branch, commit=origin.change.base if bundle else "", path=bundle
        )
    if any(isinstance(event.payload, Commit) for event in events):
        return CodeRepository(name=_UNFIT.sub("-", seed.name.lower()).strip("-") or "repository")
    return None


def _teams(events: Iterable[Event]) -> tuple[Team, ...]:
    """Return the teams of all tickets, with everybody who leads one."""
    people: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for event in events:
        if isinstance(event.payload, Ticket) and event.payload.team:
            people[event.payload.team] |= {event.payload.lead: None} if event.payload.lead else {}
    return tuple(Team(name=name, members=tuple(members)) for name, members in people.items())
