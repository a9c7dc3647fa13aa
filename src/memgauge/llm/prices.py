"""What a call costs: list prices with their source and date, and what to expect before a call.

The table is the one that genai-prices carries (it comes with the extra ``llm``); nothing is fetched.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from memgauge.llm.messages import Counted, Usage
from memgauge.text.tokens import count_tokens, expected_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.llm.messages import ChatModel, Request, ToolCall

    Rates = tuple[tuple[int, float], ...]
    """US dollars a million tokens, each from a number of input tokens on, ascending from 0."""

TABLE_DAY = date(2026, 11, 9)
"""The last day on which a price of the pinned table began to be in force: later ones are only announced."""
EXPECTED_OUTPUT = 256
"""Output tokens to expect of a request that does not limit them."""

_FREE: Rates = ((0, 0.0),)
_ENCODER = re.compile(r"embed|voyage|\b(?:bge|gte)\b", re.IGNORECASE)
"""Models that write nothing, so that a table without a price for output says all."""
_TURN = 4
"""Tokens that the form of a conversation adds to a message, as a rule."""
_ENVELOPE = 16
"""Tokens that a provider may add around a message, at most."""


@dataclass(frozen=True, slots=True)
class Price:
    """List price of a model; discounts for cached input are not counted, so that a sum errs high."""

    input_rates: Rates
    output_rates: Rates
    source: str
    as_of: str
    """The day on which it is in force; empty where the source does not say."""

    @classmethod
    def flat(cls, input_usd: float, output_usd: float, *, source: str = "given", as_of: str = "") -> Price:
        """Take one price a million tokens, whatever the length of the input."""
        return cls(((0, input_usd),), ((0, output_usd),), source, as_of)

    def usd(self, input_tokens: float, output_tokens: float) -> float:
        """Price one call."""
        spent = input_tokens * _rate(self.input_rates, input_tokens)
        return (spent + output_tokens * _rate(self.output_rates, input_tokens)) / 1_000_000

    def ceiling(self, request: Request) -> float:
        """Return what *request* costs at most; infinite where it does not limit its output.

        A byte of UTF-8 is at most one token, and no tier is dearer than the dearest.
        """
        limit = request.parameters.get("max_tokens")
        if limit is None:
            return math.inf
        tokens = sum(len(text.encode("utf-8", "surrogatepass")) + _ENVELOPE for text in _texts(request))
        return self.most(tokens, int(limit))

    def most(self, input_tokens: int, output_tokens: int) -> float:
        """Return what so many tokens cost in the dearest tier."""
        dearest = [max(usd for _, usd in rates) for rates in (self.input_rates, self.output_rates)]
        return (input_tokens * dearest[0] + output_tokens * dearest[1]) / 1_000_000


@runtime_checkable
class Priced(Protocol):
    """A model that knows its own price."""

    @property
    def price(self) -> Price | None:
        """Say what it costs, where that is known."""
        ...


def price_for(model: ChatModel) -> Price | None:
    """Return what *model* says that it costs, else the list price under its name."""
    return model.price if isinstance(model, Priced) else price_of(model.name)


def charged(usage: Usage, price: Price | None) -> Usage:
    """Charge what a call took where nobody says what it costs, as at another address than the provider's."""
    if usage.usd is not None or price is None:
        return usage
    return replace(usage, usd=price.usd(usage.input_tokens, usage.output_tokens))


def expect(request: Request, price: Price | None) -> Usage:
    """Estimate what *request* will take, before it is sent."""
    asked = sum(map(expected_tokens, _texts(request))) + _TURN * len(request.messages)
    limit = request.parameters.get("max_tokens")
    answered = EXPECTED_OUTPUT if limit is None else int(limit)
    return Usage(asked, answered, Counted.ESTIMATE, price.usd(asked, answered) if price else None)


def counted(request: Request, text: str, calls: Iterable[ToolCall] = ()) -> tuple[int, int]:
    """Count the tokens of messages and reply, where a provider does not say."""
    replied = text + "".join(call.name + call.arguments for call in calls)
    return sum(count_tokens(message.text) for message in request.messages), count_tokens(replied)


def _texts(request: Request) -> list[str]:
    """List what is sent and counted as input."""
    rest = [json.dumps(request.schema)] if request.schema else []
    rest += [json.dumps([tool.name, tool.description, tool.schema]) for tool in request.tools]
    rest += [call.name + call.arguments for message in request.messages for call in message.calls]
    return [message.text for message in request.messages] + rest


@cache
def price_of(ref: str, base_url: str | None = None, *, on: date | None = None) -> Price | None:
    """Look up the list price of ``provider:name``; ``None`` where none is known.

    Of addresses other than the provider's own only those have a price that the table knows. *on* is by default the
    day of the table, so that no price depends on the clock.
    """
    provider, _, name = ref.partition(":")
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        return None
    snapshot = get_snapshot()
    where: dict[str, Any] = (
        {"provider_id": None, "provider_api_url": base_url}
        if base_url
        else {"provider_id": provider, "provider_api_url": None}
    )
    try:
        _, model = snapshot.find_provider_model(name, None, **where)
    except LookupError:
        return None
    day = on or TABLE_DAY
    listed = model.get_prices(datetime.combine(day, time(12), UTC))
    rates = [_rates(getattr(listed, key, None)) for key in ("input_mtok", "output_mtok")]
    if not rates[1] and _ENCODER.search(model.id):
        rates[1] = _FREE
    source = f"genai-prices {version('genai-prices')}"
    return Price(rates[0], rates[1], source, day.isoformat()) if all(rates) else None


def list_price(model: str) -> Price | None:
    """Look up a model by its name in a run; one without a provider was asked by OpenAI's interface."""
    return price_of(model if ":" in model else f"openai:{model}")


def _rates(listed: Any) -> Rates:
    """Read a price of the table, which is flat, in tiers, or absent."""
    if listed is None:
        return ()
    tiers = getattr(listed, "tiers", ())
    return ((0, float(getattr(listed, "base", listed))), *((t.start, float(t.price)) for t in tiers))


def _rate(rates: Rates, input_tokens: float) -> float:
    """Return the rate of the last tier that *input_tokens* reaches; it holds for all tokens."""
    return [usd for start, usd in rates if not start or input_tokens > start][-1]
