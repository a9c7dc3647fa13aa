"""Orders of assembly and what gives way, on prompts whose every character is accounted for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.measures.facts import Voiced
from memgauge.studies.context.policies import INSTRUCTIONS, POLICIES, Assembly, Cut, RetrievedMemory
from memgauge.text.counting import DEFAULT

NAMES = tuple(POLICIES.builtin)


def item(rank: int, said: int = 0, text: str = "", *, marked: bool = False) -> RetrievedMemory:
    """Make one memory."""
    return RetrievedMemory(rank, text or f"memory {rank}", said, Voiced(frozenset({f"t{rank}"}), (), marked))


items = st.lists(
    st.tuples(st.integers(0, 9), st.text(min_size=1, max_size=60), st.booleans()), min_size=0, max_size=12
).map(lambda rows: [item(n, said, text, marked=marked) for n, (said, text, marked) in enumerate(rows)])


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        ("relevance-first", [0, 1, 2, 3, 4]),
        ("relevance-last", [4, 3, 2, 1, 0]),
        ("chronological", [4, 3, 2, 0, 1]),
        ("edges-first", [0, 2, 4, 3, 1]),
    ],
)
def test_orders(policy: str, order: list[int]) -> None:
    """The best first, last, by time (of equals, the better last), or at both edges with the worst between."""
    said = [5, 9, 5, 3, 1]
    ordered = POLICIES.get(policy)([item(rank, said[rank]) for rank in range(5)])
    expected = sorted(order, key=lambda rank: (said[rank], -rank)) if policy == "chronological" else order
    assert [one.rank for one in ordered] == expected


@given(items, st.sampled_from(NAMES))
def test_an_order_loses_nothing(found: list[RetrievedMemory], policy: str) -> None:
    """Every memory is there once."""
    assert sorted(one.rank for one in POLICIES.get(policy)(found)) == [one.rank for one in found]


@given(items, st.sampled_from(NAMES), st.sampled_from(Cut), st.integers(60, 300))
def test_a_budget_is_kept(found: list[RetrievedMemory], policy: str, cut: Cut, budget: int) -> None:
    """No prompt is longer than the budget; what is kept stands where it is said to stand, and starts ascend."""
    prompt = Assembly(policy, budget, DEFAULT, cut).assemble(found)
    assert prompt.tokens <= budget
    assert all(kept.text in prompt.text for kept in prompt.items)
    assert all(0 <= kept.start <= 1 for kept in prompt.items)
    starts = [kept.start for kept in prompt.items]
    assert starts == sorted(starts)
    assert all(kept.text == kept.item.line for kept in prompt.items if kept.whole)


@given(items, st.sampled_from(NAMES), st.integers(60, 300))
def test_whole_memories_give_way_worst_first(found: list[RetrievedMemory], policy: str, budget: int) -> None:
    """What is kept whole is the best, whatever the order, so that orders can be compared."""
    prompt = Assembly(policy, budget, DEFAULT).assemble(found)
    kept = sorted(one.item.rank for one in prompt.items)
    assert kept == list(range(len(kept)))
    assert all(one.whole for one in prompt.items)
    assert prompt.intact


@given(items, st.integers(60, 200))
def test_a_window_on_the_newest_tokens_loses_the_instructions(found: list[RetrievedMemory], budget: int) -> None:
    """Cut at the start, the instructions go first; cut at the end, they stay."""
    start = Assembly("relevance-first", budget, DEFAULT, Cut.START).assemble(found)
    end = Assembly("relevance-first", budget, DEFAULT, Cut.END).assemble(found)
    whole = Assembly("relevance-first", 10_000, DEFAULT).assemble(found)
    assert end.intact
    assert start.intact == (whole.tokens <= budget)
    assert whole.text.startswith(end.text)
    assert whole.text.endswith(start.text)


def test_what_is_history_is_marked_and_lines_stay_lines() -> None:
    """A memory that its system calls past is marked as such; a memory of several lines stands on one."""
    assert item(0, text="Lives in\nPorto", marked=True).line == "- Lives in Porto (no longer the case)"
    assert item(0, text="Lives in Braga").line == "- Lives in Braga"


def test_a_budget_below_the_instructions_is_refused() -> None:
    """Where not even the instructions fit, nothing can be kept whole."""
    with pytest.raises(ConfigError, match=r"instructions alone take \d+ tokens, so a budget of 20"):
        Assembly("relevance-first", 20, DEFAULT)
    assert Assembly("relevance-first", 20, DEFAULT, Cut.END).assemble([]).tokens == 20
    assert INSTRUCTIONS.startswith("You answer")
