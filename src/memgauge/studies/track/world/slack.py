"""Slack as a function of the log: channels, threads, direct messages, and what the agent has read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.models import Event, SlackEvent, Ticket
from memgauge.studies.track.world.log import AgentAct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from memgauge.studies.track.timeline.models import Timeline
    from memgauge.studies.track.world.log import Entry

_MENTION = re.compile(r"(?<![\w.])@([\w.-]*\w)")


@dataclass(frozen=True, slots=True)
class Post:
    """One message, where it stands."""

    ts: str
    """Its id, as Slack has it: seconds, a point, and a number that makes it unique."""
    at: datetime
    sender: str
    text: str
    channel: str
    """Empty for a direct message."""
    people: tuple[str, ...]
    """Of a direct message: sender and recipients, sorted. Of a channel: who is addressed."""
    thread: str
    """``ts`` of the message that opens its thread; empty outside threads and for that message itself."""
    event: str
    """The timeline's event that it comes from; empty for the agent's own."""
    offline: bool = False
    """Sent while away from the desk."""

    @property
    def mentions(self) -> tuple[str, ...]:
        """Return who is mentioned by @name."""
        return tuple(dict.fromkeys(_MENTION.findall(self.text)))


@dataclass(frozen=True)
class SlackState:
    """Everything on Slack at one time."""

    posts: tuple[Post, ...] = ()
    """In the order in which they came."""
    channels: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    read: frozenset[str] = frozenset()
    """``ts`` of what the agent has read by asking for what is unread."""
    opened: Mapping[str, Post] = field(default_factory=dict, repr=False)
    """The first post of each event, which replies belong to."""

    def of_channel(self, channel: str) -> tuple[Post, ...]:
        """Return the messages of a channel, oldest first."""
        return tuple(post for post in self.posts if post.channel == channel)

    def with_user(self, user: str) -> tuple[Post, ...]:
        """Return the direct messages that a user takes part in, oldest first."""
        return tuple(post for post in self.posts if not post.channel and user in post.people)

    def unread(self, agent: str) -> tuple[Post, ...]:
        """Return what others wrote in channels or to the agent, and the agent has not fetched as unread."""
        return tuple(
            post
            for post in self.posts
            if post.sender != agent and post.ts not in self.read and (post.channel or agent in post.people)
        )


def slack(timeline: Timeline, entries: Iterable[Entry]) -> SlackState:
    """Fold the log into what Slack shows."""
    people = {timeline.player.name: None}
    people |= {member: None for team in timeline.teams for member in team.members}
    state = SlackState(users=tuple(people))
    for entry in entries:
        state = step(state, entry)
    return state


def step(state: SlackState, entry: Entry) -> SlackState:
    """Take one entry of the log into account."""
    if isinstance(entry, AgentAct):
        return _acted(state, entry)
    if isinstance(entry.payload, SlackEvent):
        return _conversation(state, entry, entry.payload)
    if isinstance(entry.payload, Ticket) and entry.payload.lead:
        return _known(state, (entry.payload.lead,))
    return state


def _conversation(state: SlackState, event: Event, slack_event: SlackEvent) -> SlackState:
    parent = state.opened.get(slack_event.reply_to)
    top = (parent.thread or parent.ts) if parent else ""
    posts: list[Post] = []
    for message in slack_event.messages:
        people = slack_event.recipients or (parent.people if parent else ())
        channel = slack_event.channel or (parent.channel if parent else "")
        post = Post(
            ts=_ts(event.at, len(state.posts) + len(posts)),
            at=event.at,
            sender=message.sender,
            text=message.text,
            channel=channel,
            people=people if channel else tuple(sorted({message.sender, *people})),
            thread=top,
            event=event.id,
        )
        posts.append(post)
        top = top or post.ts
    return _posted(state, posts, event.id)


def _acted(state: SlackState, act: AgentAct) -> SlackState:
    arguments = act.given
    if act.verb == "read":
        return replace(state, read=state.read | frozenset(arguments["ts"]))
    if act.verb == "say":
        channel, to = arguments.get("channel", ""), arguments.get("to", "")
        post = Post(
            ts=_ts(act.at, len(state.posts)),
            at=act.at,
            sender=act.actor,
            text=arguments["text"],
            channel=channel,
            people=() if channel else tuple(sorted({act.actor, to})),
            thread=arguments.get("thread", ""),
            event="",
            offline=bool(arguments.get("offline")),
        )
        return _posted(state, [post], act.id)
    return state


def _posted(state: SlackState, posts: list[Post], entry_id: str) -> SlackState:
    channels = dict.fromkeys((*state.channels, *(post.channel for post in posts if post.channel)))
    with_people = _known(state, _people(posts))
    return replace(
        with_people,
        posts=(*state.posts, *posts),
        channels=tuple(channels),
        opened={**state.opened, entry_id: posts[0]},
    )


def _people(posts: Iterable[Post]) -> Iterator[str]:
    for post in posts:
        yield post.sender
        yield from post.people


def _known(state: SlackState, people: Iterable[str]) -> SlackState:
    return replace(state, users=tuple(dict.fromkeys((*state.users, *people))))


def _ts(at: datetime, ordinal: int) -> str:
    return f"{int(at.timestamp())}.{ordinal + 1:06d}"
