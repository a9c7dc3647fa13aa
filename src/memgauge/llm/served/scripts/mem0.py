"""Mem0: one call that only adds in 2.x; facts, then what to do with them in 1.x."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from memgauge.llm.served.scripts.facts import dated, day_in, ends_something, nearest, section, slot_of, statements
from memgauge.llm.served.scripts.family import PromptFamily, holding

if TYPE_CHECKING:
    from memgauge.llm.served.asked import ChatRequest

_SPEAKER = re.compile(r"(?m)^(user|assistant|system): ?")
_FENCED = re.compile(r"```\s*(\[.*?\])\s*```", re.DOTALL)


def _additions(asked: ChatRequest) -> dict[str, Any]:
    talk = section(asked.last, "## New Messages", "## Observation Date")
    day = day_in(section(asked.last, "## Observation Date", "## Current Date"))
    known = section(asked.last, "## Existing Memories", "## New Messages")
    memories: list[dict[str, str]] = []
    for speaker, text in _by_speaker(talk):
        for statement in statements(text):
            memory = dated(statement, day)
            if memory not in known:
                memories.append({"id": str(len(memories)), "text": memory, "attributed_to": speaker})
    return {"memory": memories}


def _facts(asked: ChatRequest) -> dict[str, Any]:
    talk = asked.last.partition("Input:")[2]
    texts = [text for speaker, text in _by_speaker(talk) if speaker == "user"]
    return {"facts": [statement for text in texts for statement in statements(text)]}


def _changes(asked: ChatRequest) -> dict[str, Any]:
    lists = [_literal(fenced) for fenced in _FENCED.findall(asked.text)]
    facts = lists[-1] if lists else []
    stored = lists[-2] if len(lists) > 1 and "Current memory is empty" not in asked.text else []
    old = {str(memory["id"]): str(memory["text"]) for memory in stored if isinstance(memory, dict)}
    return {"memory": [_change(str(fact), old, str(len(old) + place)) for place, fact in enumerate(facts)]}


def _change(fact: str, old: dict[str, str], unused: str) -> dict[str, str]:
    """Decide what a fact does: the same again, an end, another value, or something new."""
    for key, text in old.items():
        if fact == text:
            return {"id": key, "text": text, "event": "NONE"}
    near = nearest(fact, list(old.values()))
    if ends_something(fact) and near is not None:
        key = list(old)[near]
        return {"id": key, "text": old[key], "event": "DELETE"}
    for key, text in old.items():
        if slot_of(fact) is not None and slot_of(fact) == slot_of(text):
            return {"id": key, "text": fact, "event": "UPDATE", "old_memory": text}
    if " also " in fact and near is not None:
        key = list(old)[near]
        return {"id": key, "text": f"{old[key]} {fact}", "event": "UPDATE", "old_memory": old[key]}
    return {"id": unused, "text": fact, "event": "ADD"}


def _by_speaker(talk: str) -> list[tuple[str, str]]:
    parts = _SPEAKER.split(talk.strip())
    return list(zip(parts[1::2], parts[2::2], strict=True)) or [("user", talk)]


def _literal(text: str) -> list[Any]:
    try:
        read = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return []
    return read if isinstance(read, list) else []


FAMILIES = (
    PromptFamily("mem0 extract", holding("## New Messages", "## Observation Date"), _additions),
    PromptFamily("mem0 update", holding("new retrieved facts", '"event"'), _changes),
    PromptFamily("mem0 facts", lambda asked: asked.last.startswith("Input:") and '"facts"' in asked.text, _facts),
)
