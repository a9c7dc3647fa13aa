"""What a run took, in words that say no more than is known."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from memgauge.report.costing import costs
from memgauge.runs.record.pricing import PricedCost
from memgauge.scoring.board import EntryCost

if TYPE_CHECKING:
    from memgauge.scoring.board import Entry

AMOUNTS: dict[str, float | None] = {
    "cpu_s": 12.4, "model_calls": 40, "tokens_in": 9_000, "tokens_out": 800, "embedding_tokens": 5_000,
    "bytes_stored": 3_200_000,
}  # fmt: skip
PAID = EntryCost(
    AMOUNTS, dict.fromkeys(AMOUNTS, "counted"), PricedCost(0.0123, {}, "2026-10-01", "genai-prices 1"), whole=True
)


def said(cost: EntryCost | None) -> str:
    """Say what it cost."""
    entry: Any = SimpleNamespace(label="bm25", cost=cost)
    return " ".join(costs(cast("Entry", entry)))


def test_tokens_and_money_are_told_with_day_and_source() -> None:
    """All that was counted, and by whose prices of which day."""
    assert said(PAID) == (
        "The whole run of bm25 took 12 s of processor time, 40 model calls (9,000 tokens in, 800 out), "
        "5,000 tokens to embed and 3.2 MB stored. Money: 0.0123 USD, by the prices of genai-prices 1, 2026-10-01."
    )


def test_what_is_not_known_is_no_number() -> None:
    """Nobody saw it, no price is known, a run of an earlier version: each has a sentence, and none says 0."""
    nobody = replace(PAID, amounts=AMOUNTS | {"model_calls": None}, money=PricedCost(None, {}))
    assert "an unknown number of model calls" in said(nobody)
    assert "Money: not known; nobody saw" in said(nobody)
    assert "no list price of larder" in said(replace(PAID, money=PricedCost(None, {}, unpriced=("larder",))))
    assert "runs record no charges" in said(None)


def test_reports_and_gaps_are_marked() -> None:
    """What a system says of itself is called so, and so is what was spent unseen."""
    assert "800 out, as it reports" in said(replace(PAID, sources=dict.fromkeys(AMOUNTS, "reported")))
    assert "More was spent than that" in said(replace(PAID, whole=False))
    assert "anybody charges for" in said(replace(PAID, money=PricedCost(0.0, {})))
