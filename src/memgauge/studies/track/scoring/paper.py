"""Redundancy as the document measures it: a model reads the list of calls and says how many are redundant."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.studies.track.play.trajectory import Call
    from memgauge.studies.track.scoring.judge import TrackJudge

PROMPT = "track-redundancy"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "redundant_calls": {"type": "integer", "minimum": 0},
        "total_calls": {"type": "integer", "minimum": 0},
    },
    "required": ["reason", "redundant_calls", "total_calls"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class JudgedCalls:
    """What a judge says of the calls of one instance."""

    fraction: float | None
    """Computed here from its count; ``None`` where it gave none that is possible."""
    reason: str
    raw: str = ""


def judged_redundancy(judge: TrackJudge, calls: Sequence[Call]) -> JudgedCalls:
    """Let *judge* count the redundant calls; its own fraction is never taken."""
    if not calls:
        return JudgedCalls(None, "no call was made")

    def read(data: Any) -> int | None:
        count = data.get("redundant_calls") if isinstance(data, dict) else None
        possible = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= len(calls)
        return count if possible else None

    found, raw = judge.ask(PROMPT, {"calls": "\n".join(map(spelled, calls))}, SCHEMA, read)
    if found is None:
        return JudgedCalls(None, raw)
    return JudgedCalls(found / len(calls), "", raw)


def spelled(call: Call) -> str:
    """Write a call as the document does: ``get_ticket(ticket_id="a")``."""
    if not isinstance(call.arguments, dict):
        return f"{call.tool}({call.arguments!r})"
    given = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in call.arguments.items())
    return f"{call.tool}({', '.join(given)})"
