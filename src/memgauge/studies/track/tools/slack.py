"""The eight tools of Slack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import Tool, ToolFailed, ToolResult
from memgauge.studies.track.tools.schema import arguments, integer, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.studies.track.tools.router import Effect
    from memgauge.studies.track.world.slack import Post, SlackState
    from memgauge.studies.track.world.state import World

LIMIT = 50


class SlackTools:
    """What an agent can do on Slack, over one world."""

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def _state(self) -> SlackState:
        return self._world.state.slack

    def tools(self) -> tuple[Tool, ...]:
        """Return the table."""
        page = {"limit": integer(LIMIT), "after_id": text("only what follows the message with this id")}
        return (
            _tool("get_unread_messages", "write", UNREAD, arguments({}, {"limit": integer(LIMIT)}), self.unread),
            _tool("send_channel_message", "write", SEND, arguments(_needs("channel", "message")), self.send),
            _tool("send_direct_message", "write", DIRECT, arguments(_needs("to_user", "message")), self.direct),
            _tool("get_channel_messages", "read", CHANNEL, arguments(_needs("channel"), page), self.channel),
            _tool("get_direct_messages", "read", DIRECTS, arguments(_needs("with_user"), page), self.directs),
            _tool("list_channels", "read", "List all channels of the workspace.", arguments({}), self.channels),
            _tool("list_users", "read", "List all users of the workspace.", arguments({}), self.users),
            _tool("send_offline_message", "write", OFFLINE, arguments(_needs("to_user", "message")), self.offline),
        )

    def unread(self, given: Mapping[str, Any]) -> ToolResult:
        """Return what is unread, by place, and mark it as read."""
        waiting = self._state.unread(self._world.agent)
        limit = int(given.get("limit") or LIMIT)
        shown = waiting[:limit]
        if not shown:
            return ToolResult("No unread messages.")
        places: dict[str, list[Post]] = {}
        for post in shown:
            places.setdefault(_place(post), []).append(post)
        blocks = [f"{place} ({len(posts)}):\n{_lines(posts)}" for place, posts in places.items()]
        if len(waiting) > limit:
            blocks.append(f"{len(waiting) - limit} more are unread.")
        self._world.act("read", {"ts": [post.ts for post in shown]})
        return _result("\n\n".join(blocks), [post for posts in places.values() for post in posts])

    def channel(self, given: Mapping[str, Any]) -> ToolResult:
        """Return messages of a channel, oldest first."""
        name = self.find_channel(given["channel"])
        return _page(f"#{name}", self._state.of_channel(name), given)

    def directs(self, given: Mapping[str, Any]) -> ToolResult:
        """Return the direct messages that a user takes part in, oldest first."""
        user = self.find_user(given["with_user"])
        return _page(f"direct messages with {user}", self._state.with_user(user), given)

    def channels(self, _: Mapping[str, Any]) -> ToolResult:
        """List channels."""
        state = self._state
        counted = [(name, len(state.of_channel(name))) for name in state.channels]
        listed = "\n".join(
            f"#{name} ({count} {'message' if count == 1 else 'messages'})" for name, count in counted
        )
        return ToolResult(
            listed or "There are no channels.", touched=tuple(f"channel:{name}:{count}" for name, count in counted)
        )

    def users(self, _: Mapping[str, Any]) -> ToolResult:
        """List users."""
        return ToolResult(
            "\n".join(self._state.users), touched=tuple(f"user:{name}" for name in self._state.users)
        )

    def send(self, given: Mapping[str, Any]) -> ToolResult:
        """Send a message to a channel."""
        name = self.find_channel(given["channel"])
        post = self._say({"channel": name, "text": _said(given)})
        known = [user for user in post.mentions if user in self._state.users]
        told = f"; mentioned: {', '.join(known)}" if known else ""
        return ToolResult(f"Sent to #{name} as {post.ts}{told}.", touched=(f"message:{post.ts}",))

    def direct(self, given: Mapping[str, Any]) -> ToolResult:
        """Send a direct message."""
        user = self.find_user(given["to_user"])
        post = self._say({"to": user, "text": _said(given)})
        return ToolResult(f"Sent to {user} as {post.ts}.", touched=(f"message:{post.ts}",))

    def offline(self, given: Mapping[str, Any]) -> ToolResult:
        """Send a direct message that says that its sender is away."""
        user = self.find_user(given["to_user"])
        post = self._say({"to": user, "text": _said(given), "offline": True})
        return ToolResult(f"Left for {user} as {post.ts}; you are away.", touched=(f"message:{post.ts}",))

    def find_channel(self, named: str) -> str:
        """Return a channel as it is spelled.

        Raises:
            ToolFailed: There is none.
        """
        wanted = named.strip().removeprefix("#").casefold()
        for channel in self._state.channels:
            if channel.casefold() == wanted:
                return channel
        raise ToolFailed("channel_not_found", f"there is no channel {named!r}; list_channels names them")

    def find_user(self, named: str) -> str:
        """Return a user as they are spelled.

        Raises:
            ToolFailed: There is nobody of that name.
        """
        wanted = named.strip().removeprefix("@").casefold()
        for user in self._state.users:
            if user.casefold() == wanted:
                return user
        raise ToolFailed("user_not_found", f"there is no user {named!r}; list_users names them")

    def _say(self, given: Mapping[str, Any]) -> Post:
        self._world.act("say", given)
        return self._state.posts[-1]


UNREAD = "Fetch unread messages, grouped by channel or direct message; they are marked as read."
SEND = "Send a message to a channel; @username mentions somebody."
DIRECT = "Send a direct message to another user."
CHANNEL = "Read messages of a channel, oldest first; go on with after_id."
DIRECTS = "Read the direct messages that a user takes part in, oldest first; go on with after_id."
OFFLINE = "Leave a direct message while you are away from your desk."


def _tool(name: str, effect: Effect, description: str, schema: Mapping[str, Any], run: Any) -> Tool:
    return Tool(name, Platform.SLACK, effect, description, schema, run)


def _needs(*names: str) -> dict[str, Any]:
    return {name: text() for name in names}


def _said(given: Mapping[str, Any]) -> str:
    message = str(given["message"]).strip()
    if not message:
        raise ToolFailed("empty_message", "a message has to say something")
    return message


def _page(title: str, posts: Sequence[Post], given: Mapping[str, Any]) -> ToolResult:
    after = given.get("after_id")
    if after:
        number = next((number for number, post in enumerate(posts) if post.ts == after), None)
        if number is None:
            raise ToolFailed("message_not_found", f"there is no message {after!r} in {title}")
        posts = posts[number + 1 :]
    shown = posts[: int(given.get("limit") or LIMIT)]
    if not shown:
        return ToolResult(f"{title}: no {'further ' if after else ''}messages.")
    left = len(posts) - len(shown)
    more = f"\n{left} more: go on with after_id={shown[-1].ts}" if left else ""
    return _result(f"{title}:\n{_lines(shown)}{more}", shown)


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
