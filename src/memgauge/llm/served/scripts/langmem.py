"""LangMem: one pass with tools, that records, patches and removes memories."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.llm.served.asked import Use
from memgauge.llm.served.scripts.facts import ends_something, nearest, slot_of, statements
from memgauge.llm.served.scripts.family import PromptFamily

if TYPE_CHECKING:
    from memgauge.llm.served.asked import ChatRequest, Said

_SESSION = re.compile(r"<session_[^>]*>(.*?)</session_", re.DOTALL)
_RULE = re.compile(r"(?m)^=+ \w+ Message =+$")
_STORED = re.compile(r"""<instance id=["']?([^"'\s>]+)["']?[^>]*>\s*(.*?)\s*</instance>""", re.DOTALL)


def _memories(asked: ChatRequest) -> Said:
    session = _SESSION.search(asked.text)
    talk = _RULE.sub("", session[1]) if session else asked.last
    stored = dict(_STORED.findall(asked.text))
    uses = [use for fact in statements(talk) if (use := _use(fact, stored, asked)) is not None]
    return uses or "Nothing new."


def _use(fact: str, stored: dict[str, str], asked: ChatRequest) -> Use | None:
    if any(fact in text for text in stored.values()):
        return None
    near = nearest(fact, list(stored.values()))
    if ends_something(fact) and near is not None and "RemoveDoc" in asked.tools:
        return Use("RemoveDoc", {"json_doc_id": list(stored)[near]})
    same = [key for key, text in stored.items() if slot_of(fact) and (slot_of(fact) or "") in text.casefold()]
    if same and "PatchDoc" in asked.tools:
        patch = {"op": "replace", "path": "/content", "value": fact}
        return Use("PatchDoc", {"json_doc_id": same[0], "planned_edits": "replace", "patches": [patch]})
    return Use("Memory", {"content": fact})


FAMILIES = (
    PromptFamily(
        "langmem memories", lambda asked: "Memory" in asked.tools and "<session_" in asked.text, _memories
    ),
)
