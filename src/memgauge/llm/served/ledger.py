"""What was asked of a served model: one line a call, and sums by purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.llm.budget import SpendingLedger
from memgauge.llm.messages import Counted, Usage

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


def totals(calls: Iterable[Called]) -> dict[str, SpendingLedger]:
    """Sum calls by purpose, in the order of the names."""
    sums: dict[str, SpendingLedger] = {}
    for call in calls:
        so_far = sums.get(call.purpose, SpendingLedger())
        usage = Usage(call.input_tokens, call.output_tokens, Counted.ESTIMATE)
        sums[call.purpose] = so_far.plus(usage, failed=call.outcome in {"miss", "failed"})
    return dict(sorted(sums.items()))
