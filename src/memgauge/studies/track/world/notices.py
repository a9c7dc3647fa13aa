"""What the agent is told about what arrived: names of places, never what stands there."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from memgauge.studies.track.timeline.models import Commit, SlackEvent, Ticket

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.studies.track.timeline.models import Event
    from memgauge.studies.track.world.slack import Post

Verbosity = Literal["off", "low", "high"]
"""``low``: how many and where. ``high``: from whom as well."""


def notice(events: Sequence[Event], posts: Iterable[Post], verbosity: Verbosity) -> str:
    """Write one line about events that have just happened; empty where there is nothing to say."""
    if verbosity == "off" or not events:
        return ""
    counted = Counter(_place(post, verbosity) for post in posts)
    parts = [f"{count} new Slack {_plural('message', count)} {place}" for place, count in counted.items()]
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
    known = list(dict.fromkeys(name for name in names if name))
    word = "in team" if isinstance(payloads[0], Ticket) else "by"
    return f" {word} {', '.join(known)}" if known else ""


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
