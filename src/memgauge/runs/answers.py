"""What a search returned, made fit to be frozen: budgets enforced, breaches named, nothing invented."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import ContractBreach
from memgauge.records import Hit, Memory, Ranking
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.runs.lineage import Kept, LineageLedger
    from memgauge.runs.manifest import Limits


@dataclass(frozen=True, slots=True)
class Frozen:
    """A ranking as it enters the record."""

    hits: tuple[tuple[Kept, float | None], ...]
    capped: int
    """Hits that the harness cut for k or for the budget."""
    tokens: int
    characters: int
    notes: tuple[str, ...]


def freeze(ranking: object, ledger: LineageLedger, limits: Limits) -> Frozen:
    """Check what a search returned and cut it to the limits.

    Duplicates after the first, scores that are no numbers and memories of unknown origin are noted; the order is
    never touched.

    Raises:
        ContractBreach: It is not a ranking of memories at all.
    """
    if not isinstance(ranking, Ranking):
        raise ContractBreach(f"search returned {type(ranking).__name__}, not a Ranking")
    notes = dict.fromkeys(ranking.notes)
    unique = _distinct(ranking.hits, notes)
    kept: list[tuple[Kept, float | None]] = []
    tokens = characters = strangers = nonfinite = 0
    for hit in unique[: limits.k]:
        cost = count_tokens(hit.memory.text)
        if limits.budget_tokens is not None and tokens + cost > limits.budget_tokens:
            break
        tokens += cost
        characters += len(hit.memory.text)
        strangers += not ledger.knows(hit.memory)
        finite = hit.score is None or math.isfinite(hit.score)
        nonfinite += not finite
        kept.append((ledger.keep(hit.memory), hit.score if finite else None))
    if len(unique) > limits.k:
        notes["more than k hits returned; cut by the harness"] = None
    if strangers:
        notes["hits of unknown origin: nothing ties them to what was written"] = None
    if nonfinite:
        notes["scores that are no numbers; kept without score"] = None
    return Frozen(tuple(kept), len(unique) - len(kept), tokens, characters, tuple(notes))


def _distinct(hits: Iterable[object], notes: dict[str, None]) -> list[Hit]:
    unique: dict[str, Hit] = {}
    returned = 0
    for hit in hits:
        returned += 1
        if not isinstance(hit, Hit) or not isinstance(hit.memory, Memory):
            raise ContractBreach(f"search returned a {type(hit).__name__} among its hits, not a Hit of a Memory")
        unique.setdefault(hit.memory.id, hit)
    if len(unique) < returned:
        notes["duplicate hits returned; the first counts"] = None
    return list(unique.values())
