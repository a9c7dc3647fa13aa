"""The tools about tickets; who may change what is checked here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.linear_text import listed, shown
from memgauge.studies.track.tools.router import ToolFailed, ToolResult, Toolset, offered
from memgauge.studies.track.tools.schema import integer, text, texts
from memgauge.studies.track.world.linear import DONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.studies.track.world.linear import LinearState, LinearTicket
    from memgauge.studies.track.world.state import World

LIMIT = 50
_TICKET = {"ticket_id": text("the id that list_tickets shows")}
_CREATED = {name: text() for name in ("title", "description", "team")}
_FREE = {
    "priority": text("such as low, medium, high, urgent"),
    "lead": text("who answers for it"),
    "status": text("such as todo, in_progress, done, cancelled"),
    "start_date": text("YYYY-MM-DD"),
    "expected_finish_date": text("YYYY-MM-DD"),
    "milestone": text("name of a milestone"),
    "labels": texts(),
    "attached_resources": texts("paths or addresses"),
}
_FILTERS = {
    "team": text(),
    "status": text("done, completed and closed are one status"),
    "lead": text(),
    "milestone": text(),
    "priority": text(),
    "start_date_from": text("YYYY-MM-DD; only tickets that start then or later"),
    "start_date_to": text("YYYY-MM-DD; only tickets that start then or earlier"),
    "finish_date_from": text("YYYY-MM-DD; only tickets expected to be finished then or later"),
    "finish_date_to": text("YYYY-MM-DD; only tickets expected to be finished then or earlier"),
    "limit": integer(LIMIT),
}
_RANGES = {"start_date": "start_date", "finish_date": "expected_finish_date"}


class LinearTools(Toolset):
    """What every tool of Linear needs: one world, and who may do what in it."""

    platform = Platform.LINEAR

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def _state(self) -> LinearState:
        return self._world.state.linear

    def _admin_only(self, action: str) -> None:
        if self._world.agent not in self._state.admins:
            raise ToolFailed("not_allowed", f"only admins may {action}, and {self._world.agent} is none")

    def _team(self, named: str) -> str:
        """Return a team as it is spelled."""
        team = self._state.team(named)
        if team is None:
            team_names = ", ".join(self._state.teams) or "none"
            raise ToolFailed("team_not_found", f"there is no team {named!r}; known: {team_names}")
        return team

    def _milestone(self, milestone: str) -> str:
        """Return a milestone as it is spelled."""
        for name in self._state.milestones:
            if name.casefold() == milestone.strip().casefold():
                return name
        raise ToolFailed("milestone_not_found", f"there is no milestone {milestone!r}; list_milestones names them")


class TicketTools(LinearTools):
    """What an agent can do with tickets."""

    @offered("write", _CREATED, _FREE)
    def create_ticket(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Open a ticket."""
        fields = self._fields(arguments)
        if not fields["title"].strip():
            raise ToolFailed("invalid_arguments", "create_ticket: the title is empty")
        issue_id = self._world.new_id("ticket")
        self._world.act("ticket", {"id": issue_id, "fields": fields})
        return _done(f"Opened ticket {issue_id}.", issue_id)

    @offered("write", _TICKET, {**_CREATED, **_FREE})
    def update_ticket(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Change fields of a ticket; admins, its lead and members of its team may."""
        issue = self._issue(arguments)
        fields = self._fields({name: value for name, value in arguments.items() if name != "ticket_id"})
        if not fields:
            raise ToolFailed("invalid_arguments", "update_ticket: nothing to change is given")
        self._may_change(issue)
        self._world.act("ticket", {"id": issue.id, "fields": fields})
        return _done(f"Changed {', '.join(fields)} of ticket {issue.id}.", issue.id)

    @offered("read", _TICKET)
    def get_ticket(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Read everything about a ticket, with what changed when."""
        return shown(self._issue(arguments), self._state)

    @offered("read", optional=_FILTERS)
    def list_tickets(self, arguments: Mapping[str, Any]) -> ToolResult:
        """List tickets, oldest first, that pass all filters that are given."""
        filters = {name: value for name, value in arguments.items() if value is not None and name != "limit"}
        passing = [issue for issue in self._state.issues.values() if _passes(issue, filters)]
        return listed(passing, int(arguments.get("limit") or LIMIT), filtered=bool(filters))

    @offered("write", _TICKET)
    def delete_ticket(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Remove a ticket for good; admins only."""
        issue = self._issue(arguments)
        self._admin_only("delete tickets")
        self._world.act("delete_ticket", {"id": issue.id})
        return _done(f"Deleted ticket {issue.id}.", issue.id)

    @offered("write", {**_TICKET, "lead": text()})
    def assign_ticket(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Give a ticket to somebody, who is told; admins, its lead and members of its team may."""
        issue = self._issue(arguments)
        self._may_change(issue)
        lead = str(arguments["lead"]).strip().removeprefix("@")
        if lead not in self._world.state.slack.users:
            raise ToolFailed("user_not_found", f"there is no user {arguments['lead']!r}; list_users names them")
        self._world.act("ticket", {"id": issue.id, "fields": {"lead": lead}})
        self._world.act("say", {"to": lead, "text": f"You lead ticket {issue.id} now."}, actor="linear")
        return _done(f"{lead} leads ticket {issue.id} and was told.", issue.id)

    def _may_change(self, issue: LinearTicket) -> None:
        """Let admins, the lead and members of the team go on."""
        agent, team = self._world.agent, self._state.team(issue.get("team"))
        members = self._state.teams[team] if team is not None else ()
        if agent not in self._state.admins and agent != issue.get("lead") and agent not in members:
            raise ToolFailed(
                "not_allowed", f"only admins, the lead and members of the team may change ticket {issue.id}"
            )

    def _issue(self, arguments: Mapping[str, Any]) -> LinearTicket:
        issue = self._state.issues.get(str(arguments["ticket_id"]).strip())
        if issue is None:
            raise ToolFailed(
                "ticket_not_found", f"there is no ticket {arguments['ticket_id']!r}; list_tickets names them"
            )
        return issue

    def _fields(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        fields = {name: value for name, value in arguments.items() if value is not None}
        if "team" in fields:
            fields["team"] = self._team(fields["team"])
        if "milestone" in fields:
            fields["milestone"] = self._milestone(fields["milestone"])
        return fields


def _done(text_: str, issue_id: str) -> ToolResult:
    return ToolResult(text_, touched=(f"ticket:{issue_id}",))


def _passes(issue: LinearTicket, filters: Mapping[str, Any]) -> bool:
    for name, value in filters.items():
        if name.endswith(("_from", "_to")):
            kind, _, end = name.rpartition("_")
            day = issue.get(_RANGES[kind])
            if not day or (day < value if end == "from" else day > value):
                return False
        elif _plain(issue.get(name)) != _plain(value):
            return False
    return True


def _plain(value: str) -> str:
    word = value.strip().lstrip("#@").casefold().replace(" ", "_").replace("-", "_")
    return "done" if word in DONE else word
