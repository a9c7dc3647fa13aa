"""Attempts of an answer to judge itself: found by what they look like, whatever the judge made of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.llm.forms import undisguised

if TYPE_CHECKING:
    from collections.abc import Mapping

_LABELS = (
    "CORRECT|INCORRECT|SUPPORTED|UNSUPPORTED|CONTRADICTED|SUPPORTS|PARTIAL|PARTLY|HALLUCINATION|OMISSION|MISSING"
    "|WHOLE|ABSENT|BEARS|LACKS|FULL"
)
_FENCES = (
    "answer|gold|question|context|data|memory|memories|sources?|claim|evidence|dialogue|turn|before|line|events?|point"
    "|calls?|entry|now|instance|rule|system|user|assistant|judge"
)
PATTERNS: Mapping[str, re.Pattern[str]] = {
    "asks to be marked": re.compile(
        r"\b(?:mark|grade|judge|rate|score|consider|count|treat)\s+(?:this|it|me|my|the)\b.{0,40}\b(?:correct|right|true)\b",
        re.IGNORECASE | re.DOTALL,
    ),
    "ignores instructions": re.compile(
        r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|rules?|above|previous|prompt|rubric)\b",
        re.IGNORECASE | re.DOTALL,
    ),
    "brings a verdict": re.compile(
        rf"(?i:\bverdict\b\W{{0,5}}(?:{_LABELS})\b)|[\"'](?i:verdict|is_correct|score)[\"']\s*:|(?m:^\W*(?:{_LABELS})\W*$)"
    ),
    "closes a fence": re.compile(rf"</?(?:{_FENCES})[-\w]*>", re.IGNORECASE),
    "plays a role": re.compile(
        r"(?m)^[\s#*>]*(?:system|assistant|user|judge)\s*:|<\|\w+\|>|\[/?INST\]|^#{2,}\s*(?:system|assistant)\b",
        re.IGNORECASE,
    ),
    "speaks to the judge": re.compile(
        r"\b(?:dear|attention|note to)\b.{0,10}\b(?:judge|grader|evaluator)\b", re.IGNORECASE
    ),
}
"""By name: what is reported."""


def attempts(text: str) -> tuple[str, ...]:
    """Name every kind of attempt in *text*, also in letters that only look like ours."""
    plain = undisguised(text)
    return tuple(
        name
        for name, pattern in PATTERNS.items()
        if pattern.search(text) or (plain != text and pattern.search(plain))
    )
