"""Graphs of names and facts: Graphiti, and what Cognee draws from a chunk."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from memgauge.llm.served.scripts.facts import section, slot_of, statements
from memgauge.llm.served.scripts.family import PromptFamily, shaped
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from memgauge.llm.served.asked import ChatRequest

_IDX = re.compile(r"'idx': (\d+), 'fact': (?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")")


def _entities(asked: ChatRequest) -> dict[str, Any]:
    speaker, stated = _message(asked)
    names = dict.fromkeys([speaker, *(_object(statement) for statement in stated)])
    return {"extracted_entities": [{"name": name, "entity_type_id": 0, "episode_indices": [0]} for name in names]}


def _edges(asked: ChatRequest) -> dict[str, Any]:
    speaker, stated = _message(asked)
    at = section(asked.text, "<REFERENCE_TIME>", "</REFERENCE_TIME>").partition("#")[0].strip().replace(" ", "T")
    edges = [
        {
            "source_entity_name": speaker,
            "target_entity_name": _object(statement),
            "relation_type": "SAID",
            "fact": statement,
            "valid_at": at or None,
            "invalid_at": None,
            "episode_indices": [0],
        }
        for statement in stated
    ]
    return {"edges": edges}


def _same_or_against(asked: ChatRequest) -> dict[str, Any]:
    """Say which stored facts are the new one again, and which set the same thing to something else."""
    new = section(asked.text, "<NEW FACT>", "</NEW FACT>")
    known = _facts(section(asked.text, "<EXISTING FACTS>", "</EXISTING FACTS>"))
    others = _facts(section(asked.text, "<FACT INVALIDATION CANDIDATES>", "</FACT INVALIDATION CANDIDATES>"))
    same = [idx for idx, fact in known.items() if fact and fact in new]
    slot = next(filter(None, map(slot_of, statements(new))), None)
    against = [
        idx
        for idx, fact in {**known, **others}.items()
        if slot is not None and slot_of(fact) == slot and idx not in same
    ]
    return {"duplicate_facts": same, "contradicted_facts": against}


def _facts(text: str) -> dict[int, str]:
    try:
        return {int(fact["idx"]): str(fact["fact"]) for fact in json_of(text)}
    except (ValueError, TypeError, KeyError):
        return {int(idx): single or double for idx, single, double in _IDX.findall(text)}


def _message(asked: ChatRequest) -> tuple[str, list[str]]:
    for tag in ("CURRENT MESSAGE", "CURRENT_MESSAGE"):
        if message := section(asked.text, f"<{tag}>", f"</{tag}>"):
            speaker, _, text = message.partition(": ")
            return speaker.strip()[:60], statements(text)
    return "somebody", []


def _object(statement: str) -> str:
    """Name what a statement is about: what follows its slot, or its last words."""
    slot = slot_of(statement)
    rest = statement[len(slot) :] if slot else statement
    words = re.findall(r"[\w'-]+", rest)
    return " ".join(words[:4] if slot else words[-3:]) or "something"


def _knowledge(asked: ChatRequest) -> dict[str, Any]:
    stated = statements(asked.last)[:12]
    nodes = [{"id": "text", "name": "text", "type": "Text", "description": "what was said", "label": "text"}]
    edges = []
    for place, statement in enumerate(stated):
        name = _object(statement)
        key = f"{name.casefold().replace(' ', '_')}_{place}"
        nodes.append({"id": key, "name": name, "type": "Thing", "description": statement, "label": name})
        edges.append({"source_node_id": "text", "target_node_id": key, "relationship_name": "says"})
    return {"summary": "", "description": "", "nodes": nodes, "edges": edges}


def _summary(asked: ChatRequest) -> dict[str, Any]:
    summary = " ".join(statements(asked.last)) or " ".join(asked.last.split())
    return {"summary": summary[:400], "description": summary[:120]}


FAMILIES = (
    PromptFamily("graphiti entities", shaped("ExtractedEntities"), _entities),
    PromptFamily("graphiti facts", shaped("ExtractedEdges"), _edges),
    PromptFamily("graphiti same or against", shaped("EdgeDuplicate"), _same_or_against),
    PromptFamily("cognee graph", shaped("KnowledgeGraph"), _knowledge),
    PromptFamily("cognee summary", shaped("SummarizedContent"), _summary),
)
