"""Hindsight: facts of a chunk; then observations of facts, one for what has one value at a time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memgauge.llm.served.scripts.facts import dated, day_in, section, slot_of, statements
from memgauge.llm.served.scripts.family import PromptFamily, holding
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from memgauge.llm.served.asked import ChatRequest

_NOTHING = {"when": "N/A", "where": "N/A", "who": "N/A", "why": "N/A", "fact_type": "world", "entities": []}
_FACT = re.compile(r"(?m)^\[([0-9a-f-]{36})\] (.*?)(?: \((?:occurred|mentioned)_\w+.*\))?$")


def _facts(asked: ChatRequest) -> dict[str, Any]:
    day = day_in(section(asked.text, "Event Date:", "Context:"))
    chunk = section(asked.text, "Extract facts from the following chunk.", "Return valid json only.")
    document = chunk.partition("Content:")[2] or chunk.partition("Text:")[2]
    return {"facts": [{"what": dated(statement, day), **_NOTHING} for statement in statements(document)]}


def _observations(asked: ChatRequest) -> dict[str, Any]:
    """Observe what has one value at a time: anew where nobody did, else in the place of the former value."""
    data = asked.text.rpartition("## INPUT\n")[2]
    known = {slot_of(each["text"]): each["id"] for each in _listed(data.partition("### Existing observations")[2])}
    creates, updates = list[dict[str, Any]](), list[dict[str, Any]]()
    for name, text in _FACT.findall(section(data, "### New facts", "### Existing observations")):
        slot = slot_of(text)
        observed = {"text": text, "source_fact_ids": [name], "reason": "what has one value"}
        if slot is not None and slot in known:
            updates.append({**observed, "observation_id": known[slot]})
        elif slot is not None:
            creates.append(observed)
    return {"creates": creates, "updates": updates, "deletes": []}


def _listed(text: str) -> list[dict[str, str]]:
    """Read the first list of JSON in *text*."""
    start, end = text.find("["), text.rfind("]")
    try:
        read = json_of(text[start : end + 1]) if 0 <= start < end else []
    except ValueError:
        return []
    return [each for each in read if isinstance(each, dict) and {"id", "text"} <= each.keys()]


FAMILIES = (
    PromptFamily("hindsight facts", holding("Extract facts from the following chunk."), _facts),
    PromptFamily("hindsight observations", holding("### New facts", "### Existing observations"), _observations),
)
