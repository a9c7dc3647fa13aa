"""What a run cost by the units that people pay for: building the memory, a thousand memories, a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.metering import COUNTS
from memgauge.results import result
from memgauge.runs.record.cost import UNAVAILABLE, Amount, CostRecord, PhaseCost
from memgauge.runs.record.phases import INGEST, QUERY

if TYPE_CHECKING:
    from memgauge.runs.record.pricing import PricedCost

_AMOUNTS: Final = ("wall_s", "cpu_s", "model_calls", *COUNTS[1:])


@result
@dataclass(frozen=True, slots=True)
class UnitCost:
    """What one unit took."""

    unit: str
    of: int
    """How many of it a phase was for; 0 leaves everything unknown."""
    took: PhaseCost
    usd: float | None


def unit_costs(cost: CostRecord, money: PricedCost, memories: int, questions: int) -> tuple[UnitCost, ...]:
    """Share what writing took among *memories*, and what reading took among *questions*."""
    return (
        _unit("to build", cost.ingest, _usd(money, INGEST), 1, 1),
        _unit("1,000 memories", cost.ingest, _usd(money, INGEST), memories, 1000),
        _unit("a question", cost.query, _usd(money, QUERY), questions, 1),
    )


def _usd(money: PricedCost, phase: str) -> float | None:
    return None if money.usd is None else money.by_phase.get(phase, 0.0)


def _unit(name: str, phase: PhaseCost, usd: float | None, of: int, size: int) -> UnitCost:
    share = size / of if of else None
    took = {amount: _shared(getattr(phase, amount), share) for amount in _AMOUNTS}
    return UnitCost(name, of, PhaseCost(**took), None if usd is None or share is None else round(usd * share, 9))


def _shared(amount: Amount, share: float | None) -> Amount:
    if amount.value is None or share is None:
        return UNAVAILABLE
    return amount if share == 1 else Amount(value=round(amount.value * share, 6), source=amount.source)
