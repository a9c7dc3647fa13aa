"""What a judge decided, read strictly: what is not exactly a verdict is none."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Grade(StrEnum):
    """How one answer was judged."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    INVALID = "invalid"
    """The judge did not say, or could not be understood: neither right nor wrong."""
    UNDECIDED = "undecided"
    """A panel came to no majority, or too few of its judges said anything."""


SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "verdict": {"type": "string", "enum": ["CORRECT", "INCORRECT"]},
    },
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}
"""The reply that a judge is asked for; the reason comes first, so that it is thought before it is said."""
_WORDS = {"CORRECT": Grade.CORRECT, "INCORRECT": Grade.INCORRECT}
_LAST_LINE = re.compile(r"(?:VERDICT:\s*)?(CORRECT|INCORRECT)\.?")


def parse_verdict(text: str) -> Grade:
    """Read a judge's reply.

    Accepted is one JSON object that fits the schema and nothing else, or prose whose last line is the word alone
    (or after ``VERDICT:``) and that names no other verdict. Everything else is invalid.
    """
    stripped = text.strip()
    if stripped.startswith("{"):
        return _from_json(stripped)
    lines = stripped.splitlines()
    last = _LAST_LINE.fullmatch(lines[-1].strip()) if lines else None
    if last is None:
        return Grade.INVALID
    said = set(re.findall(r"\b(?:CORRECT|INCORRECT)\b", stripped))
    return _WORDS[last[1]] if said == {last[1]} else Grade.INVALID


def _from_json(text: str) -> Grade:
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except ValueError:
        return Grade.INVALID
    if not isinstance(data, dict) or not set(data) <= {"reason", "verdict"}:
        return Grade.INVALID
    verdict = data.get("verdict")
    return _WORDS.get(verdict, Grade.INVALID) if isinstance(verdict, str) else Grade.INVALID


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says one thing twice."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name occurs twice")
    return dict(pairs)


def decide(votes: Sequence[Grade], quorum: int = 1) -> Grade:
    """Return what more than half of the judges say that said anything, if they are at least *quorum*.

    A tie is no majority.
    """
    valid = [vote for vote in votes if vote in {Grade.CORRECT, Grade.INCORRECT}]
    if len(valid) < max(quorum, 1):
        return Grade.UNDECIDED if valid else Grade.INVALID
    for grade in (Grade.CORRECT, Grade.INCORRECT):
        if 2 * valid.count(grade) > len(valid):
            return grade
    return Grade.UNDECIDED
