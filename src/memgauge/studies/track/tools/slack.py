"""The eight tools of Slack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import ToolFailed, ToolResult, Toolset, offered
from memgauge.studies.track.tools.schema import integer, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.studies.track.world.slack import Post, SlackState
    from memgauge.studies.track.world.state import World

LIMIT = 50
_LIMIT = {"limit": integer(LIMIT)}
_PAGE = {**_LIMIT, "after_id": text("only what follows the message with this id")}
_DIRECT = {"to_user": text(), "message": text()}


class SlackTools(Toolset):
    """What an agent can do on Slack, over one world."""

    platform = Platform.SLACK

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def _state(self) -> SlackState:
        return self._world.state.slack

    @offered("write", optional=_LIMIT)
    def get_unread_messages(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Fetch unread messages, grouped by channel or direct message; they are marked as read."""
        waiting = self._state.unread(self._world.agent)
        limit = int(arguments.get("limit") or LIMIT)
        posts_shown = waiting[:limit]
        if not posts_shown:
            return ToolResult("No unread messages.")
        places: dict[str, list[Post]] = {}
        for post in posts_shown:
            places.setdefault(_place(post), []).append(post)
        blocks = [f"{place} ({len(posts)}):\n{_lines(posts)}" for place, posts in places.items()]
        if len(waiting) > limit:
            blocks.append(f"{len(waiting) - limit} more are unread.")
        self._world.act("read", {"ts": [post.ts for post in posts_shown]})
        return _result("\n\n".join(blocks), [post for posts in places.values() for post in posts])

    @offered("write", {"channel": text(), "message": text()})
    def send_channel_message(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Send a message to a channel; @username mentions somebody."""
        name = self._channel(arguments["channel"])
        post = self._say(arguments, channel=name)
        known_users = [user for user in post.mentions if user in self._state.users]
        mention_note = f"; mentioned: {', '.join(known_users)}" if known_users else ""
        return ToolResult(f"Sent to #{name} as {post.ts}{mention_note}.", touched=(f"message:{post.ts}",))

    @offered("write", _DIRECT)
    def send_direct_message(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Send a direct message to another user."""
        user = self._user(arguments["to_user"])
        post = self._say(arguments, to=user)
        return ToolResult(f"Sent to {user} as {post.ts}.", touched=(f"message:{post.ts}",))

    @offered("read", {"channel": text()}, _PAGE)
    def get_channel_messages(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Read messages of a channel, oldest first; go on with after_id."""
        name = self._channel(arguments["channel"])
        return _page(f"#{name}", self._state.of_channel(name), arguments)

    @offered("read", {"with_user": text()}, _PAGE)
    def get_direct_messages(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Read the direct messages that a user takes part in, oldest first; go on with after_id."""
        user = self._user(arguments["with_user"])
        return _page(f"direct messages with {user}", self._state.with_user(user), arguments)

    @offered("read")
    def list_channels(self, _: Mapping[str, Any]) -> ToolResult:
        """List all channels of the workspace."""
        counts = {name: len(self._state.of_channel(name)) for name in self._state.channels}
        lines = [f"#{name} ({count} {'message' if count == 1 else 'messages'})" for name, count in counts.items()]
        touched = tuple(f"channel:{name}:{count}" for name, count in counts.items())
        return ToolResult("\n".join(lines) or "There are no channels.", touched=touched)

    @offered("read")
    def list_users(self, _: Mapping[str, Any]) -> ToolResult:
        """List all users of the workspace."""
        users = self._state.users
        return ToolResult("\n".join(users), touched=tuple(f"user:{name}" for name in users))

    @offered("write", _DIRECT)
    def send_offline_message(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Leave a direct message while you are away from your desk."""
        user = self._user(arguments["to_user"])
        post = self._say(arguments, to=user, offline=True)
        return ToolResult(f"Left for {user} as {post.ts}; you are away.", touched=(f"message:{post.ts}",))

    def _channel(self, named: str) -> str:
        name = _spelled(named, "#", self._state.channels)
        if name is None:
            raise ToolFailed("channel_not_found", f"there is no channel {named!r}; list_channels names them")
        return name

    def _user(self, named: str) -> str:
        name = _spelled(named, "@", self._state.users)
        if name is None:
            raise ToolFailed("user_not_found", f"there is no user {named!r}; list_users names them")
        return name

    def _say(self, arguments: Mapping[str, Any], **where: Any) -> Post:
        message = str(arguments["message"]).strip()
        if not message:
            raise ToolFailed("empty_message", "a message has to say something")
        self._world.act("say", {**where, "text": message})
        return self._state.posts[-1]


def _spelled(named: str, mark: str, names: Iterable[str]) -> str | None:
    """Return a name as it is spelled; ``None`` where there is none."""
    folded_name = named.strip().removeprefix(mark).casefold()
    return next((name for name in names if name.casefold() == folded_name), None)


def _page(title: str, posts: Sequence[Post], arguments: Mapping[str, Any]) -> ToolResult:
    after_id = arguments.get("after_id")
    if after_id:
        number = next((number for number, post in enumerate(posts) if post.ts == after_id), None)
        if number is None:
            raise ToolFailed("message_not_found", f"there is no message {after_id!r} in {title}")
        posts = posts[number + 1 :]
    posts_shown = posts[: int(arguments.get("limit") or LIMIT)]
    if not posts_shown:
        return ToolResult(f"{title}: no {'further ' if after_id else ''}messages.")
    remaining = len(posts) - len(posts_shown)
    note = f"\n{remaining} more: go on with after_id={posts_shown[-1].ts}" if remaining else ""
    return _result(f"{title}:\n{_lines(posts_shown)}{note}", posts_shown)


def _result(shown: str, posts: Iterable[Post]) -> ToolResult:
    posts = tuple(posts)
    events = dict.fromkeys(post.event for post in posts if post.event)
    return ToolResult(shown, tuple(events), tuple(f"message:{post.ts}" for post in posts))


def _place(post: Post) -> str:
    return f"#{post.channel}" if post.channel else f"direct messages of {', '.join(post.people)}"


def _lines(posts: Iterable[Post]) -> str:
    return "\n".join(_line(post) for post in posts)


def _line(post: Post) -> str:
    to = [person for person in post.people if person != post.sender]
    whom = f" to {', '.join(to)}" if to else ""
    marks = f" (reply to {post.thread})" if post.thread else ""
    marks += " (left while away)" if post.offline else ""
    return f"[{post.ts}] {post.at:%Y-%m-%d %H:%M} UTC {post.sender}{whom}{marks}: {post.text}"
