"""Budgets of tokens, beside a reader that goes through the texts one by one."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgauge.measures import (
    BUDGETS,
    TOKENS_A_RANK,
    Anchors,
    Descent,
    Lengths,
    Trace,
    budget_for,
    budgets,
    find,
    parse,
    within,
)
from memgauge.records import Coverage, Credit

if TYPE_CHECKING:
    from memgauge.measures import Judged

TURNS = 4


class Held(NamedTuple):
    """One returned memory: what it costs, and how much of each turn it bears."""

    tokens: int
    shares: dict[int, float]


HELD = st.builds(
    Held, st.integers(0, 300), st.dictionaries(st.integers(0, TURNS - 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
)
LISTS = st.lists(HELD, max_size=7)
WANTED = st.sets(st.integers(0, TURNS - 1), min_size=1)


def judged(hits: list[Held], wanted: set[int], budget: int, *, cut: bool) -> Judged:
    """Judge one question; where *cut*, what is cut bears the share of its tokens that is left."""
    pairs = [(n, turn, share) for n, hit in enumerate(hits) for turn, share in sorted(hit.shares.items())]
    widths = np.bincount([n for n, *_ in pairs], minlength=len(hits)) if pairs else np.zeros(len(hits), int)
    descent = Descent(
        np.concatenate(([0], np.cumsum(widths))).astype(np.int64),
        np.array([turn for _, turn, _ in pairs], dtype=np.int32),
        np.array([share for *_, share in pairs], dtype=np.float64),
    )
    places = np.arange(len(hits), dtype=np.int32)
    trace = Trace(np.zeros(len(hits), np.int32), places, 1)
    anchors = Anchors(np.zeros(len(wanted), np.int32), np.array(sorted(wanted), dtype=np.int32))
    found = find(trace, descent, anchors, k=8)
    lengths = Lengths(trace, np.array([hit.tokens for hit in hits], dtype=np.float64))
    shares = None
    if cut and found.share is not None:
        left = budget - lengths.before[found.hits]
        shares = found.share * np.clip(left / np.maximum(lengths.tokens[found.hits], 1), 0, 1)
    return within(found, lengths, budget, shares, credit=Credit.ANCHOR, coverage=Coverage.ANY)


def read(hits: list[Held], wanted: set[int], budget: int, *, cut: bool) -> dict[str, float]:
    """Go through the texts as a reader does, and value what was read."""
    spent, borne = 0, dict.fromkeys(wanted, 0.0)
    best = reciprocal = gained = 0.0
    full = False
    for hit in hits:
        left = budget - spent
        if (left <= 0 and hit.tokens > 0) or full:
            break
        full = hit.tokens > left
        part = 1.0 if not full else (left / hit.tokens if cut else 0.0)
        spent = min(spent + hit.tokens, budget)
        place = max(spent / TOKENS_A_RANK, 1.0)
        new = 0.0
        here = [part * hit.shares.get(turn, 0.0) for turn in wanted]
        for turn, share in zip(wanted, here, strict=True):
            new += max(share - borne[turn], 0.0)
            borne[turn] = max(borne[turn], share)
        gained += new / log2(place + 1)
        if new:
            best, reciprocal = max(best, *here), max(reciprocal, max(here) / place)
    total = sum(borne.values())
    return {
        "Recall": total / len(wanted),
        "Hit": best,
        "MRR": reciprocal,
        "Complete": max(total - len(wanted) + 1, 0.0),
        "gained": gained,
    }


@given(LISTS, WANTED, st.integers(1, 900), st.booleans())
@example(hits=[Held(2, {}), Held(0, {0: 0.25})], wanted={0}, budget=1, cut=False)
def test_what_lies_within_a_budget_is_what_a_reader_sees(
    hits: list[Held], wanted: set[int], budget: int, cut: bool
) -> None:
    """Every measure has the value that reading the texts in order gives."""
    expected, here = read(hits, wanted, budget, cut=cut), judged(hits, wanted, budget, cut=cut)
    for name in ("Recall", "Hit", "MRR", "Complete"):
        assert parse(f"{name}@{budget}tok").rows(here).values[0] == pytest.approx(expected[name]), name
    ideal = here.ideal[0] @ (1 / np.log2(np.arange(2.0, here.depth + 2)))
    assert parse(f"nDCG@{budget}tok").rows(here).values[0] == pytest.approx(min(expected["gained"] / ideal, 1.0))


@given(LISTS, WANTED, st.integers(1, 900), st.integers(0, 900))
def test_a_larger_budget_never_finds_less(hits: list[Held], wanted: set[int], budget: int, more: int) -> None:
    """Recall rises with what is paid."""
    less, all_ = (
        parse(f"Recall@{tokens}tok").rows(judged(hits, wanted, tokens, cut=True)).values[0]
        for tokens in (budget, budget + more)
    )
    assert less <= all_ + 1e-12


def test_the_curve_is_the_area_under_its_budgets() -> None:
    """A turn found with the first 250 tokens fills the curve; one found at 8,000 only half of the last step."""
    for tokens, area in ((100, 1.0), (8_000, 0.1)):
        hits = [Held(tokens, {0: 1.0})]
        levels = {budget: judged(hits, {0}, budget, cut=False) for budget in BUDGETS}
        rows = parse("RecallCurve").within(levels.__getitem__)
        assert rows.values.tolist() == [pytest.approx(area)]


def test_packing_memories_into_one_gains_no_place() -> None:
    """A hit counts at the rank of its last token, so that one long memory stands where several short ones end."""
    short = [Held(50, {}) for _ in range(9)] + [Held(50, {0: 1.0})]
    one = judged([Held(500, {0: 1.0})], {0}, 900, cut=False)
    assert parse("MRR@900tok").rows(one).values[0] == pytest.approx(1 / 10)
    many = judged(short[-8:], {0}, 900, cut=False)
    assert parse("MRR@900tok").rows(many).values[0] == pytest.approx(1 / 8)


def test_nobody_knows_what_lies_behind_a_text_that_was_left_out() -> None:
    """A question is known as long as no unknown length lies within its budget."""
    trace = Trace(np.array([0, 0, 1], np.int32), np.array([0, 1, 2], np.int32), 3)
    lengths = Lengths(trace, np.array([100.0, np.nan, np.nan]))
    assert lengths.known(100).tolist() == [True, False, True]
    assert lengths.known(101).tolist() == [False, False, True]
    assert np.isnan(lengths.totals(8)[:2]).all()


@given(st.lists(st.lists(st.none() | st.integers(0, 300), max_size=6), max_size=6))
def test_tokens_are_added_up_question_by_question(lists: list[list[int | None]]) -> None:
    """Up to a hit lie its own tokens and those of all above it, which nobody knows after a gap."""
    flat = [np.nan if tokens is None else float(tokens) for each in lists for tokens in each]
    query = np.repeat(np.arange(len(lists)), [len(each) for each in lists]).astype(np.int32)
    lengths = Lengths(Trace(query, np.zeros(len(flat), np.int32), len(lists)), np.array(flat, dtype=np.float64))
    sums = [
        np.nan if None in each[: rank + 1] else float(sum(filter(None, each[: rank + 1])))
        for each in lists
        for rank in range(len(each))
    ]
    assert np.array_equal(lengths.through, np.array(sums, dtype=np.float64), equal_nan=True)
    assert lengths.trace.rank.tolist() == [rank for each in lists for rank in range(len(each))]


def test_places_are_counted_for_measures_that_discount_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not ask at which rank a hit counts does not have it worked out; a table of all ranks is large."""
    counted = list[int]()
    places = budgets._places

    def counting(*arguments: Any) -> Any:
        counted.append(1)
        return places(*arguments)

    monkeypatch.setattr(budgets, "_places", counting)
    within_300 = judged([Held(200, {0: 1.0}), Held(200, {1: 1.0})], {0, 1}, 300, cut=True)
    for name in ("Recall", "Hit", "Complete"):
        parse(f"{name}@300tok").rows(within_300)
    assert counted == []
    for name in ("nDCG", "MRR"):
        parse(f"{name}@300tok").rows(within_300)
    assert counted == [1]


@pytest.mark.parametrize(
    ("conversations", "budget"),
    [
        ([21_700] * 10, 2_000),
        ([16_000], 2_000),
        ([15_999], 1_000),
        ([2_400] * 8, 250),
        ([680, 690], 62),
        ([], 2_000),
    ],
)
def test_a_budget_is_a_small_part_of_the_conversation(conversations: list[int], budget: int) -> None:
    """Halve the declared budget until it is an eighth of the usual conversation; below 50 tokens nobody goes."""
    assert budget_for(conversations) == budget
    assert BUDGETS[3] == 2_000
