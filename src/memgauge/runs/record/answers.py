"""What a search returned, made fit to be frozen: budgets enforced, breaches named, nothing invented."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import ContractBreach
from memgauge.records import Lineage
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Hit, Ranking
    from memgauge.runs.record.lineage import LineageLedger, TracedVersion
    from memgauge.runs.record.manifest import Limits


@dataclass(frozen=True, slots=True)
class Frozen:
    """A ranking as it enters the record."""

    hits: tuple[tuple[TracedVersion, float | None], ...]
    capped: int
    """Hits that the harness cut for k or for the budget."""
    tokens: int
    characters: int
    notes: tuple[str, ...]


def freeze(ranking: Ranking | ContractBreach, ledger: LineageLedger, limits: Limits) -> Frozen:
    """Cut a ranking, which is plain, to the limits.

    Duplicates after the first, scores that are no numbers and memories of unknown origin are noted; the order is
    never touched.

    Raises:
        ContractBreach: It was no ranking of memories at all.
    """
    if isinstance(ranking, ContractBreach):
        raise ranking
    notes = dict.fromkeys(ranking.notes)
    unique = _distinct(ranking.hits, notes)
    hits: list[tuple[TracedVersion, float | None]] = []
    tokens = characters = strangers = nonfinite = 0
    budget, keep = limits.budget_tokens, ledger.keep
    for hit in unique[: limits.k]:
        text, score = hit.memory.text, hit.score
        cost = count_tokens(text)
        if budget is not None and tokens + cost > budget:
            break
        tokens += cost
        characters += len(text)
        memory = keep(hit.memory)
        strangers += memory.lineage is Lineage.ABSENT
        if score is not None and not math.isfinite(score):
            nonfinite, score = nonfinite + 1, None
        hits.append((memory, score))
    if len(unique) > limits.k:
        notes["more than k hits returned; cut by the harness"] = None
    if strangers:
        notes["hits of unknown origin: nothing ties them to what was written"] = None
    if nonfinite:
        notes["scores that are no numbers; kept without score"] = None
    return Frozen(tuple(hits), len(unique) - len(hits), tokens, characters, tuple(notes))


def _distinct(hits: Sequence[Hit], notes: dict[str, None]) -> Sequence[Hit]:
    unique: dict[str, Hit] = {}
    for hit in hits:
        unique.setdefault(hit.memory.id, hit)
    if len(unique) == len(hits):
        return hits
    notes["duplicate hits returned; the first counts"] = None
    return list(unique.values())
