"""What was spent, and a cap that is kept before a call rather than regretted after it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from threading import Condition
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memgauge.errors import BudgetError, ConfigError, TemporaryError
from memgauge.llm.messages import Counted, Usage
from memgauge.llm.prices import charged, expect, price_for

if TYPE_CHECKING:
    from collections.abc import Callable

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


class SpendingGate:
    """Lets calls begin while what they can cost stays within a cap, and keeps account of what they took.

    A call is refused if what was spent and what it is expected to cost pass the cap. Calls run side by side only
    while the most that they all can cost stays within the cap; beyond that, they go one by one. So the cap is
    passed by one call at most, however many there are.
    """

    def __init__(self, *, max_usd: float = math.inf, max_calls: float = math.inf) -> None:
        if not max_usd >= 0:  # nor is NaN, which no sum would ever pass
            raise ConfigError(f"--max-usd {max_usd:g} is no amount.", "Name US dollars: --max-usd 1.")
        self.max_usd = max_usd
        self._max_calls = max_calls
        self._ledger = SpendingLedger()
        self._running: list[float] = []
        self._settled = Condition()

    @property
    def ledger(self) -> SpendingLedger:
        """Say what was taken so far."""
        with self._settled:
            return self._ledger

    def reserve(self, name: str, expected: float, ceiling: float) -> None:
        """Wait until a call to the model *name* may run beside those that run.

        The call is likely to cost what is *expected*, in US dollars, and at most *ceiling*, which is infinite
        where nobody knows.

        Raises:
            BudgetError: It may not.
        """
        with self._settled:
            while True:
                self._refuse_beyond(name, expected)
                if not self._running or self._ledger.usd + sum(self._running) + ceiling <= self.max_usd:
                    self._running.append(ceiling)
                    return
                self._settled.wait()

    def settle(self, ceiling: float | None, counted_in: Callable[[SpendingLedger], SpendingLedger]) -> None:
        """Write down what came of a call that reserved *ceiling*, and let those that wait look again."""
        with self._settled:
            if ceiling is not None:
                self._running.remove(ceiling)
            self._ledger = counted_in(self._ledger)
            self._settled.notify_all()

    def _refuse_beyond(self, name: str, expected: float) -> None:
        if self._ledger.calls + len(self._running) >= self._max_calls:
            raise BudgetError(f"{name} was asked {self._max_calls} times, which is all that was allowed.")
        if self._ledger.usd + expected > self.max_usd:
            raise BudgetError(
                f"The next call to {name} is expected to cost {_dollars(expected)}; "
                f"{_dollars(self._ledger.usd)} of {_dollars(self.max_usd)} are spent."
            )


def _dollars(usd: float) -> str:
    """Spell an amount in dollars, with as many places as a small one needs to be seen."""
    return f"${usd:.4f}" if not usd or usd >= 1e-4 else f"${usd:.10f}".rstrip("0")


class Budgeted:
    """Refuses a call before it is made, once it could pass what the user allowed, as :class:`SpendingGate` does.

    The most that a call can cost is known of requests with ``max_tokens``.
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
        self._gate = SpendingGate(
            max_usd=math.inf if max_usd is None else max_usd,
            max_calls=math.inf if max_calls is None else max_calls,
        )
        self._price = price or price_for(model)
        self._charged = None if max_usd is None else self._price
        """What a reply is charged where its model knows no price, as at another address than the provider's."""
        if max_usd is not None and self._price is None:
            raise ConfigError(
                f"No price of {model.name} is known, so that max_usd={max_usd} cannot be kept.",
                "Give its price, or cap the number of calls.",
            )

    @property
    def ledger(self) -> SpendingLedger:
        """Say what was taken so far."""
        return self._gate.ledger

    def complete(self, request: Request) -> Reply:
        """Ask, if the budget allows it; a call that failed counts, and costs what the provider may charge for it.

        Raises:
            BudgetError: It does not; nothing was asked.
        """
        if isinstance(self._model, ReplayingModel) and self._model.holds(request):
            reply = self._model.complete(request)
            self._gate.settle(None, partial(_counting, reply))
            return reply
        expected = expect(request, self._price)
        ceiling = self._price.ceiling(request) if self._price and self._gate.max_usd < math.inf else 0.0
        self._gate.reserve(self.name, expected.usd or 0.0, ceiling)
        outcome: Reply | Usage = _NOTHING
        try:
            reply = self._model.complete(request)
            outcome = replace(reply, usage=charged(reply.usage, self._charged))
        except TemporaryError as error:
            outcome = expected if error.paid else _NOTHING
            raise
        finally:
            self._gate.settle(ceiling, partial(_counting, outcome))
        return reply


def _counting(outcome: Reply | Usage, ledger: SpendingLedger) -> SpendingLedger:
    """Count what came of a call; what came without a reply is what may be charged for it."""
    if isinstance(outcome, Usage):
        return ledger.plus(outcome, failed=True)
    if outcome.replayed:
        return replace(ledger, replayed=ledger.replayed + 1)
    return ledger.plus(outcome.usage)
