"""What answering and judging would cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgauge.llm.judges.panel import Judge, Panel
from memgauge.llm.prices import Price
from memgauge.llm.prompted import Prompted
from memgauge.llm.scripted import Scripted
from memgauge.runs.costs import costs
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits

PRICES = {"cheap": Price.flat(1, 2), "dear": Price.flat(10, 20), "unknown": None}


def test_calls_are_questions_and_money_follows_tokens() -> None:
    """Each question is answered once and judged by every judge; a tenfold price is a tenfold sum."""
    work = plan(["synthetic:tiny"], ["bm25"], limits=Limits(k=5))
    panel = Panel((Judge(Scripted([], name="cheap")), Judge(Scripted([], name="dear"))))
    answers, cheap, dear = costs(work, Prompted(Scripted([], name="cheap")), panel, PRICES)
    assert answers.calls == cheap.calls == dear.calls == work.cells[0].questions
    assert (answers.work, cheap.work) == ("answers", "verdicts")
    assert cheap.usd is not None
    assert dear.usd == pytest.approx(10 * cheap.usd)
    assert answers.output_tokens == 200 * answers.calls


def test_more_hits_cost_more() -> None:
    """The contexts of the first conversation are what the system really returned for it."""
    few, many = (plan(["synthetic:tiny"], ["recency"], limits=Limits(k=k)) for k in (1, 20))
    answerer = Prompted(Scripted([], name="cheap"))
    assert costs(few, answerer, None, PRICES)[0].input_tokens < costs(many, answerer, None, PRICES)[0].input_tokens


def test_a_system_that_costs_something_itself_is_not_asked() -> None:
    """Its contexts are taken for turns of mean length, and the estimate says so."""
    work = plan(["synthetic:tiny"], ["bm25"])
    (cell,) = work.cells
    capabilities = cell.manifest.system.capabilities | {"needs": ("llm",)}
    system = cell.manifest.system.model_copy(update={"capabilities": capabilities})
    costly = replace(cell, manifest=cell.manifest.model_copy(update={"system": system}))
    (found,) = costs(replace(work, cells=(costly,)), Prompted(Scripted([], name="unknown")), None, PRICES)
    assert "mean length" in found.basis
    assert found.usd is None
    assert found.input_tokens > 0


def test_an_embedder_that_is_at_hand_shows_what_it_finds() -> None:
    """It costs nothing to be tried, so its contexts are real ones."""
    work = plan(["synthetic:tiny"], ["dense:embedder=hashed"])
    (found,) = costs(work, Prompted(Scripted([], name="unknown")), None, PRICES)
    assert "first conversation" in found.basis


def test_nobody_named_costs_nothing() -> None:
    """Neither answers nor verdicts, so nothing is estimated."""
    assert costs(plan(["synthetic:tiny"], ["bm25"]), None, None, PRICES) == []
