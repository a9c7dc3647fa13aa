"""The six tools about teams and milestones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.studies.track.tools.linear import Authority, tool
from memgauge.studies.track.tools.router import Tool, ToolFailed, ToolResult
from memgauge.studies.track.tools.schema import arguments, number, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.studies.track.world.state import World


class TeamTools:
    """What an agent can do with teams and milestones, over one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._authority = Authority(world)

    def tools(self) -> tuple[Tool, ...]:
        """Return the table."""
        member = arguments({"team": text(), "member": text()})
        milestone = arguments({name: text() for name in ("name", "description", "start_date", "end_date")})
        rate = number("the share that is done, from 0 to 1", minimum=0, maximum=1)
        progress = arguments({"milestone": text(), "completion_rate": rate})
        return (
            tool("add_team_member", "write", "Add a user to a team; admins only.", member, self.add),
            tool("remove_team_member", "write", "Remove a user from a team; admins only.", member, self.remove),
            tool(
                "list_team_members", "read", MEMBERS, arguments({}, {"team": text("default: all")}), self.members
            ),
            tool("create_milestone", "write", "Create a milestone; admins only.", milestone, self.create),
            tool("update_milestone_progress", "write", PROGRESS, progress, self.progress),
            tool("list_milestones", "read", "List all milestones with their progress.", arguments({}), self.list),
        )

    def add(self, given: Mapping[str, Any]) -> ToolResult:
        """Add a user to a team."""
        self._authority.admin_only("add members to teams")
        team, member = self._authority.team(given["team"]), str(given["member"]).strip()
        if member in self._authority.state.teams[team]:
            raise ToolFailed("already_member", f"{member} is in {team} already")
        if member not in self._world.state.slack.users:
            raise ToolFailed("user_not_found", f"there is no user {member!r}; list_users names them")
        self._world.act("member", {"team": team, "member": member, "joins": True})
        return ToolResult(f"{member} is in {team} now.", touched=(f"team:{team}",))

    def remove(self, given: Mapping[str, Any]) -> ToolResult:
        """Remove a user from a team."""
        self._authority.admin_only("remove members from teams")
        team, member = self._authority.team(given["team"]), str(given["member"]).strip()
        if member not in self._authority.state.teams[team]:
            raise ToolFailed("not_a_member", f"{member} is not in {team}")
        self._world.act("member", {"team": team, "member": member, "joins": False})
        return ToolResult(f"{member} is no longer in {team}.", touched=(f"team:{team}",))

    def members(self, given: Mapping[str, Any]) -> ToolResult:
        """List the members of one team or of all."""
        teams = self._authority.state.teams
        wanted = [self._authority.team(given["team"])] if given.get("team") else list(teams)
        if not wanted:
            return ToolResult("There are no teams.")
        lines = [f"{team}: {', '.join(teams[team]) or '(nobody)'}" for team in wanted]
        return ToolResult("\n".join(lines), touched=tuple(f"team:{line}" for line in lines))

    def create(self, given: Mapping[str, Any]) -> ToolResult:
        """Create a milestone."""
        self._authority.admin_only("create milestones")
        name = str(given["name"]).strip()
        if not name:
            raise ToolFailed("invalid_arguments", "create_milestone: the name is empty")
        if any(one.casefold() == name.casefold() for one in self._authority.state.milestones):
            raise ToolFailed("name_taken", f"there is a milestone {name!r} already")
        self._world.act("milestone", {**given, "name": name, "id": self._world.new_id("milestone")})
        return ToolResult(f"Created milestone {name!r}.", touched=(f"milestone:{name}",))

    def progress(self, given: Mapping[str, Any]) -> ToolResult:
        """Say how far a milestone is; its tickets show it."""
        self._authority.admin_only("update milestones")
        name = self._authority.milestone(given["milestone"])
        self._world.act("progress", {"name": name, "completion": float(given["completion_rate"])})
        tickets = [one for one in self._authority.state.issues.values() if one.get("milestone") == name]
        return ToolResult(
            f"Milestone {name!r} is {given['completion_rate']:.0%} done; {len(tickets)} tickets show it.",
            touched=(f"milestone:{name}",),
        )

    def list(self, _: Mapping[str, Any]) -> ToolResult:
        """List milestones."""
        lines = [
            f"{one.name}: {one.description} ({one.start_date or '?'} to {one.end_date or '?'}, "
            f"{one.completion:.0%} done)"
            for one in self._authority.state.milestones.values()
        ]
        return ToolResult(
            "\n".join(lines) or "There are no milestones.", touched=tuple(f"milestone:{x}" for x in lines)
        )


MEMBERS = "List the members of a team, or of all teams."
PROGRESS = "Say how far a milestone is, which its tickets then show; admins only."
