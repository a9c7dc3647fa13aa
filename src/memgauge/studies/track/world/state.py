"""The world of one instance: a log that only grows, and states that are functions of it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from memgauge.studies.track.timeline.models import Commit, Event, SlackEvent, Ticket
from memgauge.studies.track.world import linear, slack
from memgauge.studies.track.world.clock import STATIC, InstanceClock
from memgauge.studies.track.world.log import ACT, AgentAct, Entry, stable_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.studies.track.timeline.models import Timeline
    from memgauge.studies.track.world.linear import LinearState
    from memgauge.studies.track.world.slack import Post, SlackState


Verbosity = Literal["off", "low", "high"]
"""``low``: how many and where. ``high``: from whom as well."""
_NO_TIME = datetime.fromtimestamp(0, UTC)
"""What time it is where nothing ever happens."""


@dataclass(frozen=True)
class PlatformState:
    """What the platforms show at one moment."""

    slack: SlackState
    linear: LinearState
    commits: tuple[Event, ...]
    """Git events that have happened, oldest first."""

    @property
    def hash(self) -> str:
        """Hash everything that a tool could show."""
        content = {
            "posts": [asdict(post) for post in self.slack.posts],
            "users": self.slack.users,
            "read": sorted(self.slack.read),
            "issues": {key: asdict(issue) for key, issue in self.linear.issues.items()},
            "teams": self.linear.teams,
            "milestones": {key: asdict(milestone) for key, milestone in self.linear.milestones.items()},
            "commits": [event.model_dump(mode="json") for event in self.commits],
        }
        text = json.dumps(content, sort_keys=True, default=str, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()


def fold(timeline: Timeline, entries: Sequence[Entry]) -> PlatformState:
    """Make the state of a log; equal logs make equal states."""
    return PlatformState(
        slack.slack(timeline, entries),
        linear.linear(timeline, entries),
        tuple(entry for entry in entries if isinstance(entry, Event) and isinstance(entry.payload, Commit)),
    )


class World:
    """One instance being played: what has happened, what the agent did, and what time it is."""

    def __init__(self, timeline: Timeline, clock: InstanceClock = STATIC, *, notices: Verbosity = "low") -> None:
        """Begin, with as many events as *clock* lets have happened."""
        self.timeline = timeline
        self.agent = timeline.player.name
        self._clock = clock
        self._notices = notices
        self._happened = clock.first([event.at for event in timeline.events])
        self._log: list[Entry] = list(timeline.events[: self._happened])
        self._state = fold(timeline, self._log)

    @property
    def log(self) -> tuple[Entry, ...]:
        """Return everything that happened, in order."""
        return tuple(self._log)

    @property
    def state(self) -> PlatformState:
        """Return what the platforms show now."""
        return self._state

    @property
    def hash(self) -> str:
        """Return the hash of what the platforms show now."""
        return self._state.hash

    @property
    def now(self) -> datetime:
        """Return the simulated time: that of the last event that happened, else of the first one to come."""
        events = self.timeline.events
        return events[max(self._happened - 1, 0)].at if events else _NO_TIME

    def tick(self, kind: Literal["call", "question"]) -> str:
        """Let time go on after a call or before a question; returns a notice, mostly empty."""
        happened = self._clock.next(self._happened, len(self.timeline.events), kind)
        new_events = self.timeline.events[self._happened : happened]
        if not new_events:
            return ""
        post_count = len(self._state.slack.posts)
        self._happened = happened
        for event in new_events:
            self._append(event)
        return notice(new_events, self._state.slack.posts[post_count:], self._notices)

    def act(self, verb: str, given: Mapping[str, Any], *, actor: str = "") -> AgentAct:
        """Write down something that the agent does, or that a platform does for it under the name *actor*."""
        act = AgentAct(f"{ACT}{self.new_id('act')}", self.now, actor or self.agent, verb, given)
        self._append(act)
        return act

    def new_id(self, kind: str) -> str:
        """Make an id for what the agent is about to make."""
        return stable_id(self.timeline.name, kind, len(self._log))

    def _append(self, entry: Entry) -> None:
        self._log.append(entry)
        commits = self._state.commits
        if isinstance(entry, Event) and isinstance(entry.payload, Commit):
            commits = (*commits, entry)
        self._state = PlatformState(
            slack.step(self._state.slack, entry), linear.step(self._state.linear, entry), commits
        )


def notice(events: Sequence[Event], posts: Iterable[Post], verbosity: Verbosity) -> str:
    """Write one line about events that have just happened; empty where there is nothing to say."""
    if verbosity == "off" or not events:
        return ""
    counts = Counter(_place(post, verbosity) for post in posts)
    parts = [f"{count} new Slack {_plural('message', count)} {place}" for place, count in counts.items()]
    for kind, name in ((Ticket, "Linear change"), (Commit, "Git commit")):
        payloads = [event.payload for event in events if isinstance(event.payload, kind)]
        if payloads:
            parts.append(f"{len(payloads)} new {_plural(name, len(payloads))}{_by(payloads, verbosity)}")
    return f"[notification] {'; '.join(parts)}." if parts else ""


def _place(post: Post, verbosity: Verbosity) -> str:
    where = f"in #{post.channel}" if post.channel else "in direct messages"
    return f"{where} from {post.sender}" if verbosity == "high" else where


def _by(payloads: Sequence[SlackEvent | Ticket | Commit], verbosity: Verbosity) -> str:
    if verbosity == "low":
        return ""
    names = [
        payload.team if isinstance(payload, Ticket) else getattr(payload, "author", "") for payload in payloads
    ]
    distinct_names = list(dict.fromkeys(name for name in names if name))
    word = "in team" if isinstance(payloads[0], Ticket) else "by"
    return f" {word} {', '.join(distinct_names)}" if distinct_names else ""


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
