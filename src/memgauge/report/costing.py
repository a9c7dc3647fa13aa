"""What making a run took, in words: for whom tokens and money are what a memory is chosen by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show.numbers import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.scoring.board import Entry, EntryCost

_UNKNOWN = "Money: not known; nobody saw what it asked models."


def costs(entry: Entry) -> Iterator[str]:
    """Say what the run of one system took, and what that costs."""
    cost = entry.cost
    if cost is None:
        yield "Money: runs record no charges; what a product's models cost comes on top."
        return
    yield f"The whole run of {entry.label} took {listed(list(_taken(cost)))}."
    yield _money(cost)
    if not cost.whole:
        yield "More was spent than that: a sitting broke off, or a process died with what it had spent."


def _taken(cost: EntryCost) -> Iterator[str]:
    amounts = cost.amounts
    yield f"{_seconds(amounts['cpu_s'] or 0.0)} s of processor time"
    if amounts["model_calls"] is None:
        yield "an unknown number of model calls"
    else:
        calls, sent, came = (amounts[name] or 0 for name in ("model_calls", "tokens_in", "tokens_out"))
        tokens = f" ({sent:,.0f} tokens in, {came:,.0f} out{_said(cost, 'tokens_in')})" if calls else ""
        yield f"{calls:,.0f} model calls{tokens}" if calls else "no call of a model"
    if amounts["embedding_tokens"]:
        yield f"{amounts['embedding_tokens']:,.0f} tokens to embed{_said(cost, 'embedding_tokens')}"
    if amounts["bytes_stored"] is not None:
        yield f"{_bytes(amounts['bytes_stored'])} stored"


def _said(cost: EntryCost, name: str) -> str:
    return ", as it reports" if cost.sources[name] == "reported" else ""


def _money(cost: EntryCost) -> str:
    """Say what the models cost, by whose prices of which day."""
    money = cost.money
    if money.unpriced:
        return f"Money: not known; there is no list price of {listed(list(money.unpriced))}."
    if money.usd is None:
        return _UNKNOWN
    if not money.priced_on and not money.source:
        return "Money: nothing; no model was asked that anybody charges for."
    return f"Money: {money.usd:,.4f} USD, by the prices of {money.source}, {money.priced_on}."


def _seconds(seconds: float) -> str:
    return f"{seconds:,.0f}" if seconds >= 10 else f"{seconds:.2g}"


def _bytes(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count:,.0f} bytes"
