from __future__ import annotations

import math
import sys
from datetime import date
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.messages import Counted, Message, Request
from memgauge.llm.prices import EXPECTED_OUTPUT, TABLE_DAY, Price, expect, price_for, price_of
from memgauge.llm.provider import open_model
from memgauge.llm.scripted import Scripted
from memgauge.text.tokens import count_tokens, expected_tokens

TIERED = Price(((0, 1.0), (1000, 2.0)), ((0, 10.0), (1000, 20.0)), "test", "2026-01-01")


def test_a_list_price_names_its_source_and_day() -> None:
    """The table on disk knows the usual models; a day may be chosen."""
    price = price_of("openai:gpt-4.1-mini")
    assert price is not None
    assert price.source.startswith("genai-prices ")
    assert date.fromisoformat(price.as_of) > date(2025, 1, 1)
    assert price.usd(1_000_000, 1_000_000) == pytest.approx(0.40 + 1.60)
    chosen = price_of("openai:gpt-4.1-mini", on=date(2026, 1, 1))
    assert chosen is not None
    assert chosen.as_of == "2026-01-01"


@pytest.mark.parametrize(
    ("ref", "base_url"),
    [
        ("openai:no-such-model", None),
        ("nobody:gpt-4.1-mini", None),
        ("scripted", None),
        ("openai:gpt-4.1-mini", "http://localhost:8000/v1"),
    ],
)
def test_what_is_not_known_has_no_price(ref: str, base_url: str | None) -> None:
    """Unknown models, models at other addresses are not guessed."""
    assert price_of(ref, base_url) is None


def test_what_embeds_has_a_price_for_input_alone() -> None:
    """It writes nothing, and the table has no price for that."""
    price = price_of("openai:text-embedding-3-small")
    assert price is not None
    assert price.usd(1_000_000, 0) == price.most(1_000_000, 0) == pytest.approx(0.02)


def test_a_price_that_is_only_announced_is_not_asked() -> None:
    """The day of the table is the last one before the table was pinned on which a price began."""
    from genai_prices.data_snapshot import get_snapshot

    starts = {
        getattr(priced.constraint, "start_date", None)
        for provider in get_snapshot().providers
        for model in provider.models
        if isinstance(model.prices, list)
        for priced in model.prices
    }
    pinned = date(2026, 11, 28)
    assert version("genai-prices") == "0.2.3", "another table: set TABLE_DAY and this day anew"
    assert max(start for start in starts if start and start <= pinned) == TABLE_DAY
    price = price_of("openai:gpt-4.1-mini")
    assert price is not None
    assert price.as_of == TABLE_DAY.isoformat()


def test_without_the_table_nothing_has_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table comes with the extra; without it, prices are unknown, not wrong."""
    price_of.cache_clear()
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)
    assert price_of("openai:gpt-4.1-mini") is None
    price_of.cache_clear()


def test_a_tier_holds_for_all_tokens() -> None:
    """Long inputs pay the higher rate from the first token on."""
    assert TIERED.usd(1000, 100) == pytest.approx((1000 * 1 + 100 * 10) / 1e6)
    assert TIERED.usd(1001, 100) == pytest.approx((1001 * 2 + 100 * 20) / 1e6)


def test_tiers_are_read_from_the_table() -> None:
    """A model with tiers in the table keeps them."""
    price = price_of("google:gemini-2.5-pro")
    assert price is not None
    assert len(price.input_rates) > 1
    assert price.input_rates[0] < price.input_rates[1]


def test_who_knows_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model's own price counts before that of its name."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)  # another address has no known price
    own = Price.flat(3, 4)
    assert price_for(open_model("openai:gpt-4.1-mini", price=own)) is own
    assert price_for(open_model("openai:gpt-4.1-mini")) == price_of("openai:gpt-4.1-mini")
    free = price_for(Scripted([]))
    assert free is not None
    assert free.usd(5, 5) == 0


def test_what_to_expect_before_a_call() -> None:
    """Input is what tokenizers of models make of it, and a little a message; output what is allowed, or some."""
    asked = (Message("user", "12345678"),)
    open_ended = expect(Request("m", asked), Price.flat(1, 1))
    assert (open_ended.input_tokens, open_ended.output_tokens) == (8 + 4, EXPECTED_OUTPUT)
    assert open_ended.counted is Counted.ESTIMATE
    limited = expect(Request("m", asked, {"max_tokens": 5}, {"type": "object"}), None)
    assert (limited.input_tokens, limited.output_tokens, limited.usd) == (12 + 9, 5, None)


@given(text=st.text(), most=st.integers(0, 10_000), schema=st.none() | st.just({"type": "string"}))
def test_a_ceiling_is_never_below_what_is_expected(text: str, most: int, schema: dict[str, str] | None) -> None:
    """Bytes bound tokens, whatever the script; without a limit there is no bound."""
    request = Request("m", (Message("user", text),), {"max_tokens": most}, schema)
    expected = expect(request, TIERED).usd
    assert expected is not None
    assert expected <= TIERED.ceiling(request)
    assert TIERED.ceiling(Request("m", request.messages)) == math.inf


def test_a_memory_in_a_prompt_is_expected_as_a_model_counts_it() -> None:
    """SmolLM2's own tokenizer makes 60 tokens of this; a fourth of its letters is half of that."""
    fence = "context-0f3a9c12b7de"
    memory = f"[1] <{fence}>\nCaroline (8 May 2023): I went to a LGBTQ support group, 7-9 pm!\n</{fence}>"
    assert expected_tokens(memory) == pytest.approx(60, rel=0.1)
    assert count_tokens(memory) == 29
