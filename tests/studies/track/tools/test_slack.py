"""The tools of Slack."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.studies.track.tools.router import ToolFailed, ToolResult, ToolRouter
from memgauge.studies.track.tools.table import router
from memgauge.studies.track.world.state import World
from support.timeline import lamp


@pytest.fixture
def world() -> World:
    """Make the world of the lamp."""
    return World(lamp())


@pytest.fixture
def tools(world: World) -> ToolRouter:
    """Make its tools."""
    return router(world)


def failure(tools: ToolRouter, name: str, /, **given: Any) -> str:
    """Return the code of a call that has to fail."""
    with pytest.raises(ToolFailed) as caught:
        tools.call(name, given)
    return caught.value.code


def stamps(result: ToolResult) -> list[str]:
    """Return the messages that a result shows."""
    return [one.removeprefix("message:") for one in result.touched]


@pytest.mark.parametrize("channel", ["devices", "#devices", " #Devices "])
def test_a_channel_is_read_oldest_first(tools: ToolRouter, channel: str) -> None:
    """However it is spelled; replies are marked, and events that are shown are named once."""
    result = tools.call("get_channel_messages", {"channel": channel})
    first, second, third = result.text.splitlines()[1:]
    assert result.text.startswith("#devices:\n")
    assert first.endswith("2025-03-01 09:30 UTC ines: Hear, hear @omar.")
    assert f"omar (reply to {stamps(result)[0]}): Took it." in second
    assert "Fine." in third
    assert result.events == ("e2", "e5")


def test_pages_follow_each_other(tools: ToolRouter) -> None:
    """`after_id` goes on where the last page ended, until there is nothing more."""
    first = tools.call("get_channel_messages", {"channel": "devices", "limit": 1, "after_id": None})
    assert f"2 more: go on with after_id={stamps(first)[0]}" in first.text
    second = tools.call("get_channel_messages", {"channel": "devices", "after_id": stamps(first)[-1]})
    assert len(stamps(second)) == 2
    end = tools.call("get_channel_messages", {"channel": "devices", "after_id": stamps(second)[-1]})
    assert (end.text, end.events) == ("#devices: no further messages.", ())
    assert failure(tools, "get_channel_messages", channel="devices", after_id="1.2") == "message_not_found"


def test_direct_messages_are_those_of_a_user(tools: ToolRouter) -> None:
    """Also such that the agent has no part in: every event can be reached by some tool."""
    own = tools.call("get_direct_messages", {"with_user": "@omar"})
    assert "omar to CodeAgent: The buffer holds 48 entries." in own.text
    assert tools.call("get_direct_messages", {"with_user": "pia"}).events == ("e7",)
    assert tools.call("get_direct_messages", {"with_user": "ines"}).events == ("e7",)


def test_unread_messages_are_given_once(tools: ToolRouter) -> None:
    """Grouped by place, up to a limit, and then read; what is between others does not count as unread."""
    first = tools.call("get_unread_messages", {"limit": 3})
    assert first.text.splitlines()[0] == "#devices (2):"
    assert "direct messages of CodeAgent, omar (1):" in first.text
    assert "1 more are unread." in first.text
    assert first.events == ("e2", "e5", "e3")
    assert len(stamps(tools.call("get_unread_messages", {}))) == 1
    assert tools.call("get_unread_messages", {}).text == "No unread messages."


def test_places_and_people_are_listed(tools: ToolRouter) -> None:
    """Channels with their number of messages, users by name."""
    assert tools.call("list_channels", {}).text == "#devices (3 messages)"
    assert tools.call("list_users", {}).text.split() == ["CodeAgent", "pia", "ines", "omar"]
    empty = router(World(lamp(events=[], questions=[])))
    assert empty.call("list_channels", {}).text == "There are no channels."


def test_messages_are_sent(tools: ToolRouter, world: World) -> None:
    """To a channel with mentions, to a user, and while away; each can be read afterwards, and is no event."""
    sent = tools.call("send_channel_message", {"channel": "#devices", "message": "Thanks @omar and @nobody."})
    assert sent.text.endswith("; mentioned: omar.")
    tools.call("send_direct_message", {"to_user": "ines", "message": "Done."})
    tools.call("send_offline_message", {"to_user": "ines", "message": "Back soon."})
    read = tools.call("get_direct_messages", {"with_user": "ines"})
    assert "CodeAgent to ines: Done." in read.text
    assert "(left while away): Back soon." in read.text
    assert read.events == ("e7",)
    assert world.state.slack.posts[-1].sender == "CodeAgent"
    assert "Thanks" not in tools.call("get_unread_messages", {}).text


@pytest.mark.parametrize(
    ("name", "given", "code"),
    [
        ("get_channel_messages", {"channel": "sales"}, "channel_not_found"),
        ("send_channel_message", {"channel": "sales", "message": "x"}, "channel_not_found"),
        ("send_channel_message", {"channel": "devices", "message": "  "}, "empty_message"),
        ("send_direct_message", {"to_user": "zoe", "message": "x"}, "user_not_found"),
        ("send_offline_message", {"to_user": "zoe", "message": "x"}, "user_not_found"),
        ("get_direct_messages", {"with_user": "zoe"}, "user_not_found"),
    ],
)
def test_what_is_not_there_fails(
    tools: ToolRouter, world: World, name: str, given: dict[str, Any], code: str
) -> None:
    """With a code that says what is missing, and nothing is written."""
    before = world.hash
    assert failure(tools, name, **given) == code
    assert world.hash == before
