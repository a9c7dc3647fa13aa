from __future__ import annotations

import math
from threading import Event
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import BudgetError, ConfigError, ModelError, TemporaryError
from memgauge.llm.access import complete_many
from memgauge.llm.budget import Budgeted, SpendingGate, SpendingLedger
from memgauge.llm.cassette import Cassette
from memgauge.llm.messages import Counted, Finish, Message, Reply, Request, Usage
from memgauge.llm.prices import EXPECTED_OUTPUT, Price
from memgauge.llm.scripted import Scripted
from support.model_server import ask

if TYPE_CHECKING:
    from pathlib import Path

DOLLAR = Price.flat(0, 1_000_000)
"""One dollar an output token."""


def spend(request: Request) -> Reply:
    """Take as many tokens as the request's text says."""
    tokens = int(request.messages[0].text)
    return Reply("ok", Finish.STOP, Usage(0, tokens, Counted.PROVIDER, float(tokens)))


@given(
    costs=st.lists(st.integers(0, 9), max_size=30),
    cap=st.integers(0, 60),
    limit=st.none() | st.just(9),
    workers=st.integers(1, 5),
)
def test_the_cap_is_never_passed_by_more_than_one_call(
    costs: list[int], cap: int, limit: int | None, workers: int
) -> None:
    """Whatever the calls cost and however many run at a time, also where nothing bounds a call."""
    parameters = {} if limit is None else {"max_tokens": limit}
    model = Scripted(spend)
    budgeted = Budgeted(model, max_usd=cap, price=DOLLAR)
    requests = [ask(str(cost), **parameters) for cost in costs]
    try:
        done = len(list(complete_many(budgeted, requests, workers)))
    except BudgetError:
        done = -1
    ledger = budgeted.ledger
    assert ledger.usd <= cap + max(costs, default=0)
    assert ledger.usd == ledger.output_tokens
    assert ledger.calls == len(model.asked)
    if done < 0:
        assert ledger.usd + (limit or EXPECTED_OUTPUT) > cap
    else:
        assert done == ledger.calls == len(costs)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 4))
def test_as_many_calls_as_allowed(allowed: int, wanted: int, workers: int) -> None:
    """Not one more, and not one less."""
    model = Scripted(lambda _: "ok")
    budgeted = Budgeted(model, max_calls=allowed)
    try:
        list(complete_many(budgeted, [ask()] * wanted, workers))
    except BudgetError as error:
        assert f"asked {allowed} times" in str(error)  # noqa: PT017 - it may or may not be raised
    assert budgeted.ledger.calls == len(model.asked) == min(allowed, wanted)


def test_a_refusal_says_what_is_spent_and_asks_nothing() -> None:
    """The error names the cap, what is spent and what was expected."""
    model = Scripted(spend)
    budgeted = Budgeted(model, max_usd=10, price=DOLLAR)
    budgeted.complete(ask("6", max_tokens=6))
    with pytest.raises(BudgetError, match=r"expected to cost \$5\.0000; \$6\.0000 of \$10\.0000 are spent"):
        budgeted.complete(ask("5", max_tokens=5))
    assert len(model.asked) == 1


def test_a_small_cap_is_told_as_it_is() -> None:
    """Whoever allows a hundred-thousandth of a dollar does not read that they allowed none."""
    budgeted = Budgeted(Scripted(spend), max_usd=0.00001, price=DOLLAR)
    with pytest.raises(BudgetError, match=r"\$0\.0000 of \$0\.00001 are spent"):
        budgeted.complete(ask("5", max_tokens=5))


def test_calls_wait_for_each_other_near_the_cap() -> None:
    """Where two could pass the cap together, the second waits for what the first really took."""
    first_runs, second_asked = Event(), Event()

    def reply(request: Request) -> Reply:
        if not first_runs.is_set():
            first_runs.set()
            second_asked.wait(0.05)  # the second comes to the budget meanwhile
            assert len(model.asked) == 1
        return spend(request)

    model = Scripted(reply)
    budgeted = Budgeted(model, max_usd=9, price=DOLLAR)
    assert len(list(complete_many(budgeted, [ask("1", max_tokens=8)] * 2, 2))) == 2
    assert budgeted.ledger.usd == 2


@pytest.mark.parametrize(
    ("fault", "usd"),
    [(ModelError("no"), 0), (TemporaryError("busy"), 0), (TemporaryError("cut", paid=True), 4)],
)
def test_failures_count_and_cost_what_the_provider_may_charge(fault: ModelError, usd: float) -> None:
    """A cut reply is charged as expected; a refused one is not."""
    budgeted = Budgeted(Scripted([fault, "ok"]), max_usd=9, max_calls=2, price=DOLLAR)
    with pytest.raises(ModelError):
        budgeted.complete(ask(max_tokens=4))
    assert (budgeted.ledger.calls, budgeted.ledger.failed, budgeted.ledger.usd) == (1, 1, usd)
    assert budgeted.complete(ask(max_tokens=4)).text == "ok"


def test_what_a_record_holds_is_free(tmp_path: Path) -> None:
    """Around a record, an empty budget still replays."""
    model = Scripted(lambda _: "ok")
    path = tmp_path / "c.sqlite"
    Cassette(model, path).complete(ask())
    budgeted = Budgeted(Cassette(model, path), max_calls=0)
    assert budgeted.complete(ask()).replayed
    assert budgeted.ledger == SpendingLedger(replayed=1)
    with pytest.raises(BudgetError):
        budgeted.complete(ask("something else"))


def test_what_comes_without_a_price_is_charged_by_the_one_that_is_capped_by() -> None:
    """At an address that is not the provider's own a reply has no price, and would never reach the cap."""
    model = Scripted(lambda _: Reply("ok", Finish.STOP, Usage(0, 4, Counted.PROVIDER)))
    budgeted = Budgeted(model, max_usd=9, price=DOLLAR)
    requests = [ask(str(number), max_tokens=4) for number in range(9)]
    with pytest.raises(BudgetError):
        list(map(budgeted.complete, requests))
    assert (budgeted.ledger.calls, budgeted.ledger.usd, budgeted.ledger.unpriced) == (2, 8, 0)
    uncapped = Budgeted(model, price=DOLLAR)
    uncapped.complete(ask("free", max_tokens=4))
    assert (uncapped.ledger.usd, uncapped.ledger.unpriced) == (0, 1)


def test_an_unknown_price_cannot_be_capped() -> None:
    """Money is only promised where a price is known; calls may be capped anywhere, and say that they have none."""

    class Nameless:
        name = "nobody:knows"

        def complete(self, request: Request) -> Reply:
            return Reply("ok", Finish.STOP, Usage(1, 1, Counted.ESTIMATE))

    with pytest.raises(ConfigError, match=r"No price of nobody:knows is known, so that max_usd=1 cannot be kept"):
        Budgeted(Nameless(), max_usd=1)
    budgeted = Budgeted(Nameless(), max_calls=1)
    budgeted.complete(Request("nobody:knows", (Message("user", "Hi"),)))
    assert budgeted.ledger == SpendingLedger(calls=1, input_tokens=1, output_tokens=1, estimated=1, unpriced=1)


def test_an_unbounded_call_has_no_ceiling() -> None:
    """The one-by-one rule rests on this."""
    assert DOLLAR.ceiling(ask()) == math.inf


@pytest.mark.parametrize("amount", [math.nan, -1.0])
def test_a_cap_is_an_amount(amount: float) -> None:
    """Nothing is ever more than NaN, so that it would cap nothing."""
    with pytest.raises(ConfigError, match="is no amount"):
        SpendingGate(max_usd=amount)
