"""A subset of Slack's Web API over the same world: what a client needs to read, and to post."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import Tool, ToolFailed, ToolResult
from memgauge.studies.track.tools.schema import arguments, flag, integer, text
from memgauge.studies.track.world.log import stable_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memgauge.studies.track.world.slack import Post, SlackState
    from memgauge.studies.track.world.state import World

_PAGE = {"limit": integer(100), "cursor": text()}
_RANGE = {**_PAGE, "oldest": text(), "latest": text(), "inclusive": flag()}


class SlackApi:
    """The methods, each a tool whose text is the JSON that a client gets."""

    def __init__(self, world: World) -> None:
        self._world = world

    def tools(self) -> dict[str, Tool]:
        """Return the methods by name."""
        channel = {"channel": text()}
        list_arguments = {**_PAGE, "types": text(), "exclude_archived": flag()}
        post_arguments = {"text": text(), "thread_ts": text()}
        table: list[tuple[str, dict[str, Any], Callable[[Mapping[str, Any]], ToolResult]]] = [
            ("api.test", arguments({}), self._test),
            ("auth.test", arguments({}), self._auth),
            ("conversations.list", arguments({}, list_arguments), self._channels),
            ("conversations.info", arguments(channel), self._channel),
            ("conversations.open", arguments({}, {"users": text()}), self._open),
            ("conversations.history", arguments(channel, _RANGE), self._history),
            ("conversations.replies", arguments({**channel, "ts": text()}, _RANGE), self._replies),
            ("users.list", arguments({}, _PAGE), self._users),
            ("users.info", arguments({"user": text()}), self._user),
            ("chat.postMessage", arguments(channel, post_arguments), self._post),
        ]
        return {
            name: Tool(
                name, Platform.SLACK, "write" if name == "chat.postMessage" else "read", name, schema, method
            )
            for name, schema, method in table
        }

    @property
    def _state(self) -> SlackState:
        return self._world.state.slack

    def _id(self, kind: str, name: str) -> str:
        return kind + stable_id(self._world.timeline.name, kind, name).replace("-", "")[:10].upper()

    def _test(self, _: Mapping[str, Any]) -> ToolResult:
        return _answer({})

    def _auth(self, _: Mapping[str, Any]) -> ToolResult:
        agent = self._world.agent
        name = self._world.timeline.name
        return _answer(
            {"team": name, "team_id": self._id("T", name), "user": agent, "user_id": self._id("U", agent)}
        )

    def _channels(self, parameters: Mapping[str, Any]) -> ToolResult:
        channels, cursor = _cut(self._state.channels, parameters)
        touched = tuple(f"channel:{name}:{len(self._state.of_channel(name))}" for name in channels)
        return _answer({"channels": [self._as_channel(name) for name in channels]}, cursor, touched=touched)

    def _channel(self, parameters: Mapping[str, Any]) -> ToolResult:
        return _answer({"channel": self._as_channel(self._find_channel(parameters["channel"]))})

    def _open(self, parameters: Mapping[str, Any]) -> ToolResult:
        user = self._find_user(str(parameters.get("users") or ""))
        return _answer({"channel": {"id": self._id("D", user), "is_im": True, "user": self._id("U", user)}})

    def _history(self, parameters: Mapping[str, Any]) -> ToolResult:
        posts = [post for post in self._posts(parameters["channel"]) if not post.thread]
        return self._listed(list(reversed(posts)), parameters)

    def _replies(self, parameters: Mapping[str, Any]) -> ToolResult:
        posts = [post for post in self._posts(parameters["channel"]) if parameters["ts"] in {post.ts, post.thread}]
        if not posts:
            raise ToolFailed("thread_not_found", f"no message {parameters['ts']}")
        return self._listed(posts, parameters)

    def _users(self, parameters: Mapping[str, Any]) -> ToolResult:
        users, cursor = _cut(self._state.users, parameters)
        members = [self._as_user(name) for name in users]
        return _answer({"members": members}, cursor, touched=tuple(f"user:{name}" for name in users))

    def _user(self, parameters: Mapping[str, Any]) -> ToolResult:
        user = self._find_user(parameters["user"])
        return _answer({"user": self._as_user(user)}, touched=(f"user:{user}",))

    def _post(self, parameters: Mapping[str, Any]) -> ToolResult:
        message_text = str(parameters.get("text") or "").strip()
        if not message_text:
            raise ToolFailed("no_text", "a message has to say something")
        act: dict[str, Any] = {"text": message_text, "thread": parameters.get("thread_ts") or ""}
        where = self._place(parameters["channel"])
        act |= {"channel": where[1]} if where[0] == "C" else {"to": where[1]}
        if act["thread"] and not any(post.ts == act["thread"] for post in self._posts(parameters["channel"])):
            raise ToolFailed("thread_not_found", f"no message {act['thread']}")
        self._world.act("say", act)
        post = self._state.posts[-1]
        message = self._as_message(post, self._state.posts)
        content = {"channel": self._id(*where), "ts": post.ts, "message": message}
        return _answer(content, touched=(f"message:{post.ts}",))

    def _listed(self, posts: Sequence[Post], parameters: Mapping[str, Any]) -> ToolResult:
        posts_within = [post for post in posts if _within(post.ts, parameters)]
        page, cursor = _cut(posts_within, parameters)
        return _answer(
            {"messages": [self._as_message(post, self._state.posts) for post in page], "has_more": bool(cursor)},
            cursor,
            events=tuple(dict.fromkeys(post.event for post in page if post.event)),
            touched=tuple(f"message:{post.ts}" for post in page),
        )

    def _posts(self, channel: str) -> tuple[Post, ...]:
        kind, name = self._place(channel)
        return self._state.of_channel(name) if kind == "C" else self._state.with_user(name)

    def _place(self, name: str) -> tuple[str, str]:
        """Resolve a channel or a direct conversation, by id or by name."""
        for user in self._state.users:
            if name in {self._id("D", user), self._id("U", user), f"@{user}"}:
                return "D", user
        return "C", self._find_channel(name)

    def _find_channel(self, channel: str) -> str:
        for name in self._state.channels:
            if channel in {self._id("C", name), name, f"#{name}"}:
                return name
        raise ToolFailed("channel_not_found", f"no channel {channel}")

    def _find_user(self, user_name: str) -> str:
        for name in self._state.users:
            if user_name in {self._id("U", name), name}:
                return name
        raise ToolFailed("user_not_found", f"no user {user_name}")

    def _as_channel(self, name: str) -> dict[str, Any]:
        first_post = next(iter(self._state.of_channel(name)), None)
        created = int(first_post.at.timestamp()) if first_post else 0
        return {
            "id": self._id("C", name),
            "name": name,
            "is_channel": True,
            "is_archived": False,
            "created": created,
        }

    def _as_user(self, name: str) -> dict[str, Any]:
        profile = {"display_name": name, "real_name": name}
        return {"id": self._id("U", name), "name": name, "deleted": False, "profile": profile}

    def _as_message(self, post: Post, among: Iterable[Post]) -> dict[str, Any]:
        replies = [reply for reply in among if reply.thread == post.ts]
        message: dict[str, Any] = {
            "type": "message",
            "user": self._id("U", post.sender),
            "username": post.sender,
            "text": post.text,
            "ts": post.ts,
        }
        if post.thread or replies:
            message["thread_ts"] = post.thread or post.ts
        if replies:
            message |= {"reply_count": len(replies), "latest_reply": replies[-1].ts}
        return message


def _within(ts: str, parameters: Mapping[str, Any]) -> bool:
    oldest, latest = parameters.get("oldest"), parameters.get("latest")
    value = _seconds(ts)
    low, high = (_seconds(oldest) if oldest else None), (_seconds(latest) if latest else None)
    if parameters.get("inclusive"):
        return (low is None or value >= low) and (high is None or value <= high)
    return (low is None or value > low) and (high is None or value < high)


def _seconds(ts: str) -> tuple[int, int]:
    seconds, _, part = ts.partition(".")
    try:
        return int(seconds), int(part.ljust(6, "0")[:6] or 0)
    except ValueError as error:
        raise ToolFailed("invalid_ts", f"{ts!r} is no time") from error


def _cut(items: Sequence[Any], parameters: Mapping[str, Any]) -> tuple[Sequence[Any], str]:
    """Return one page and the cursor of the next one, empty at the end."""
    try:
        start = int(parameters.get("cursor") or 0)
    except ValueError as error:
        raise ToolFailed("invalid_cursor", f"{parameters['cursor']!r} was given by nobody here") from error
    end = start + min(int(parameters.get("limit") or 100), 1000)
    return items[start:end], str(end) if end < len(items) else ""


def _answer(
    content: Mapping[str, Any], cursor: str = "", *, events: tuple[str, ...] = (), touched: tuple[str, ...] = ()
) -> ToolResult:
    body = {"ok": True, **content, "response_metadata": {"next_cursor": cursor}}
    return ToolResult(json.dumps(body, ensure_ascii=False), events, touched)
