"""One table, one way to call: schemas, unknown arguments, failures, notices, rows."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools import schema
from memgauge.studies.track.tools.recording import Recorder
from memgauge.studies.track.tools.router import Tool, ToolFailed, ToolResult, ToolRouter
from memgauge.studies.track.tools.table import router
from memgauge.studies.track.world.clock import InstanceClock
from memgauge.studies.track.world.state import World
from support.timeline import lamp

if TYPE_CHECKING:
    from memgauge.studies.track.play.trajectory import Call

PUBLISHED = {
    "get_unread_messages": ([], ["limit"]),
    "send_channel_message": (["channel", "message"], []),
    "send_direct_message": (["to_user", "message"], []),
    "get_channel_messages": (["channel"], ["limit", "after_id"]),
    "get_direct_messages": (["with_user"], ["limit", "after_id"]),
    "list_channels": ([], []),
    "list_users": ([], []),
    "send_offline_message": (["to_user", "message"], []),
    "create_ticket": (["title", "description", "team"], ["priority", "lead", "status"]),
    "update_ticket": (["ticket_id"], ["title", "status"]),
    "get_ticket": (["ticket_id"], []),
    "list_tickets": ([], ["team", "status", "lead", "milestone", "priority"]),
    "delete_ticket": (["ticket_id"], []),
    "assign_ticket": (["ticket_id", "lead"], []),
    "add_team_member": (["team", "member"], []),
    "remove_team_member": (["team", "member"], []),
    "list_team_members": ([], ["team"]),
    "create_milestone": (["name", "description", "start_date", "end_date"], []),
    "update_milestone_progress": (["milestone", "completion_rate"], []),
    "list_milestones": ([], []),
}
"""MEMTRACK, appendix B.4: every tool of Slack and Linear, what it needs, and what it may have."""


def echo(given: Any) -> ToolResult:
    """Say what was given."""
    return ToolResult(str(dict(given)), ("e1",), ("thing:1",), exit_code=3)


def tool(name: str = "echo", **parts: Any) -> Tool:
    """Make a tool."""
    made = {"schema": schema.arguments({"a": schema.integer()}, {"b": schema.text()}), "run": echo, **parts}
    return Tool(name, Platform.SLACK, "read", "Says it.", **made)


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_tools_are_those_of_the_document(name: str) -> None:
    """Names and parameters of appendix B.4, with `null` allowed for what is optional."""
    described = router(World(lamp())).tools[name].schema
    needed, optional = PUBLISHED[name]
    assert described["required"] == needed
    assert set(optional) <= described["properties"].keys() - set(needed)
    assert all("null" in described["properties"][one]["type"] for one in optional)


def test_the_table_has_no_other_tools() -> None:
    """What is not handed in has no tools."""
    assert set(router(World(lamp())).tools) == set(PUBLISHED)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"a": 1, "z": 2}, "unknown argument 'z'; known: a, b"),
        ({}, "missing argument 'a'"),
        ({"a": "1"}, "'a' has to be integer, not '1'"),
        ({"a": True}, "'a' has to be integer"),
        ({"a": 0}, "'a' has to be at least 1"),
        ({"a": 1, "b": 2}, "'b' has to be string or null, not 2"),
        ([1], "the arguments are no object"),
        (None, "the arguments are no object"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(given: Any, problem: str) -> None:
    """The model sees what is wrong; nothing is dropped in silence."""
    with pytest.raises(ToolFailed, match=problem) as caught:
        ToolRouter([tool()]).call("echo", given)
    assert caught.value.code == "invalid_arguments"


def test_every_kind_of_schema_is_checked() -> None:
    """Lists, numbers in bounds, flags and objects."""
    table = schema.arguments(
        {},
        {
            "list": schema.texts(),
            "share": schema.number(minimum=0, maximum=1),
            "flag": schema.flag("yes or no"),
            "any": schema.mapping(),
            "count": schema.integer(5, "how many", minimum=0),
        },
    )
    good = {"list": ["a"], "share": 1, "flag": False, "any": {"x": []}, "count": 0}
    assert schema.check(table, good) == ""
    assert schema.check(table, dict.fromkeys(good)) == ""
    assert schema.check(table, {"count": 2.0}) == ""
    assert "every item" in schema.check(table, {"list": [1]})
    assert "at most 1" in schema.check(table, {"share": 1.5})
    assert "boolean or null" in schema.check(table, {"flag": 1})
    assert table["properties"]["count"] == {
        "type": ["integer", "null"],
        "description": "how many",
        "minimum": 0,
        "default": 5,
    }


def test_an_unknown_tool_is_a_failed_call() -> None:
    """The reason names what there is."""
    with pytest.raises(ToolFailed, match="unknown_tool: there is no tool 'sing'; there are echo"):
        ToolRouter([tool()]).call("sing", {})


def test_two_tools_cannot_share_a_name() -> None:
    """One name, one tool."""
    with pytest.raises(ValueError, match="two tools are called echo"):
        ToolRouter([tool(), tool()])


def test_a_tool_is_described_where_it_is_written() -> None:
    """A method's name, its schema and its docstring are what models are offered."""
    offered = router(World(lamp())).tools["list_channels"]
    assert (offered.description, offered.effect) == ("List all channels of the workspace.", "read")
    assert offered.schema == schema.arguments({})


