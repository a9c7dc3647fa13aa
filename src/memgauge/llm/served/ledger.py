"""What was asked of a served model: one line a call, and sums by purpose."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Called:
    """One call."""

    kind: str
    """``chat`` or ``embeddings``."""
    purpose: str
    """The family of its prompt, or why none was found."""
    model: str
    input_tokens: int
    output_tokens: int = 0
    key: str = ""
    """Of the request, without what changes from run to run."""
    outcome: str = "ok"
    """``ok``, ``replayed``, ``miss`` or ``failed``."""


@dataclass(frozen=True, slots=True)
class Total:
    """Several calls of one purpose."""

    calls: int
    input_tokens: int
    output_tokens: int


def totals(calls: Iterable[Called]) -> dict[str, Total]:
    """Sum calls by purpose, in the order of the names."""
    by_purpose: defaultdict[str, list[Called]] = defaultdict(list)
    for call in calls:
        by_purpose[call.purpose].append(call)
    return {
        purpose: Total(len(some), sum(one.input_tokens for one in some), sum(one.output_tokens for one in some))
        for purpose, some in sorted(by_purpose.items())
    }
