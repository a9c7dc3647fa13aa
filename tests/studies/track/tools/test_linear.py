"""The tools of Linear: what they show, exactly what they reveal, and who may do what."""

from __future__ import annotations

from typing import Any

import pytest

from memgauge.studies.track.tools.router import ToolFailed, ToolRouter
from memgauge.studies.track.tools.table import router
from memgauge.studies.track.world.linear import ticket_id
from memgauge.studies.track.world.state import World
from support.timeline import lamp

FIRST = ticket_id("lamp", "Lamp firmware drops packets", "devices")
SECOND = ticket_id("lamp", "Second lamp", "devices")
ADMIN: dict[str, dict[str, Any]] = {
    "delete_ticket": {"ticket_id": FIRST},
    "add_team_member": {"team": "devices", "member": "omar"},
    "remove_team_member": {"team": "sales", "member": "pia"},
    "create_milestone": {
        "name": "Autumn",
        "description": "",
        "start_date": "2025-09-01",
        "end_date": "2025-11-30",
    },
    "update_milestone_progress": {"milestone": "spring", "completion_rate": 0.25},
}
"""What only admins may do."""


def tools(**changes: Any) -> ToolRouter:
    """Make the tools of the lamp's world."""
    return router(World(lamp(**changes)))


def failure(called: ToolRouter, name: str, /, **given: Any) -> str:
    """Return the code of a call that has to fail."""
    with pytest.raises(ToolFailed) as caught:
        called.call(name, given)
    return caught.value.code


def test_a_ticket_is_shown_with_its_history() -> None:
    """Fields as they are, then what changed when; only the events of what is shown are revealed."""
    result = tools().call("get_ticket", {"ticket_id": FIRST})
    lines = result.text.splitlines()
    assert lines[0] == f"ticket {FIRST}"
    assert {"lead: omar", "status: in_progress", "milestone completion: 0%"} <= set(lines)
    assert "  2025-03-03 11:00 UTC lead: ines -> omar" in lines
    assert result.events == ("e1", "e4")
    assert f"ticket:{FIRST}:lead:e4" in result.touched
    assert f"ticket:{FIRST}:description:e1" in result.touched
    assert f"ticket:{FIRST}:change:e4" in result.touched


def test_a_list_reveals_less_than_a_ticket() -> None:
    """One line a ticket; what a line shows is a part of what the ticket shows."""
    called = tools()
    listed = called.call("list_tickets", {})
    assert listed.text.splitlines()[0].startswith(f"{FIRST} 'Lamp firmware drops packets' (team=devices, status=")
    assert listed.events == ("e1", "e4", "e8")
    whole = called.call("get_ticket", {"ticket_id": FIRST})
    shown = {one for one in listed.touched if FIRST in one}
    assert shown < set(whole.touched)
    assert not any(":description:" in one for one in listed.touched)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"status": "done"}, [SECOND]),
        ({"status": "Closed"}, [SECOND]),
        ({"status": "in progress"}, [FIRST]),
        ({"lead": "@omar"}, [FIRST]),
        ({"team": "#Devices", "priority": "HIGH"}, [FIRST]),
        ({"milestone": "spring"}, [FIRST]),
        ({"start_date_from": "2025-03-01", "start_date_to": "2025-03-01"}, [FIRST]),
        ({"start_date_from": "2025-03-02"}, []),
        ({"finish_date_from": "2025-03-10"}, [FIRST]),
        ({"finish_date_to": "2025-03-09"}, []),
        ({"team": None, "limit": 1}, [FIRST]),
        ({"status": "blocked"}, []),
    ],
)
def test_lists_are_filtered(given: dict[str, Any], found: list[str]) -> None:
    """Spelling does not matter, and done, completed and closed are one."""
    result = tools().call("list_tickets", given)
    assert [one for one in (FIRST, SECOND) if one in result.text] == found
    if not found:
        assert result.text == "No ticket passes these filters."
    if "limit" in given:
        assert "1 more; raise limit to see them." in result.text


def test_nothing_to_list_is_said() -> None:
    """An empty world has no tickets, no teams and no milestones."""
    empty = tools(events=[], questions=[], teams=[], milestones=[])
    assert empty.call("list_tickets", {}).text == "There are no tickets."
    assert empty.call("list_team_members", {}).text == "There are no teams."
    assert empty.call("list_milestones", {}).text == "There are no milestones."


