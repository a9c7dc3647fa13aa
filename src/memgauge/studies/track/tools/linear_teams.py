"""The tools about teams and milestones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.track.tools.linear import LinearTools
from memgauge.studies.track.tools.router import ToolFailed, ToolResult, offered
from memgauge.studies.track.tools.schema import number, text

if TYPE_CHECKING:
    from collections.abc import Mapping

_MEMBER = {"team": text(), "member": text()}
_RATE = number("the share that is done, from 0 to 1", minimum=0, maximum=1)


class TeamTools(LinearTools):
    """What an agent can do with teams and milestones."""

    @offered("write", _MEMBER)
    def add_team_member(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Add a user to a team; admins only."""
        self._admin_only("add members to teams")
        team, member = self._team(arguments["team"]), str(arguments["member"]).strip()
        if member in self._state.teams[team]:
            raise ToolFailed("already_member", f"{member} is in {team} already")
        if member not in self._world.state.slack.users:
            raise ToolFailed("user_not_found", f"there is no user {member!r}; list_users names them")
        self._world.act("member", {"team": team, "member": member, "joins": True})
        return ToolResult(f"{member} is in {team} now.", touched=(f"team:{team}",))

    @offered("write", _MEMBER)
    def remove_team_member(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Remove a user from a team; admins only."""
        self._admin_only("remove members from teams")
        team, member = self._team(arguments["team"]), str(arguments["member"]).strip()
        if member not in self._state.teams[team]:
            raise ToolFailed("not_a_member", f"{member} is not in {team}")
        self._world.act("member", {"team": team, "member": member, "joins": False})
        return ToolResult(f"{member} is no longer in {team}.", touched=(f"team:{team}",))

    @offered("read", optional={"team": text("default: all")})
    def list_team_members(self, arguments: Mapping[str, Any]) -> ToolResult:
        """List the members of a team, or of all teams."""
        teams = self._state.teams
        shown_teams = [self._team(arguments["team"])] if arguments.get("team") else list(teams)
        if not shown_teams:
            return ToolResult("There are no teams.")
        lines = [f"{team}: {', '.join(teams[team]) or '(nobody)'}" for team in shown_teams]
        return ToolResult("\n".join(lines), touched=tuple(f"team:{line}" for line in lines))

    @offered("write", {name: text() for name in ("name", "description", "start_date", "end_date")})
    def create_milestone(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Create a milestone; admins only."""
        self._admin_only("create milestones")
        name = str(arguments["name"]).strip()
        if not name:
            raise ToolFailed("invalid_arguments", "create_milestone: the name is empty")
        if any(milestone.casefold() == name.casefold() for milestone in self._state.milestones):
            raise ToolFailed("name_taken", f"there is a milestone {name!r} already")
        self._world.act("milestone", {**arguments, "name": name, "id": self._world.new_id("milestone")})
        return ToolResult(f"Created milestone {name!r}.", touched=(f"milestone:{name}",))

    @offered("write", {"milestone": text(), "completion_rate": _RATE})
    def update_milestone_progress(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Say how far a milestone is, which its tickets then show; admins only."""
        self._admin_only("update milestones")
        name = self._milestone(arguments["milestone"])
        self._world.act("progress", {"name": name, "completion": float(arguments["completion_rate"])})
        tickets = [issue for issue in self._state.issues.values() if issue.get("milestone") == name]
        return ToolResult(
            f"Milestone {name!r} is {arguments['completion_rate']:.0%} done; {len(tickets)} tickets show it.",
            touched=(f"milestone:{name}",),
        )

    @offered("read")
    def list_milestones(self, _: Mapping[str, Any]) -> ToolResult:
        """List all milestones with their progress."""
        lines = [
            f"{milestone.name}: {milestone.description} ({milestone.start_date or '?'} to "
            f"{milestone.end_date or '?'}, {milestone.completion:.0%} done)"
            for milestone in self._state.milestones.values()
        ]
        touched = tuple(f"milestone:{line}" for line in lines)
        return ToolResult("\n".join(lines) or "There are no milestones.", touched=touched)
