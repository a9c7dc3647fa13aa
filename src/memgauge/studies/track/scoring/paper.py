"""Redundancy as the document measures it: a model reads the list of calls and says how many are redundant."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.llm.asking import Inquiry
from memgauge.llm.forms import OneObject
from memgauge.llm.prompts import open_prompt
from memgauge.studies.track.scoring.judge import REASON, unscored

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


def inquiry(judge: TrackJudge, calls: Sequence[Call]) -> Inquiry[int]:
    """Ask how many of *calls* are redundant."""

    def check(data: dict[str, Any]) -> int:
        count = int(data["redundant_calls"])
        if count > len(calls):
            raise ValueError("it counts more redundant calls than there are")
        return count

    listing = "\n".join(map(spelled, calls))
    form = OneObject(SCHEMA, check, REASON)
    return Inquiry(open_prompt(PROMPT).render(calls=listing), form, judge.parameters, judged=listing)


def judged_redundancy(judge: TrackJudge, calls: Sequence[Call]) -> JudgedCalls:
    """Let *judge* count the redundant calls; its own total is never taken."""
    if not calls:
        return JudgedCalls(None, "no call was made")
    reply = judge.ask(inquiry(judge, calls))
    if reply.value is None:
        return JudgedCalls(None, unscored(reply))
    return JudgedCalls(reply.value / len(calls), "", reply.text)


def spelled(call: Call) -> str:
    """Write a call as the document does: ``get_ticket(ticket_id="a")``."""
    tool = call.tool if call.tool.isidentifier() else json.dumps(call.tool)  # an agent calls what it likes
    if not isinstance(call.arguments, dict):
        return f"{tool}({call.arguments!r})"
    arguments = (f"{_name(name)}={json.dumps(value)}" for name, value in call.arguments.items())
    return f"{tool}({', '.join(arguments)})"


def _name(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)
