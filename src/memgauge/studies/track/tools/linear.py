"""The seven tools about tickets; who may change what is checked here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.linear_text import listed, shown
from memgauge.studies.track.tools.router import Tool, ToolFailed, ToolResult
from memgauge.studies.track.tools.schema import arguments, integer, text, texts
from memgauge.studies.track.world.linear import DONE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.studies.track.tools.router import Effect
    from memgauge.studies.track.world.linear import LinearState, LinearTicket
    from memgauge.studies.track.world.state import World

LIMIT = 50
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


class Authority:
    """Who may do what on Linear."""

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def state(self) -> LinearState:
        """Return what Linear shows now."""
        return self.world.state.linear

    def admin_only(self, what: str) -> None:
        """Let only admins go on.

        Raises:
            ToolFailed: The agent is no admin.
        """
        if self.world.agent not in self.state.admins:
            raise ToolFailed("not_allowed", f"only admins may {what}, and {self.world.agent} is none")

    def may_change(self, issue: LinearTicket) -> None:
        """Let admins, the lead and members of the team go on.

        Raises:
            ToolFailed: The agent is none of them.
        """
        agent, team = self.world.agent, self.state.team(issue.get("team"))
        members = self.state.teams[team] if team is not None else ()
        if agent not in self.state.admins and agent != issue.get("lead") and agent not in members:
            raise ToolFailed(
                "not_allowed", f"only admins, the lead and members of the team may change ticket {issue.id}"
            )

    def team(self, named: str) -> str:
        """Return a team as it is spelled.

        Raises:
            ToolFailed: There is none.
        """
        team = self.state.team(named)
        if team is None:
            known = ", ".join(self.state.teams) or "none"
            raise ToolFailed("team_not_found", f"there is no team {named!r}; known: {known}")
        return team

    def milestone(self, named: str) -> str:
        """Return a milestone as it is spelled.

        Raises:
            ToolFailed: There is none.
        """
        for name in self.state.milestones:
            if name.casefold() == named.strip().casefold():
                return name
        raise ToolFailed("milestone_not_found", f"there is no milestone {named!r}; list_milestones names them")


class TicketTools:
    """What an agent can do with tickets, over one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._authority = Authority(world)

    def tools(self) -> tuple[Tool, ...]:
        """Return the table."""
        created = {name: text() for name in ("title", "description", "team")}
        ticket = {"ticket_id": text("the id that list_tickets shows")}
        return (
            tool("create_ticket", "write", "Open a ticket.", arguments(created, _FREE), self.create),
            tool("update_ticket", "write", UPDATE, arguments(ticket, {**created, **_FREE}), self.update),
            tool("get_ticket", "read", GET, arguments(ticket), self.get),
            tool("list_tickets", "read", LIST, arguments({}, _FILTERS), self.list),
            tool("delete_ticket", "write", DELETE, arguments(ticket), self.delete),
            tool("assign_ticket", "write", ASSIGN, arguments({**ticket, "lead": text()}), self.assign),
        )

    def create(self, given: Mapping[str, Any]) -> ToolResult:
        """Open a ticket."""
        fields = self._fields(given)
        if not fields["title"].strip():
            raise ToolFailed("invalid_arguments", "create_ticket: the title is empty")
        issue_id = self._world.new_id("ticket")
        self._world.act("ticket", {"id": issue_id, "fields": fields})
        return ToolResult(f"Opened ticket {issue_id}.", touched=(f"ticket:{issue_id}",))

    def update(self, given: Mapping[str, Any]) -> ToolResult:
        """Change fields of a ticket."""
        issue = self._issue(given)
        fields = self._fields({name: value for name, value in given.items() if name != "ticket_id"})
        if not fields:
            raise ToolFailed("invalid_arguments", "update_ticket: nothing to change is given")
        self._authority.may_change(issue)
        self._world.act("ticket", {"id": issue.id, "fields": fields})
        return ToolResult(f"Changed {', '.join(fields)} of ticket {issue.id}.", touched=(f"ticket:{issue.id}",))

    def get(self, given: Mapping[str, Any]) -> ToolResult:
        """Return everything about a ticket."""
        return shown(self._issue(given), self._authority.state)

    def list(self, given: Mapping[str, Any]) -> ToolResult:
        """List tickets that pass all filters, oldest first."""
        filters = {name: value for name, value in given.items() if value is not None and name != "limit"}
        found = [issue for issue in self._authority.state.issues.values() if _passes(issue, filters)]
        return listed(found, int(given.get("limit") or LIMIT), filtered=bool(filters))

    def delete(self, given: Mapping[str, Any]) -> ToolResult:
        """Remove a ticket for good."""
        issue = self._issue(given)
        self._authority.admin_only("delete tickets")
        self._world.act("delete_ticket", {"id": issue.id})
        return ToolResult(f"Deleted ticket {issue.id}.", touched=(f"ticket:{issue.id}",))

    def assign(self, given: Mapping[str, Any]) -> ToolResult:
        """Give a ticket to somebody, and tell them."""
        issue = self._issue(given)
        self._authority.may_change(issue)
        lead = str(given["lead"]).strip().removeprefix("@")
        if lead not in self._world.state.slack.users:
            raise ToolFailed("user_not_found", f"there is no user {given['lead']!r}; list_users names them")
        self._world.act("ticket", {"id": issue.id, "fields": {"lead": lead}})
        self._world.act("say", {"to": lead, "text": f"You lead ticket {issue.id} now."}, actor="linear")
        return ToolResult(f"{lead} leads ticket {issue.id} and was told.", touched=(f"ticket:{issue.id}",))

    def _issue(self, given: Mapping[str, Any]) -> LinearTicket:
        issue = self._authority.state.issues.get(str(given["ticket_id"]).strip())
        if issue is None:
            raise ToolFailed(
                "ticket_not_found", f"there is no ticket {given['ticket_id']!r}; list_tickets names them"
            )
        return issue

    def _fields(self, given: Mapping[str, Any]) -> dict[str, Any]:
        fields = {name: value for name, value in given.items() if value is not None}
        if "team" in fields:
            fields["team"] = self._authority.team(fields["team"])
        if "milestone" in fields:
            fields["milestone"] = self._authority.milestone(fields["milestone"])
        return fields


UPDATE = "Change fields of a ticket; admins, its lead and members of its team may."
GET = "Read everything about a ticket, with what changed when."
LIST = "List tickets, oldest first, that pass all filters that are given."
DELETE = "Remove a ticket for good; admins only."
ASSIGN = "Give a ticket to somebody, who is told; admins, its lead and members of its team may."


def tool(
    name: str,
    effect: Effect,
    description: str,
    schema: Mapping[str, Any],
    run: Callable[[Mapping[str, Any]], ToolResult],
) -> Tool:
    """Make a tool of Linear."""
    return Tool(name, Platform.LINEAR, effect, description, schema, run)


def _passes(issue: LinearTicket, filters: Mapping[str, Any]) -> bool:
    for name, wanted in filters.items():
        if name.endswith(("_from", "_to")):
            kind, _, bound = name.rpartition("_")
            day = issue.get(_RANGES[kind])
            if not day or (day < wanted if bound == "from" else day > wanted):
                return False
        elif _plain(issue.get(name)) != _plain(wanted):
            return False
    return True


def _plain(value: str) -> str:
    spelled = value.strip().lstrip("#@").casefold().replace(" ", "_").replace("-", "_")
    return "done" if spelled in DONE else spelled
