"""Tickets as text, with an exact account of what each text reveals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.track.tools.router import ToolResult
from memgauge.studies.track.world.log import ACT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.studies.track.world.linear import LinearState, LinearTicket

_COLUMNS = ("title", "team", "status", "priority", "lead", "milestone", "start_date", "expected_finish_date")


def shown(issue: LinearTicket, state: LinearState) -> ToolResult:
    """Write everything about a ticket: fields, then what changed when."""
    lines = [f"ticket {issue.id}"]
    for name, value in issue.fields.items():
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        lines.append(f"{name}: {text}")
    milestone = state.milestones.get(issue.get("milestone"))
    if milestone is not None:
        lines.append(f"milestone completion: {milestone.completion:.0%}")
    lines += [f"opened: {issue.opened:%Y-%m-%d %H:%M} UTC", f"updated: {issue.updated:%Y-%m-%d %H:%M} UTC"]
    if issue.changes:
        lines.append("changes:")
        for change in issue.changes:
            value_before = "(nothing)" if change.before is None else change.before
            lines.append(f"  {change.at:%Y-%m-%d %H:%M} UTC {change.name}: {value_before} -> {change.after}")
    touched = [f"ticket:{issue.id}:{name}:{source}" for name, source in issue.sources.items()]
    touched += [f"ticket:{issue.id}:change:{entry}" for entry in _unique(change.by for change in issue.changes)]
    shown_entries = (issue.entries[0], *(change.by for change in issue.changes), *issue.sources.values())
    return ToolResult("\n".join(lines), _events(shown_entries, state_entries=issue.entries), tuple(touched))


def listed(issues: Sequence[LinearTicket], limit: int, *, filtered: bool) -> ToolResult:
    """Write one line a ticket; what is not in the line is not revealed."""
    if not issues:
        return ToolResult("No ticket passes these filters." if filtered else "There are no tickets.")
    lines: list[str] = []
    touched: list[str] = []
    sources: list[str] = []
    entries: list[str] = []
    for issue in issues[:limit]:
        cells = [f"{name}={issue.get(name)}" for name in _COLUMNS[1:] if issue.get(name)]
        lines.append(f"{issue.id} {issue.get('title')!r} ({', '.join(cells)})")
        filled = [(name, issue.sources[name]) for name in _COLUMNS if issue.get(name)]
        touched += [f"ticket:{issue.id}:{name}:{source}" for name, source in filled]
        sources += [source for _, source in filled]
        entries += issue.entries
    if len(issues) > limit:
        lines.append(f"{len(issues) - limit} more; raise limit to see them.")
    return ToolResult("\n".join(lines), _events(sources, state_entries=entries), tuple(touched))


def _events(sources: Iterable[str], *, state_entries: Iterable[str]) -> tuple[str, ...]:
    """Keep the timeline's events in their order; the agent's own acts are none."""
    shown_events = {source for source in sources if not source.startswith(ACT)}
    return tuple(entry for entry in _unique(state_entries) if entry in shown_events)


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
