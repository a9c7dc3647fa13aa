"""What a search returned, made fit to be frozen: budgets enforced, breaches named, nothing invented."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from numbers import Real
from typing import TYPE_CHECKING

from memgauge.errors import ContractBreach
from memgauge.records import Form, Hit, Lineage, Memory, Ranking
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
    for name, value in (("hits", ranking.hits), ("notes", ranking.notes)):
        if not isinstance(value, (tuple, list)):
            raise ContractBreach(f"search returned its {name} as {type(value).__name__}, not as a tuple")
    notes = dict.fromkeys(str(note) for note in ranking.notes)
    unique = _distinct(ranking.hits, notes)
    kept: list[tuple[Kept, float | None]] = []
    tokens = characters = strangers = nonfinite = 0
    for hit in unique[: limits.k]:
        cost = count_tokens(hit.memory.text)
        if limits.budget_tokens is not None and tokens + cost > limits.budget_tokens:
            break
        tokens += cost
        characters += len(hit.memory.text)
        memory = ledger.keep(hit.memory)
        strangers += memory.lineage is Lineage.ABSENT
        score = _number(hit.score)
        nonfinite += score is None and hit.score is not None
        kept.append((memory, score))
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
        if not isinstance(hit, Hit):
            raise ContractBreach(f"search returned a {type(hit).__name__} among its hits, not a Hit")
        unique.setdefault(checked(hit.memory, "search").id, hit)
    if len(unique) < returned:
        notes["duplicate hits returned; the first counts"] = None
    return list(unique.values())


def checked(memory: object, what: str) -> Memory:
    """Return *memory* if it is one that can be written down.

    Raises:
        ContractBreach: It is something else, or a field of it is.
    """
    if not isinstance(memory, Memory):
        raise ContractBreach(f"{what} returned a {type(memory).__name__} where a Memory belongs")
    sources: object = memory.sources
    moments: tuple[object, ...] = (memory.event_at, memory.valid_from, memory.valid_to, memory.stored_at)
    fits = {
        "id": isinstance(memory.id, str),
        "text": isinstance(memory.text, str),
        "form": memory.form in tuple(Form),
        "sources": isinstance(sources, (tuple, list)) and all(isinstance(turn, str) for turn in sources),
        "channel": isinstance(memory.channel, str),
        "times": all(moment is None or isinstance(moment, datetime) for moment in moments),
    }
    if not all(fits.values()):
        wrong = ", ".join(name for name, good in fits.items() if not good)
        raise ContractBreach(f"{what} returned a Memory with a wrong {wrong}")
    return memory


def _number(score: object) -> float | None:
    """Return a finite score of any numeric type as a float, and ``None`` for everything else."""
    return float(score) if isinstance(score, Real) and math.isfinite(score) else None
