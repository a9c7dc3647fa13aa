"""A cap on what calls may cost that others make: kept before a call is passed on, by the dated list of prices."""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import BudgetError
from memgauge.llm.budget import SpendingGate
from memgauge.llm.messages import Counted, Usage
from memgauge.llm.metering.calls import CallRoute
from memgauge.llm.metering.reading import sent_tokens
from memgauge.llm.metering.relay import TurnedAway
from memgauge.llm.prices import EXPECTED_OUTPUT, list_price
from memgauge.metering import is_free

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.llm.metering.calls import AskedCall, CallOutcome
    from memgauge.llm.prices import Price

KIND: Final = "memgauge_max_usd"
"""What the error of a refused call is called; no client takes it for a failure that passes."""
_LIMITS: Final = ("max_completion_tokens", "max_tokens")


class MoneyCap:
    """Lets calls pass until the money is spent; shared by all proxies of a command."""

    def __init__(self, max_usd: float, prices: Callable[[str], Price | None] = list_price) -> None:
        self._gate = SpendingGate(max_usd=max_usd)
        self._prices = prices
        self.why = ""
        """Why the first call was refused that was; empty while none is."""

    @property
    def spent(self) -> float:
        """Return what was spent so far, in US dollars."""
        return self._gate.ledger.usd

    def reserve(self, model: str, asked: AskedCall) -> float | None:
        """Let a call to *model* pass, and return what it costs at most; ``None`` where nobody charges for it.

        Raises:
            TurnedAway: The money does not reach, or no price is known.
        """
        if is_free(model):
            return None
        price = self._prices(model)
        if price is None:
            raise self._away(
                f"No list price of {model} is known, so that --max-usd {self._gate.max_usd:g} cannot be kept."
            )
        limit, embeds = _limit(asked.body or {}), asked.route is CallRoute.EMBEDDINGS
        expected = 0 if embeds else EXPECTED_OUTPUT if limit is None else limit
        sent = sent_tokens(asked.body).value or 0
        # A byte of a body is at most one token.
        ceiling = price.most(asked.size, expected) if embeds or limit is not None else math.inf
        try:
            self._gate.reserve(model, price.usd(sent, expected), ceiling)
        except BudgetError as error:
            raise self._away(f"{error} --max-usd allows no more.") from None
        return ceiling

    def settle(self, model: str, ceiling: float, outcome: CallOutcome) -> None:
        """Count what a call took; where nobody knows that, the most that it can have cost."""
        price, taken, written = self._prices(model), outcome.taken.value or 0, outcome.written.value or 0
        usd = price.usd(taken, written) if price else None
        if usd is not None and None in {outcome.taken.value, outcome.written.value} and ceiling < math.inf:
            usd = max(usd, ceiling)
        usage = Usage(taken, written, Counted.PROVIDER, usd)
        self._gate.settle(ceiling, lambda ledger: ledger.plus(usage))

    def _away(self, why: str) -> TurnedAway:
        self.why = self.why or why
        return TurnedAway(HTTPStatus.PAYMENT_REQUIRED, why, KIND)


def _limit(body: Any) -> int | None:
    """Return how many tokens a reply may have, for all its choices together."""
    limit = next((body[name] for name in _LIMITS if type(body.get(name)) is int and body[name] >= 0), None)
    choices = body.get("n") if type(body.get("n")) is int and body["n"] > 1 else 1
    return None if limit is None else limit * choices
