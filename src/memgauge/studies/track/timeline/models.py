"""The timeline of one instance: what happened on three platforms, and what is asked about it. Schema version 1.

An event is one entry of the history as its author wrote it; a Slack event may hold several messages. ``extra``
keeps every key that the schema does not know, and the original spelling of what an importer changed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

SCHEMA = 1


class Platform(StrEnum):
    """Where something happens; the label of an event, and of every tool."""

    SLACK = "slack"
    LINEAR = "linear"
    GIT = "git"
    FILES = "files"
    """The agent's own files and shell; tools only, never an event."""
    MEMORY = "memory"
    """The agent's memory; tools only."""


EVENT_PLATFORMS = (Platform.SLACK, Platform.LINEAR, Platform.GIT)


def utc(moment: datetime) -> datetime:
    """Read a naive time as UTC, and bring others to it."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


Moment = Annotated[datetime, AfterValidator(utc)]
"""A time with its zone, in UTC."""


class TimelineModel(BaseModel):
    """Any part of a timeline."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    extra: dict[str, Any] = Field(default_factory=dict)
    """Keys that the schema does not know, and original spellings."""


class SlackMessage(TimelineModel):
    """One thing said."""

    sender: str
    text: str


class SlackEvent(TimelineModel):
    """A Slack event: one message, a thread, or replies to an earlier event."""

    kind: Literal["message"] = "message"
    messages: tuple[SlackMessage, ...]
    """More than one: the first opens a thread, unless ``reply_to`` names one."""
    channel: str = ""
    """Without ``#``; empty for direct messages."""
    recipients: tuple[str, ...] = ()
    """With a channel: who is addressed. Without: whom the direct message goes to."""
    reply_to: str = ""
    """Id of the event whose first message is answered; empty: none."""


class Ticket(TimelineModel):
    """A Linear event: a ticket is opened, or the ticket of that title and team is changed.

    What is not said is ``None`` and leaves a known ticket as it is.
    """

    kind: Literal["ticket"] = "ticket"
    title: str
    team: str = ""
    description: str | None = None
    status: str | None = None
    priority: str | None = None
    lead: str | None = None
    milestone: str | None = None
    start_date: str | None = None
    expected_finish_date: str | None = None
    closed_date: str | None = None
    resolution: str | None = None
    linked_pr: str | None = None
    labels: tuple[str, ...] | None = None
    attached_resources: tuple[str, ...] | None = None


class Commit(TimelineModel):
    """A Git event."""

    kind: Literal["commit"] = "commit"
    commit_id: str = ""
    """What the author of the timeline calls it; need be no hash."""
    author: str = ""
    message: str = ""
    files_changed: tuple[str, ...] = ()
    """Paths, where only their names are known."""
    files: dict[str, str | None] = Field(default_factory=dict)
    """New content by path, ``None`` for a removed file; own instances have it, imported ones do not."""
    merged_to: str = ""
    """The branch; empty: the repository's own."""
    pr: str = ""


Payload = Annotated[SlackEvent | Ticket | Commit, Field(discriminator="kind")]
_PLATFORM = {"message": Platform.SLACK, "ticket": Platform.LINEAR, "commit": Platform.GIT}


class Event(TimelineModel):
    """One entry of a history."""

    id: Annotated[str, Field(pattern=r"^[\w.-]+$")]
    """Unique within its timeline; what the agent does has ids that begin with ``act:``."""
    at: Moment
    payload: Payload

    @property
    def kind(self) -> str:
        """Return ``message``, ``ticket`` or ``commit``."""
        return self.payload.kind

    @property
    def platform(self) -> Platform:
        """Return where it happened, which follows from its kind."""
        return _PLATFORM[self.kind]


class EvidenceSource(StrEnum):
    """What has to be read to answer a question."""

    EVENTS = "events"
    REPOSITORY = "repository"
    UNKNOWN = "unknown"
    """Nobody has said."""


class HiddenQuestion(TimelineModel):
    """One question with its answer; the order is part of the instance."""

    id: str
    text: str
    answer: str
    """Gold; nothing that plays may read it."""
    source: EvidenceSource = EvidenceSource.UNKNOWN
    evidence: tuple[str, ...] = ()
    """Ids of the events that answer it, where somebody has said so; gold as well."""
    hops: int | None = None
    """Pieces of information that have to be joined."""
    guide: str = ""
    """How a person verifies the answer, step by step; gold as well."""


class CodeRepository(TimelineModel):
    """The code base that questions may be about."""

    name: str
    url: str = ""
    branch: str = "main"
    commit: str = ""
    """Where history is cut; empty: at its end."""
    path: str = ""
    """A bundle or folder beside the timeline file; empty: nothing but Git events, if those."""
    local_name: str = ""


class Team(TimelineModel):
    """A Linear team."""

    name: str
    members: tuple[str, ...] = ()


class Milestone(TimelineModel):
    """A Linear milestone."""

    name: str
    description: str = ""
    start_date: str = ""
    end_date: str = ""


class Player(TimelineModel):
    """The agent as the instance describes it."""

    name: str = "CodeAgent"
    title: str = ""
    system_prompt: str = ""
    max_turns: int = 100


class Timeline(TimelineModel):
    """One instance: a history, and hidden questions that are asked one after another."""

    schema_version: Literal[1] = 1
    name: str
    title: str = ""
    player: Player = Player()
    repository: CodeRepository | None = None
    admins: tuple[str, ...] = ()
    """Who may do what only admins may."""
    teams: tuple[Team, ...] = ()
    milestones: tuple[Milestone, ...] = ()
    events: tuple[Event, ...]
    """In time order; equal times keep the order of the file."""
    questions: tuple[HiddenQuestion, ...] = ()
    notes: tuple[str, ...] = ()
    """What an importer had to decide."""

    @model_validator(mode="after")
    def _consistent(self) -> Timeline:
        event_ids: set[str] = set()
        for number, event in enumerate(self.events):
            if event.id in event_ids:
                raise ValueError(f"events[{number}]: the id {event.id!r} is used twice")
            if isinstance(event.payload, SlackEvent) and event.payload.reply_to not in event_ids | {""}:
                raise ValueError(
                    f"events[{number}]: replies to {event.payload.reply_to!r}, which is no earlier event"
                )
            if number and event.at < self.events[number - 1].at:
                raise ValueError(f"events[{number}]: {event.id!r} is earlier than the event before it")
            event_ids.add(event.id)
        question_ids = [question.id for question in self.questions]
        if len(question_ids) != len(set(question_ids)):
            raise ValueError("questions: an id is used twice")
        missing_ids = sorted({name for question in self.questions for name in question.evidence} - event_ids)
        if missing_ids:
            raise ValueError(
                f"questions: the evidence {', '.join(map(repr, missing_ids))} is no event of this timeline"
            )
        return self

    def event(self, event_id: str) -> Event:
        """Return one event.

        Raises:
            KeyError: No event has this id.
        """
        for event in self.events:
            if event.id == event_id:
                return event
        raise KeyError(event_id)
