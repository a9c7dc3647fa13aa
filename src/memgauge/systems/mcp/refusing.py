"""Replies that say that a tool failed, where the server does not mark them as the protocol has it."""

from __future__ import annotations

import re
from typing import Final

_TEXT: Final = re.compile(
    r"\s*(?:[\w.-]+ ){0,3}?[\w.]*(?:error|exception|failure)\s*:|\s*(?:failed (?:to|with)\b|failed:|traceback \(|"
    r"internal server error\b|unable to connect\b)",
    re.IGNORECASE,
)
"""How a text begins that reports a failure: "Error: …", "Database error: …", "sqlite3.OperationalError: …"."""
_REASONS: Final = ("error", "errors", "exception")
_GOOD: Final = ("success", "ok", "succeeded")
_BAD: Final = frozenset({"error", "failed", "failure"})


_NOTHING: Final = re.compile(r"\b(?:no|not|nothing|none|empty)\b", re.IGNORECASE)
"""How a text says that there is nothing, which no failure is where something is looked for."""


def failure_in(reply: object, *, looking: bool) -> str:
    """Return what a reply says of its failure, empty where it reports none.

    Looked at are a text as a whole, an object's own fields, and a text that is all of a result; never the rows of
    a list, which are memories. Who is *looking* for something may be told that there is none, in whatever words.
    """
    reason = _reason(reply)
    return "" if looking and _NOTHING.search(reason) else reason


def _reason(reply: object) -> str:
    if isinstance(reply, str):
        return reply if _TEXT.match(reply) else ""
    if not isinstance(reply, dict):
        return ""
    if named := next((reply[name] for name in _REASONS if reply.get(name)), None):
        return str(named)
    if any(reply.get(name) is False for name in _GOOD) or str(reply.get("status")).lower() in _BAD:
        return str(reply.get("message") or reply)
    return _reason(reply["result"]) if reply.keys() == {"result"} and isinstance(reply["result"], str) else ""
