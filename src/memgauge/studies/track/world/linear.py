"""Linear as a function of the log: tickets with their history, teams, milestones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memgauge.studies.track.timeline.models import Event, Ticket
from memgauge.studies.track.world.log import AgentAct, stable_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from memgauge.studies.track.timeline.models import Timeline
    from memgauge.studies.track.world.log import Entry

FIELDS = (
    "title",
    "description",
    "team",
    "status",
    "priority",
    "lead",
    "milestone",
    "start_date",
    "expected_finish_date",
    "closed_date",
    "resolution",
    "linked_pr",
    "labels",
    "attached_resources",
)
"""What a ticket holds, in the order in which it is shown."""
DONE = frozenset({"done", "completed", "closed"})
"""One status under three names; a filter for one of them finds all."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of a ticket that became something else."""

    at: datetime
    by: str
    """The entry of the log: an event's id, or an act's."""
    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class LinearTicket:
    """One ticket as it stands."""

    id: str
    opened: datetime
    updated: datetime
    fields: Mapping[str, Any]
    sources: Mapping[str, str]
    """Field to the entry that it was last said by."""
    changes: tuple[FieldChange, ...] = ()
    """What changed since it was opened, oldest first."""
    entries: tuple[str, ...] = ()
    """Every entry that opened or repeated it, oldest first."""

    def get(self, name: str) -> str:
        """Return a field as text; empty where nothing was said."""
        return str(self.fields.get(name) or "")


@dataclass(frozen=True, slots=True)
class MilestoneState:
    """One milestone as it stands."""

    id: str
    name: str
    description: str
    start_date: str
    end_date: str
    completion: float = 0.0


@dataclass(frozen=True)
class LinearState:
    """Everything on Linear at one time."""

    instance: str
    admins: frozenset[str] = frozenset()
    issues: Mapping[str, LinearTicket] = field(default_factory=dict)
    """By id, in the order in which they were opened."""
    teams: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name to members."""
    milestones: Mapping[str, MilestoneState] = field(default_factory=dict)
    """By name."""

    def team(self, name: str) -> str | None:
        """Return a team's name as it is spelled, ``None`` where there is none."""
        return next((team for team in self.teams if team.casefold() == name.strip().lstrip("#").casefold()), None)


def linear(timeline: Timeline, entries: Iterable[Entry]) -> LinearState:
    """Fold the log into what Linear shows."""
    state = LinearState(
        instance=timeline.name,
        admins=frozenset(timeline.admins),
        teams={team.name: team.members for team in timeline.teams},
        milestones={
            milestone.name: MilestoneState(
                stable_id(timeline.name, "milestone", milestone.name),
                milestone.name,
                milestone.description,
                milestone.start_date,
                milestone.end_date,
            )
            for milestone in timeline.milestones
        },
    )
    for entry in entries:
        state = step(state, entry)
    return state


def step(state: LinearState, entry: Entry) -> LinearState:
    """Take one entry of the log into account."""
    if isinstance(entry, Event):
        return _ticket(state, entry, entry.payload) if isinstance(entry.payload, Ticket) else state
    match entry.verb:
        case "ticket":
            return _written(state, str(entry.given["id"]), entry.id, entry.at, entry.given["fields"])
        case "delete_ticket":
            issues = {key: issue for key, issue in state.issues.items() if key != entry.given["id"]}
            return replace(state, issues=issues)
        case "member":
            return _member(state, entry)
        case "milestone" | "progress":
            return _milestone(state, entry)
        case _:
            return state


def ticket_id(instance: str, title: str, team: str) -> str:
    """Return the id of the ticket that events mean by a title and a team: repeating both means the same one."""
    return stable_id(instance, "ticket", " ".join(title.split()).casefold(), team.strip().casefold())


def _ticket(state: LinearState, event: Event, ticket: Ticket) -> LinearState:
    fields = {name: value for name in FIELDS if (value := getattr(ticket, name)) is not None}
    fields |= {name: value for name, value in ticket.extra.items() if name not in FIELDS}
    issue_id = ticket_id(state.instance, ticket.title, ticket.team)
    if not ticket.team:
        same_title = [
            key for key, issue in state.issues.items() if issue.get("title").casefold() == ticket.title.casefold()
        ]
        if len(same_title) == 1:
            issue_id = same_title[0]
            del fields["team"]
    return _written(state, issue_id, event.id, event.at, fields)


def _written(state: LinearState, issue_id: str, by: str, at: datetime, fields: Mapping[str, Any]) -> LinearState:
    old_issue = state.issues.get(issue_id)
    if old_issue is None:
        issue = LinearTicket(issue_id, at, at, dict(fields), dict.fromkeys(fields, by), entries=(by,))
    else:
        differing = [name for name, value in fields.items() if old_issue.fields.get(name) != value]
        changes = tuple(FieldChange(at, by, name, old_issue.fields.get(name), fields[name]) for name in differing)
        issue = replace(
            old_issue,
            updated=at if changes else old_issue.updated,
            fields={**old_issue.fields, **fields},
            sources={**old_issue.sources, **dict.fromkeys(differing, by)},
            changes=old_issue.changes + changes,
            entries=(*old_issue.entries, by),
        )
    teams = state.teams
    if issue.get("team") and state.team(issue.get("team")) is None:
        teams = {**teams, issue.get("team"): ()}
    return replace(state, issues={**state.issues, issue_id: issue}, teams=teams)


def _member(state: LinearState, act: AgentAct) -> LinearState:
    team, member = act.given["team"], act.given["member"]
    members = [name for name in state.teams[team] if name != member]
    if act.given["joins"]:
        members.append(member)
    return replace(state, teams={**state.teams, team: tuple(members)})


def _milestone(state: LinearState, act: AgentAct) -> LinearState:
    arguments = act.given
    if act.verb == "progress":
        milestone = replace(state.milestones[arguments["name"]], completion=arguments["completion"])
    else:
        milestone = MilestoneState(
            arguments["id"],
            arguments["name"],
            arguments["description"],
            arguments["start_date"],
            arguments["end_date"],
        )
    return replace(state, milestones={**state.milestones, milestone.name: milestone})
