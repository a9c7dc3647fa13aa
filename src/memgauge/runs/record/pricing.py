"""Money, computed from counted tokens and a dated list of prices; never read from a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.llm.prices import list_price
from memgauge.metering import ModelTally, is_free
from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memgauge.llm.prices import Price
    from memgauge.runs.record.cost import CostRecord, ModelUse

    PriceList = Callable[[str], Price | None]
    """Returns the list price of a model by its name in a run; ``None`` where none is known."""


@result
@dataclass(frozen=True, slots=True)
class PricedCost:
    """What the models of a run cost, in US dollars."""

    usd: float | None
    """``None`` where it is not known of every model, or nobody saw what was asked."""
    by_phase: dict[str, float]
    """Of what has a price."""
    priced_on: str = ""
    """The latest day of the prices."""
    source: str = ""
    """Whose they are."""
    unpriced: tuple[str, ...] = ()
    """Models without a price; none that runs on this machine, for which nobody charges."""


def priced(cost: CostRecord, prices: PriceList = list_price) -> PricedCost:
    """Price what a run asked models: input and output by their rates, texts to embed by that of input."""
    by_phase: dict[str, float] = {}
    unpriced: dict[str, None] = {}
    used: dict[str, Price] = {}
    for (phase, model), tally in _asked(cost.models).items():
        price = None if is_free(model) else prices(model)
        usd = 0.0 if is_free(model) else usd_of(tally, price)
        if price is not None:
            used[model] = price
        if usd is None:
            unpriced[model] = None
        else:
            by_phase[phase] = by_phase.get(phase, 0.0) + usd
    seen = bool(cost.models) or cost.total("model_calls").value is not None
    usd = round(sum(by_phase.values()), 6) if seen and not unpriced else None
    return PricedCost(
        usd=usd,
        by_phase={phase: round(each, 6) for phase, each in by_phase.items()},
        priced_on=max((price.as_of for price in used.values()), default=""),
        source=", ".join(sorted({price.source for price in used.values()})),
        unpriced=tuple(unpriced),
    )


def _asked(uses: Iterable[ModelUse]) -> dict[tuple[str, str], ModelTally]:
    """Add up what a model was asked in a phase, whoever says so: its calls are counted, its tokens reported."""
    tallies: dict[tuple[str, str], ModelTally] = {}
    for use in uses:
        key = use.phase, use.model
        tally = ModelTally(use.calls, use.tokens_in, use.tokens_out, use.embedding_tokens)
        tallies[key] = tallies.get(key, ModelTally()).plus(tally)
    return tallies


def usd_of(tally: ModelTally, price: Price | None) -> float | None:
    """Price what one model was asked; where a price depends on the length of a call, by that of the mean call."""
    if price is None:
        return None
    calls = max(tally.calls, 1)
    return calls * price.usd((tally.tokens_in + tally.embedding_tokens) / calls, tally.tokens_out / calls)
