"""The world: pure folds of a log, simulated time, stable ids, notices that quote nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.studies.track.timeline.models import Event, Timeline
from memgauge.studies.track.world.clock import InstanceClock
from memgauge.studies.track.world.linear import ticket_id
from memgauge.studies.track.world.log import stable_id
from memgauge.studies.track.world.state import Verbosity, World, fold, notice
from support.timeline import lamp

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
EVENTS = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "kind": st.just("message"),
                "channel": st.sampled_from(["a", "b", ""]),
                "recipients": st.lists(st.sampled_from(["x", "y"]), max_size=2),
                "messages": st.lists(
                    st.fixed_dictionaries({"sender": st.sampled_from("xyz"), "text": st.text(max_size=5)}),
                    min_size=1,
                    max_size=3,
                ),
            }
        ),
        st.fixed_dictionaries(
            {
                "kind": st.just("ticket"),
                "title": st.sampled_from(["t", "T ", "u"]),
                "team": st.sampled_from(["m", ""]),
            },
            optional={"status": st.sampled_from(["todo", "done"]), "lead": st.sampled_from("xy")},
        ),
        st.fixed_dictionaries({"kind": st.just("commit"), "author": st.sampled_from("xy")}),
    ),
    max_size=8,
)


def timeline(payloads: list[dict[str, Any]]) -> Timeline:
    """Put payloads a minute apart."""
    start = datetime(2025, 1, 1, tzinfo=UTC)
    events = [
        {"id": f"e{n}", "at": start + timedelta(minutes=n), "payload": payload}
        for n, payload in enumerate(payloads)
    ]
    return Timeline.model_validate({"name": "any", "events": events})


@given(EVENTS, st.integers(0, 8))
def test_a_state_is_a_function_of_the_log(payloads: list[dict[str, Any]], count: int) -> None:
    """Event by event or all at once, live or looked back at: the same log gives the same state."""
    whole = timeline(payloads)
    live = World(whole, InstanceClock("live", start=0))
    for _ in range(count):
        live.tick("call")
    happened = whole.events[:count]
    assert live.state == fold(whole, happened)
    assert live.hash == fold(whole, happened).hash
    if happened:
        assert World(whole, InstanceClock(until=happened[-1].at)).hash == live.hash


@given(EVENTS)
def test_nothing_said_is_lost(payloads: list[dict[str, Any]]) -> None:
    """Every message is a post with an id of its own, in order, and everybody who is named is a user."""
    state = World(timeline(payloads)).state.slack
    said = [one["text"] for payload in payloads for one in payload.get("messages", ())]
    assert [post.text for post in state.posts] == said
    stamps = [tuple(map(int, post.ts.split("."))) for post in state.posts]
    assert stamps == sorted(set(stamps))
    assert {post.sender for post in state.posts} <= set(state.users)
    assert all(post.thread in {"", *(other.ts for other in state.posts)} for post in state.posts)


def test_threads_and_replies_have_parents() -> None:
    """A reply goes where its parent stands, and under the message that opened the thread."""
    posts = World(lamp()).state.slack.posts
    parent, first, second = posts[0], posts[2], posts[3]
    assert (first.channel, first.thread, second.thread) == ("devices", parent.ts, parent.ts)
    assert (parent.thread, parent.event, first.event) == ("", "e2", "e5")
    assert parent.mentions == ("omar",)
    assert posts[1].people == ("CodeAgent", "omar")


def test_a_thread_of_one_event_hangs_together() -> None:
    """The first message opens it."""
    said = {"kind": "message", "channel": "c", "messages": [{"sender": "x", "text": str(n)} for n in range(3)]}
    posts = World(timeline([said])).state.slack.posts
    assert [post.thread for post in posts] == ["", posts[0].ts, posts[0].ts]


def test_a_reply_to_a_direct_message_is_one() -> None:
    """The people of the parent and the one who replies."""
    direct = {"kind": "message", "recipients": ["y"], "messages": [{"sender": "x", "text": "psst"}]}
    reply = {"kind": "message", "reply_to": "e0", "messages": [{"sender": "y", "text": "yes?"}]}
    state = World(timeline([direct, reply])).state.slack
    assert [post.people for post in state.posts] == [("x", "y"), ("x", "y")]
    assert [post.text for post in state.with_user("x")] == ["psst", "yes?"]


def test_a_repeated_title_is_an_update() -> None:
    """The last word wins, what was said before is kept, and what is not said stays."""
    issues = World(lamp()).state.linear.issues
    assert len(issues) == 2
    issue = issues[ticket_id("lamp", "Lamp firmware drops packets", "devices")]
    assert (issue.get("lead"), issue.get("status"), issue.get("priority")) == ("omar", "in_progress", "high")
    assert [(change.name, change.before, change.after, change.by) for change in issue.changes] == [
        ("status", "todo", "in_progress", "e4"),
        ("lead", "ines", "omar", "e4"),
    ]
    assert (issue.entries, issue.sources["priority"], issue.sources["lead"]) == (("e1", "e4"), "e1", "e4")


def test_the_same_title_in_another_team_is_another_ticket() -> None:
    """Identity is title and team; a title alone means the ticket that has it, where it is the only one."""
    ticket = {"kind": "ticket", "title": "Lamp"}
    one = World(timeline([{**ticket, "team": "m"}, {**ticket, "status": "done"}])).state.linear.issues
    assert [issue.get("status") for issue in one.values()] == ["done"]
    assert [issue.get("team") for issue in one.values()] == ["m"]
    two = World(timeline([{**ticket, "team": "m"}, {**ticket, "team": "n"}, ticket])).state.linear.issues
    assert len(two) == 3


def test_teams_come_from_setting_and_events() -> None:
    """A team that only events know exists, without members."""
    linear = World(lamp()).state.linear
    assert linear.teams == {"sales": ("pia",), "devices": ()}
    assert (linear.team("#Devices"), linear.team("none")) == ("devices", None)


def test_ids_repeat_in_every_process() -> None:
    """They are made from names alone, so that another process with another hash seed makes the same."""
    code = (
        "from support.timeline import lamp; from memgauge.studies.track.world.state import World;"
        "w = World(lamp()); print(w.hash, *w.state.linear.issues)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": "tests", "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    world = World(lamp())
    assert printed == {f"{' '.join((world.hash, *world.state.linear.issues))}\n"}
    assert all(UUID.fullmatch(one) for one in world.state.linear.issues)
    assert stable_id("a", "b") != stable_id("a", "c")


def test_time_moves_by_rule_alone() -> None:
    """Static: everything has happened. Live: events arrive with calls, or with questions, to the last one."""
    assert World(lamp()).now == lamp().events[-1].at
    assert World(lamp()).tick("call") == ""
    live = World(lamp(), InstanceClock("live", events=3, start=2))
    assert live.now == lamp().events[1].at
    assert live.tick("question") == ""
    assert "new" in live.tick("call")
    assert live.now == lamp().events[4].at
    live.tick("call")
    assert (live.tick("call"), live.now) == ("", lamp().events[-1].at)
    asked = World(lamp(), InstanceClock("live", every="question"))
    assert (asked.tick("call"), len(asked.log)) == ("", 1)
    asked.tick("question")
    assert len(asked.log) == 2
    assert World(lamp(events=[], questions=[])).now.year == 1970


@pytest.mark.parametrize(("events", "start"), [(0, 1), (1, -1)])
def test_a_clock_that_does_not_run_is_refused(events: int, start: int) -> None:
    """At least one event a tick."""
    with pytest.raises(ConfigError, match="does not run"):
        InstanceClock("live", events=events, start=start)


LOW = """[notification] 3 new Slack messages in #devices; 2 new Slack messages in direct messages; \
3 new Linear changes; 1 new Git commit."""
HIGH = """[notification] 2 new Slack messages in #devices from ines; \
1 new Slack message in direct messages from omar; 1 new Slack message in #devices from omar; \
1 new Slack message in direct messages from pia; \
3 new Linear changes in team devices; 1 new Git commit by omar."""


@pytest.mark.parametrize(("verbosity", "expected"), [("off", ""), ("low", LOW), ("high", HIGH)])
def test_a_notice_names_and_never_quotes(verbosity: Verbosity, expected: str) -> None:
    """It says how many and where, or from whom as well; no word of what was said."""
    world = World(lamp(), InstanceClock("live", events=8, start=0), notices=verbosity)
    assert world.tick("call") == expected
    assert not any(word in expected for word in ("buffer", "packets", "Took"))


def test_a_commit_by_nobody_has_no_name() -> None:
    """Nothing is said where nothing is known."""
    event = Event.model_validate({"id": "e", "at": "2025-01-01", "payload": {"kind": "commit"}})
    assert notice([event], (), "high") == "[notification] 1 new Git commit."


def test_acts_are_part_of_the_log() -> None:
    """What the agent does changes the state and its hash, and never what the timeline says it was."""
    world, other = World(lamp()), World(lamp())
    before = world.hash
    act = world.act("say", {"channel": "devices", "text": "hello"})
    assert act.id.startswith("act:")
    assert world.hash != before
    assert fold(lamp(), lamp().events).hash == before
    other.act("say", {"channel": "devices", "text": "hello"})
    assert other.hash == world.hash
    assert world.log[-1] == act
    assert world.state.slack.posts[-1].event == ""


def test_unknown_acts_change_nothing_visible() -> None:
    """A verb of a later version is skipped by both platforms."""
    world = World(lamp())
    before = world.hash
    world.act("dance", {})
    assert world.hash == before
