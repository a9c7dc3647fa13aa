"""A memory as one line of a Markdown file, and back again, whatever its text holds."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Final

from memgauge.records import Form, Memory
from memgauge.text.jsons import json_of

_LINE = re.compile(r"- (?P<text>.*) <!-- (?P<kept>\{.*\}) -->", re.DOTALL)
_ESCAPES: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_PLAIN: Final = {"n": "\n", "r": "\r"}


def line_of(memory: Memory) -> str:
    """Write *memory* as a bullet: its text, and in a comment its id, turns, time and role."""
    facts = {
        "id": memory.id,
        "of": list(memory.sources),
        "at": memory.event_at.isoformat() if memory.event_at else "",
        "role": memory.channel,
    }
    spelled = json.dumps(facts, separators=(",", ":")).replace("<", "\\u003c")  # or an id could open a comment
    return f"- {_escaped(memory.text)} <!-- {spelled} -->"


def memory_in(line: str) -> Memory | None:
    """Read what :func:`line_of` wrote; ``None`` where a line is a heading or somebody else's."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    try:
        facts = json_of(match["kept"])
        at = datetime.fromisoformat(facts["at"]) if facts["at"] else None
        known = str(facts["id"]), tuple(map(str, facts["of"])), str(facts["role"])
    except (KeyError, TypeError, ValueError):
        return None
    text = _ESCAPED.sub(lambda pair: _PLAIN.get(pair[1], pair[1]), match["text"])
    return Memory(known[0], text, Form.UNKNOWN, known[1], event_at=at, channel=known[2])


def _escaped(text: str) -> str:
    for plain, written in _ESCAPES.items():
        text = text.replace(plain, written)
    return text
