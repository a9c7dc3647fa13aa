"""memU: segments of a conversation, items of a kind in XML, and what a category is about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from memgauge.llm.served.scripts.facts import dated, day_in, section, statements
from memgauge.llm.served.scripts.family import PromptFamily, holding

if TYPE_CHECKING:
    from memgauge.llm.served.asked import ChatRequest

_LINE = re.compile(r"(?m)^\[(\d+)\] (\S*) ?\[[^\]]*\]: ")
_CATEGORY = "<categories><category>experiences</category></categories>"
_SENTENCES = 5
"""How many statements a summary holds at most."""


def _segments(asked: ChatRequest) -> dict[str, Any]:
    """Take a conversation for one segment."""
    numbers = [int(line[1]) for line in _LINE.finditer(asked.text.rpartition("Conversation Content:")[2])]
    return {"segments": [{"start": 0, "end": max(numbers, default=0)}]}


def _items(asked: ChatRequest) -> str:
    """Record what was said as events, and as nothing else."""
    resource = asked.text.rpartition("<resource>")[2].partition("</resource>")[0]
    day = day_in(resource)
    events = statements(_LINE.sub("", resource)) if "specific events and experiences" in asked.text else []
    items = "".join(
        f"<memory><content>{escape(dated(each, day))}</content>{_CATEGORY}</memory>" for each in events
    )
    return f"<item>{items}</item>"


def _summary(asked: ChatRequest) -> str:
    """Put what is new before what was there, and keep the first of it."""
    given = asked.text.rpartition("# Input")[2]
    new = section(given, "<item>", "</item>").splitlines()
    old = section(given, "<content>", "</content>").splitlines()
    return "\n".join([line for line in (*new, *old) if line.strip()][:_SENTENCES])


FAMILIES = (
    PromptFamily("memu segments", holding("Conversation Content:", '"segments"'), _segments),
    PromptFamily("memu items", holding("Memory Extractor", "<resource>"), _items),
    PromptFamily("memu summary", holding("# Input", "<content>", "<item>"), _summary),
)