def test_a_ticket_is_opened_changed_and_assigned() -> None:
    """Teams and milestones have to exist; who gets a ticket is told."""
    called = tools()
    given = {"title": "Third", "description": "d", "team": "Devices", "labels": ["a", "b"], "milestone": "SPRING"}
    opened = called.call("create_ticket", given)
    (new,) = (one.removeprefix("ticket:") for one in opened.touched)
    called.call("update_ticket", {"ticket_id": new, "status": "done", "lead": None})
    called.call("assign_ticket", {"ticket_id": new, "lead": "@omar"})
    shown = called.call("get_ticket", {"ticket_id": new})
    assert {"labels: a, b", "team: devices", "milestone: Spring", "status: done", "lead: omar"} <= set(
        shown.text.splitlines()
    )
    assert "status: (nothing) -> done" in shown.text
    assert shown.events == ()
    told = called.call("get_direct_messages", {"with_user": "omar"})
    assert f"linear to omar: You lead ticket {new} now." in told.text
    assert failure(called, "create_ticket", title=" ", description="", team="devices") == "invalid_arguments"
    assert failure(called, "create_ticket", title="x", description="", team="zoo") == "team_not_found"
    assert failure(called, "update_ticket", ticket_id=new, milestone="May") == "milestone_not_found"
    assert failure(called, "update_ticket", ticket_id=new) == "invalid_arguments"
    assert failure(called, "assign_ticket", ticket_id=new, lead="zoe") == "user_not_found"
    assert failure(called, "get_ticket", ticket_id="LAMP-1") == "ticket_not_found"


@pytest.mark.parametrize("name", ADMIN)
def test_some_things_only_admins_may(name: str) -> None:
    """An admin may; anybody else gets a failed call, and nothing is changed."""
    world = World(lamp(admins=[]))
    before = world.hash
    assert failure(router(world), name, **ADMIN[name]) == "not_allowed"
    assert world.hash == before
    allowed = World(lamp())
    router(allowed).call(name, ADMIN[name])
    assert allowed.hash != before


def test_who_may_change_a_ticket() -> None:
    """Admins, its lead, and members of its team; a stranger may not, not even assign it."""
    stranger = tools(admins=[])
    assert failure(stranger, "update_ticket", ticket_id=FIRST, status="done") == "not_allowed"
    assert failure(stranger, "assign_ticket", ticket_id=FIRST, lead="omar") == "not_allowed"
    assert stranger.call("update_ticket", {"ticket_id": SECOND, "status": "todo"}).touched == (f"ticket:{SECOND}",)
    member = tools(admins=[], teams=[{"name": "Devices", "members": ["CodeAgent"]}])
    assert member.call("update_ticket", {"ticket_id": FIRST, "status": "done"}).touched == (f"ticket:{FIRST}",)


def test_a_deleted_ticket_is_gone() -> None:
    """For good, and for everybody."""
    called = tools()
    called.call("delete_ticket", {"ticket_id": FIRST})
    assert failure(called, "get_ticket", ticket_id=FIRST) == "ticket_not_found"
    assert FIRST not in called.call("list_tickets", {}).text


def test_teams_are_kept() -> None:
    """Members join and leave; both twice is a mistake."""
    called = tools()
    called.call("add_team_member", {"team": "sales", "member": "omar"})
    assert called.call("list_team_members", {"team": "Sales"}).text == "sales: pia, omar"
    assert failure(called, "add_team_member", team="sales", member="omar") == "already_member"
    assert failure(called, "add_team_member", team="sales", member="zoe") == "user_not_found"
    called.call("remove_team_member", {"team": "sales", "member": "pia"})
    assert failure(called, "remove_team_member", team="sales", member="pia") == "not_a_member"
    assert called.call("list_team_members", {}).text.splitlines() == ["sales: omar", "devices: (nobody)"]


def test_milestones_are_kept() -> None:
    """Names are unique whatever their case; progress shows in the tickets."""
    called = tools()
    called.call("create_milestone", ADMIN["create_milestone"])
    assert failure(called, "create_milestone", **{**ADMIN["create_milestone"], "name": "AUTUMN"}) == "name_taken"
    assert failure(called, "create_milestone", **{**ADMIN["create_milestone"], "name": " "}) == "invalid_arguments"
    assert (
        failure(called, "update_milestone_progress", milestone="May", completion_rate=1) == "milestone_not_found"
    )
    assert (
        failure(called, "update_milestone_progress", milestone="Spring", completion_rate=75) == "invalid_arguments"
    )
    assert (
        failure(called, "update_milestone_progress", milestone="Spring", completion_rate=1.5)
        == "invalid_arguments"
    )
    empty = called.call("update_milestone_progress", {"milestone": "autumn", "completion_rate": 1})
    assert empty.text == "Milestone 'Autumn' is 100% done; 0 tickets show it."
    said = called.call("update_milestone_progress", {"milestone": "spring", "completion_rate": 0.75})
    assert said.text == "Milestone 'Spring' is 75% done; 1 tickets show it."
    assert "milestone completion: 75%" in called.call("get_ticket", {"ticket_id": FIRST}).text
    assert "Spring:  (2025-03-01 to 2025-05-31, 75% done)" in called.call("list_milestones", {}).text


def test_foreign_fields_are_shown() -> None:
    """What the archive says of a ticket and the schema does not know, its readers still see."""
    event = {"id": "e1", "at": "2025-01-01", "payload": {"kind": "ticket", "title": "t", "extra": {"weight": 3}}}
    called = tools(events=[event], questions=[])
    assert "weight: 3" in called.call("get_ticket", {"ticket_id": ticket_id("lamp", "t", "")}).text
