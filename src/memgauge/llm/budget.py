"""What was spent, and a cap that is kept before a call rather than regretted after it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from threading import Condition
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memgauge.errors import BudgetError, ConfigError, TemporaryError
from memgauge.llm.messages import Counted, Usage
from memgauge.llm.prices import expect, price_for

if TYPE_CHECKING:
    from memgauge.llm.messages import ChatModel, Reply, Request
    from memgauge.llm.prices import Price

_NOTHING = Usage(0, 0, Counted.PROVIDER, 0.0)


@dataclass(frozen=True, slots=True)
class SpendingLedger:
    """What was asked and what it took, so far."""

    calls: int = 0
    """Requests sent, with those that failed."""
    failed: int = 0
    replayed: int = 0
    """Requests that a record answered; they count nowhere else."""
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: int = 0
    """Calls whose tokens were counted here, since the provider did not say."""
    usd: float = 0.0
    unpriced: int = 0
    """Calls without a known price, which ``usd`` leaves out."""

    def plus(self, usage: Usage, *, failed: bool = False) -> SpendingLedger:
        """Add one call."""
        return replace(
            self,
            calls=self.calls + 1,
            failed=self.failed + failed,
            input_tokens=self.input_tokens + usage.input_tokens,
            output_tokens=self.output_tokens + usage.output_tokens,
            estimated=self.estimated + (usage.counted is Counted.ESTIMATE),
            usd=self.usd + (usage.usd or 0.0),
            unpriced=self.unpriced + (usage.usd is None),
        )


@runtime_checkable
class ReplayingModel(Protocol):
    """A model that knows what it will answer for free."""

    def holds(self, request: Request) -> bool:
        """Say whether *request* costs nothing."""
        ...


class Budgeted:
    """Refuses a call before it is made, once it could pass what the user allowed.

    A call is refused if what was spent and what it is expected to cost pass the cap. Calls run side by side only
    while the most that they all can cost stays within the cap; beyond that, they go one by one. So the cap is
    passed by one call at most, however many workers there are. The most is known of requests with ``max_tokens``.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        max_usd: float | None = None,
        max_calls: int | None = None,
        price: Price | None = None,
    ) -> None:
        """Cap what *model* takes, at *price* or else at its own or its list price.

        Raises:
            ConfigError: *max_usd* is given, but no price is known.
        """
        self.name = model.name
        self._model = model
        self._max_usd = math.inf if max_usd is None else max_usd
        self._max_calls = math.inf if max_calls is None else max_calls
        self._price = price or price_for(model)
        if max_usd is not None and self._price is None:
            raise ConfigError(
                f"No price of {model.name} is known, so that max_usd={max_usd} cannot be kept.",
                "Give its price, or cap the number of calls.",
            )
        self._ledger = SpendingLedger()
        self._running: list[float] = []
        self._settled = Condition()

    @property
    def ledger(self) -> SpendingLedger:
        """Say what was taken so far."""
        with self._settled:
            return self._ledger

    def complete(self, request: Request) -> Reply:
        """Ask, if the budget allows it; a call that failed counts, and costs what the provider may charge for it.

        Raises:
            BudgetError: It does not; nothing was asked.
        """
        if isinstance(self._model, ReplayingModel) and self._model.holds(request):
            reply = self._model.complete(request)
            self._count(reply)
            return reply
        expected = expect(request, self._price)
        ceiling = self._price.ceiling(request) if self._price and self._max_usd < math.inf else 0.0
        self._reserve(expected.usd or 0.0, ceiling)
        outcome: Reply | Usage = _NOTHING
        try:
            outcome = reply = self._model.complete(request)
        except TemporaryError as error:
            outcome = expected if error.paid else _NOTHING
            raise
        finally:
            self._count(outcome, ceiling)
        return reply

    def _reserve(self, expected: float, ceiling: float) -> None:
        """Wait until the call may run beside those that run, or refuse it."""
        with self._settled:
            while True:
                self._refuse_beyond(expected)
                if not self._running or self._ledger.usd + sum(self._running) + ceiling <= self._max_usd:
                    self._running.append(ceiling)
                    return
                self._settled.wait()

    def _refuse_beyond(self, expected: float) -> None:
        if self._ledger.calls + len(self._running) >= self._max_calls:
            raise BudgetError(f"{self.name} was asked {self._max_calls} times, which is all that was allowed.")
        if self._ledger.usd + expected > self._max_usd:
            raise BudgetError(
                f"The next call to {self.name} is expected to cost ${expected:.4f}; "
                f"${self._ledger.usd:.4f} of ${self._max_usd:.4f} are spent."
            )

    def _count(self, outcome: Reply | Usage, ceiling: float | None = None) -> None:
        """Write down what came of a call, and let those that wait look again."""
        with self._settled:
            if ceiling is not None:
                self._running.remove(ceiling)
            if isinstance(outcome, Usage):
                self._ledger = self._ledger.plus(outcome, failed=True)
            elif outcome.replayed:
                self._ledger = replace(self._ledger, replayed=self._ledger.replayed + 1)
            else:
                self._ledger = self._ledger.plus(outcome.usage)
            self._settled.notify_all()
