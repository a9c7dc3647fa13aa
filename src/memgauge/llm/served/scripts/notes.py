"""Notes, pages and profiles: MemoryOS of BAI-LAB, A-MEM, and the extraction of MemOS."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from memgauge.llm.served.scripts.facts import statements
from memgauge.llm.served.scripts.family import PromptFamily, holding

if TYPE_CHECKING:
    from memgauge.llm.served.asked import ChatRequest

_STAMP = re.compile(r" ?\(Timestamp: [^)]*\)")
_SAID = re.compile(r"(?m)^(User|Assistant): ?(.*)$")
_COUNT = re.compile(r"number of neighbors is (\d+)", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{5,}")


def _themes(asked: ChatRequest) -> str:
    """Give one theme for all of it."""
    texts = [text for _, text in _SAID.findall(asked.last)]
    words = list(dict.fromkeys(_WORD.findall(" ".join(texts).casefold())))[:5]
    return json.dumps([{"theme": "talk", "keywords": words, "content": " ".join(words) or "talk"}])


def _knowledge(asked: ChatRequest) -> str:
    talk = _STAMP.sub("", asked.last)
    noted: dict[str, list[str]] = {"User": [], "Assistant": []}
    for who, text in _SAID.findall(talk):
        noted[who] += [f"- {statement}" for statement in statements(text)]
    sides = (("User Private Data", noted["User"]), ("Assistant Knowledge", noted["Assistant"]))
    return "\n".join(f"【{name}】\n" + ("\n".join(lines) or "- None") for name, lines in sides)


def _profile(asked: ChatRequest) -> str:
    stated = [
        statement for who, text in _SAID.findall(_STAMP.sub("", asked.last)) for statement in statements(text)
    ]
    return "What the user has told so far: " + " ".join(stated)[:600]


def _overview(asked: ChatRequest) -> str:
    stated = [statement for _, text in _SAID.findall(asked.last) for statement in statements(text)]
    return " ".join(stated)[:200] or "Nothing was told."


def _evolution(asked: ChatRequest) -> dict[str, Any]:
    """Give every neighbour the same new context, so that it can be seen which notes a system changes."""
    counted = _COUNT.search(asked.text)
    count = int(counted[1]) if counted else 0
    content = re.search(r"content: (.*)", asked.text)
    words = list(dict.fromkeys(_WORD.findall((content[1] if content else "").casefold())))[:3]
    return {
        "should_evolve": count > 0,
        "actions": ["strengthen", "update_neighbor"],
        "suggested_connections": [],
        "tags_to_update": words,
        "new_context_neighborhood": ["near: " + " ".join(words)] * count,
        "new_tags_neighborhood": [words] * count,
    }


def _items(asked: ChatRequest) -> dict[str, Any]:
    talk = asked.last.rpartition("Conversation:")[2].rpartition("Your Output:")[0]
    stated = [statement for line in talk.strip().split("\n") for statement in statements(line.partition(":")[2])]
    items = [
        {"key": statement[:40], "memory_type": "LongTermMemory", "value": statement, "tags": []}
        for statement in stated
    ]
    return {"memory list": items, "summary": " ".join(stated)[:200]}


FAMILIES = (
    PromptFamily("memoryos continuity", holding("conversation continuity detector"), lambda _: "false"),
    PromptFamily("memoryos overview", holding("conversation meta-summary updater"), _overview),
    PromptFamily("memoryos themes", holding("analyzing dialogue topics"), _themes),
    PromptFamily("memoryos profile", holding("user preference analysis assistant"), _profile),
    PromptFamily(
        "memoryos knowledge", holding("knowledge extraction assistant", "【User Private Data】"), _knowledge
    ),
    PromptFamily("memos items", holding('"memory list"', "Your Output:"), _items),
    PromptFamily("a-mem evolution", holding("memory evolution agent"), _evolution),
)