def test_a_notice_comes_with_the_next_result() -> None:
    """Time goes on with every call, failed ones among them; what arrived is named below the result."""
    world = World(lamp(), InstanceClock("live", start=2))
    called = router(world)
    result = called.call("list_channels", {})
    assert result.notice == "[notification] 1 new Slack message in direct messages."
    assert result.shown == f"{result.text}\n\n{result.notice}"
    with pytest.raises(ToolFailed):
        called.call("sing", {})
    assert len(world.log) == 4
    assert ToolResult("x").shown == "x"


def test_every_call_leaves_a_row() -> None:
    """Worked or not, known or not: numbered, timed, with what it revealed."""
    rows: list[Call] = []
    ticks = itertools.count()
    recorder = Recorder(
        ToolRouter([tool()]),
        lambda: datetime(2025, 1, 1, tzinfo=UTC),
        rows.append,
        clock=lambda: next(ticks) / 1000,
    )
    recorder.progress.question = "q1"
    recorder.call("echo", {"a": 1})
    for name in ("echo", "sing"):
        with pytest.raises(ToolFailed):
            recorder.over(ToolRouter([tool()])).call(name, {})
    assert [(row.seq, row.ok, row.platform, row.error.partition(":")[0]) for row in rows] == [
        (0, True, Platform.SLACK, ""),
        (1, False, Platform.SLACK, "invalid_arguments"),
        (2, False, None, "unknown_tool"),
    ]
    first = rows[0]
    assert (first.question, first.at, first.events, first.touched, first.exit_code) == (
        "q1",
        "2025-01-01T00:00:00+00:00",
        ("e1",),
        ("thing:1",),
        3,
    )
    assert first.ms == pytest.approx(1.0)
    assert rows[2].text == rows[2].error


def test_a_tool_that_breaks_leaves_a_row_too() -> None:
    """An error of this machine is a failed call with a reason, whoever made it."""

    def broken(_: Any) -> ToolResult:
        raise OSError("disk on fire")

    rows: list[Call] = []
    recorder = Recorder(ToolRouter([tool(run=broken)]), lambda: datetime(2025, 1, 1, tzinfo=UTC), rows.append)
    with pytest.raises(ToolFailed, match="internal_error: echo did not work: disk on fire"):
        recorder.call("echo", {"a": 1})
    assert [(row.ok, row.text) for row in rows] == [(False, "internal_error: echo did not work: disk on fire")]
