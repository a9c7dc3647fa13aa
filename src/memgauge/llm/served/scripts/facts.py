"""What a scripted model makes of a sentence: statements as they were said, with relative days made absolute.

It understands nothing. Its use is that every path of a memory system is walked, and the same one every time.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

_END = re.compile(r"(?<=[.!?])\s+|\n+")
_SLOT = re.compile(
    r"^(?:\w+: )?((?:my|our|the user's|\w+'s) [\w' -]{2,40}? (?:is|are)|i (?:live in|work (?:at|for)))\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\b(?:forget|no longer|cancel(?:led)?|not any ?more|gave up)\b", re.IGNORECASE)
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_WORD = re.compile(r"\w{3,}")
_COMMON = frozenset(
    {"and", "are", "for", "have", "her", "his", "longer", "not", "our", "the", "was", "with", "you"}
)
_LONGEST = 300


def statements(text: str) -> list[str]:
    """Return the sentences of *text* that are no questions, as they stand."""
    sentences = [sentence.strip()[:_LONGEST] for sentence in _END.split(text)]
    return [sentence for sentence in sentences if sentence and not sentence.endswith("?")]


def slot_of(statement: str) -> str | None:
    """Return what a statement is about where it sets something that has one value: ``my home city is``."""
    match = _SLOT.match(statement.strip())
    return match[1].casefold() if match else None


def ends_something(statement: str) -> bool:
    """Say whether a statement ends what held before."""
    return bool(_ENDS.search(statement))


def nearest(statement: str, others: list[str]) -> int | None:
    """Return the place of the text that shares most words with *statement*, or nothing where none shares two."""
    words = _words(statement)
    shared = [len(words & _words(other)) for other in others]
    best = max(shared, default=0)
    return shared.index(best) if best >= 2 else None


def dated(text: str, day: date | None) -> str:
    """Replace ``yesterday``, ``today`` and ``tomorrow`` by dates, seen from *day*."""
    if day is None:
        return text
    spelled = {word: f"on {(day + timedelta(days=shift)).isoformat()}" for word, shift in _DAYS.items()}
    return re.sub(
        rf"\b(?:{'|'.join(_DAYS)})\b", lambda match: spelled[match[0].casefold()], text, flags=re.IGNORECASE
    )


def day_in(text: str) -> date | None:
    """Return the first ISO date of *text*."""
    match = re.search(r"\d{4}-\d{2}-\d{2}", text)
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:
        return None


def section(text: str, start: str, end: str) -> str:
    """Return what stands between two headings, or nothing where the first is absent."""
    _, heading, rest = text.partition(start)
    return rest.partition(end)[0].strip() if heading else ""


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - _COMMON
