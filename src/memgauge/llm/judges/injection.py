"""Attempts of an answer to judge itself: found by what they look like, whatever the judge made of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PATTERNS: Mapping[str, re.Pattern[str]] = {
    "asks to be marked": re.compile(
        r"\b(?:mark|grade|judge|rate|score|consider|count|treat)\s+(?:this|it|me|my|the)\b.{0,40}\b(?:correct|right|true)\b",
        re.IGNORECASE | re.DOTALL,
    ),
    "ignores instructions": re.compile(
        r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|rules?|above|previous|prompt|rubric)\b",
        re.IGNORECASE | re.DOTALL,
    ),
    "brings a verdict": re.compile(r"\bverdict\b\W{0,5}(?:in)?correct\b", re.IGNORECASE),
    "closes a fence": re.compile(
        r"</?(?:answer|gold|question|context|data|memory|system|user|assistant)[-\w]*>", re.IGNORECASE
    ),
    "plays a role": re.compile(r"(?m)^\s*(?:system|assistant|user|judge)\s*:", re.IGNORECASE),
    "speaks to the judge": re.compile(
        r"\b(?:dear|attention|note to)\b.{0,10}\b(?:judge|grader|evaluator)\b", re.IGNORECASE
    ),
}
"""By name: what is reported."""


def attempts(text: str) -> tuple[str, ...]:
    """Name every kind of attempt in *text*."""
    return tuple(name for name, pattern in PATTERNS.items() if pattern.search(text))
