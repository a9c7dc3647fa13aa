"""What a unit costs: its share of a phase, by whoever says so, and unknown where nobody knows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.metering import CostSource
from memgauge.runs.record.cost import UNAVAILABLE, Amount, CostRecord, PhaseCost
from memgauge.runs.record.pricing import PricedCost
from memgauge.runs.record.unit_costs import unit_costs

REPORTED = Amount(value=3000, source=CostSource.REPORTED)
COST = CostRecord(ingest=PhaseCost(tokens_in=REPORTED), query=PhaseCost(tokens_in=REPORTED))


@given(st.integers(1, 10_000), st.integers(1, 10_000))
def test_shares_add_up_to_the_phase(memories: int, questions: int) -> None:
    """As many units as there were took all of it, and money is shared in the same way."""
    build, thousand, question = unit_costs(
        COST, PricedCost(3.0, {"ingest": 2.0, "query": 1.0}), memories, questions
    )
    assert build.took == COST.ingest
    assert thousand.took.tokens_in.source is CostSource.REPORTED
    assert float(thousand.took.tokens_in.value or 0) * memories / 1000 == pytest.approx(3000, rel=1e-3)
    assert float(question.took.tokens_in.value or 0) * questions == pytest.approx(3000, rel=1e-3)
    assert build.usd == 2.0
    assert (thousand.usd or 0) * memories / 1000 == pytest.approx(2.0, rel=1e-3)
    assert (question.usd or 0) * questions == pytest.approx(1.0, rel=1e-3)


def test_what_nobody_knows_is_no_share() -> None:
    """Neither of an amount that nobody saw, nor among no memories, nor of money without a price."""
    build, thousand, question = unit_costs(COST, PricedCost(None, {}), 0, 4)
    assert build.took.model_calls == thousand.took.tokens_in == question.took.cpu_s == UNAVAILABLE
    assert build.usd is thousand.usd is question.usd is None
    assert unit_costs(COST, PricedCost(0.0, {}), 1, 1)[0].usd == 0
