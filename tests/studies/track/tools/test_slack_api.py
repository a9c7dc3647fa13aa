"""Slack's Web API in process: methods, ids, pages, ranges, failures, rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.studies.track.tools.recording import Recorder
from memgauge.studies.track.tools.serve import http_app, servers_of
from memgauge.studies.track.tools.table import router
from memgauge.studies.track.world.clock import InstanceClock
from memgauge.studies.track.world.state import World
from support import Later
from support.timeline import lamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.track.play.trajectory import Call

NEEDS = Later("mcp"), Later("httpx2")

ROWS: list[Call] = []


class Api:
    """Asks one method after another."""

    def __init__(self, client: Any, world: World) -> None:
        self.client = client
        self.world = world

    def __call__(self, method: str, **given: Any) -> Any:
        """Ask as a client does: a form, and a token."""
        headers = {"Authorization": "Bearer xoxb-any"}
        return self.client.post(f"/slack/api/{method}", data=given, headers=headers).json()


@pytest.fixture
def api() -> Iterator[Api]:
    """Serve the lamp's world in this process; only the last two events are still to come."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from starlette.testclient import TestClient

    ROWS.clear()
    world = World(lamp(), InstanceClock("live", start=7, events=1, every="question"))
    recorder = Recorder(router(world), lambda: world.now, ROWS.append)
    app = http_app(servers_of(router(world), recorder), world, recorder)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield Api(client, world)


def test_the_index_names_what_is_served(api: Api) -> None:
    """A person who opens the address finds the servers."""
    assert api.client.get("/").json() == {
        "servers": {"slack": "/slack/mcp", "linear": "/linear/mcp", "all": "/all/mcp"},
        "slack_api": "/slack/api/",
    }


def test_ids_are_slacks_and_names_do_as_well(api: Api) -> None:
    """Channels, users and direct conversations have ids of their own kind; names are taken too."""
    (channel,) = api("conversations.list")["channels"]
    assert (channel["id"][0], len(channel["id"]), channel["created"]) == ("C", 11, 1740821400)
    for named in (channel["id"], "devices", "#devices"):
        assert api("conversations.info", channel=named)["channel"] == channel
    omar = next(one for one in api("users.list")["members"] if one["name"] == "omar")
    assert api("users.info", user=omar["id"])["user"] == omar == api("users.info", user="omar")["user"]
    direct = api("conversations.open", users=omar["id"])["channel"]
    for named in (direct["id"], omar["id"], "@omar"):
        (message,) = api("conversations.history", channel=named)["messages"]
        assert message["text"] == "The buffer holds 48 entries."
    assert api("auth.test")["user_id"][0] == "U"
    assert api("api.test")["ok"]


def test_history_is_newest_first_without_replies(api: Api) -> None:
    """As Slack has it: replies are found under what they reply to, page by page."""
    api("chat.postMessage", channel="devices", text="And now?")
    first, second = api("conversations.history", channel="devices")["messages"]
    assert (first["text"], second["text"]) == ("And now?", "Hear, hear @omar.")
    assert (second["reply_count"], second["thread_ts"]) == (2, second["ts"])
    page = api("conversations.history", channel="devices", limit="1")
    assert page["has_more"]
    rest = api(
        "conversations.history", channel="devices", limit=1, cursor=page["response_metadata"]["next_cursor"]
    )
    assert [one["ts"] for one in rest["messages"]] == [second["ts"]]
    replies = api("conversations.replies", channel="devices", ts=second["ts"])["messages"]
    assert [one["text"] for one in replies] == ["Hear, hear @omar.", "Took it.", "Fine."]


def test_ranges_cut(api: Api) -> None:
    """With the ends or without."""

    def found(**given: Any) -> int:
        return len(api("conversations.history", channel="devices", **given)["messages"])

    ts = api("conversations.history", channel="devices")["messages"][0]["ts"]
    assert (found(oldest=ts), found(oldest=ts, inclusive=1), found(latest=ts, inclusive="true")) == (0, 1, 1)
    assert (found(latest=ts), found(latest="9999999999"), found(oldest="1")) == (0, 1, 1)


def test_messages_are_posted(api: Api) -> None:
    """To a channel, into a thread, and to a user; the world has them."""
    parent = api("conversations.history", channel="devices")["messages"][0]["ts"]
    posted = api("chat.postMessage", channel="devices", text="Hi.", thread_ts=parent)
    assert (posted["message"]["thread_ts"], posted["ts"]) == (parent, api.world.state.slack.posts[-1].ts)
    direct = api("chat.postMessage", channel="@ines", text="Psst.")
    assert (direct["channel"][0], api.world.state.slack.posts[-1].people) == ("D", ("CodeAgent", "ines"))


@pytest.mark.parametrize(
    ("method", "given", "error"),
    [
        ("conversations.history", {"channel": "C0"}, "channel_not_found"),
        ("conversations.history", {}, "invalid_arguments"),
        ("conversations.history", {"channel": "devices", "limit": "many"}, "invalid_arguments"),
        ("conversations.history", {"channel": "devices", "cursor": "x"}, "invalid_cursor"),
        ("conversations.history", {"channel": "devices", "oldest": "x"}, "invalid_ts"),
        ("conversations.replies", {"channel": "devices", "ts": "1.2"}, "thread_not_found"),
        ("conversations.open", {}, "user_not_found"),
        ("chat.postMessage", {"channel": "devices"}, "no_text"),
        ("chat.postMessage", {"channel": "devices", "text": "x", "thread_ts": "1.2"}, "thread_not_found"),
        ("reactions.add", {}, "unknown_method"),
    ],
)
def test_failures_have_slacks_names(api: Api, method: str, given: dict[str, str], error: str) -> None:
    """Clients know them."""
    answer = api(method, **given)
    assert (answer["ok"], answer["error"]) == (False, error)


def test_bodies_of_every_kind_are_read(api: Api) -> None:
    """JSON, forms, addresses; what is no JSON object says nothing, and without a token nobody is served."""
    headers = {"Authorization": "Bearer x", "Content-Type": "application/json"}
    ask = api.client.post
    given = b'{"channel": "devices", "limit": 1, "surprise": true, "latest": null}'
    assert ask("/slack/api/conversations.history", content=given, headers=headers).json()["ok"]
    for odd in (b"{", b"[]"):
        assert ask("/slack/api/api.test", content=odd, headers=headers).json()["ok"]
    assert api.client.get("/slack/api/users.info?user=omar&token=x").json()["user"]["name"] == "omar"
    assert ask("/slack/api/users.list").json()["error"] == "not_authed"


def test_calls_are_rows_and_time_passes(api: Api) -> None:
    """Numbered, with the events that were shown; failures among them."""
    api("conversations.history", channel="devices")
    api("chat.postMessage", channel="devices", text="x")
    api("users.info", user="zoe")
    assert [(row.seq, row.tool, row.effect, row.ok, row.events) for row in ROWS] == [
        (0, "conversations.history", "read", True, ("e2",)),
        (1, "chat.postMessage", "write", True, ()),
        (2, "users.info", "read", False, ()),
    ]
