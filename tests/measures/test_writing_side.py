"""The write side: one stored item accounts for one fact."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.writing import ASPECTS, Stated, WriteSide, match_writes, one_to_one, plain

if TYPE_CHECKING:
    from random import Random

MARCH, JUNE = datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC)
TEA = Stated("Ada", "drink", "tea", MARCH, None, "ada")
PARIS = Stated("Ada", "home city", "Paris", MARCH, JUNE, "ada")
BERLIN = Stated("Ada", "home city", "Berlin", JUNE, None, "ada")
BOB = Stated("Bob", "employer", "Acme", None, None, "bob")
GOLD = (TEA, PARIS, BERLIN, BOB)
RATES = (
    "write_precision",
    "value_error",
    "slot_error",
    "time_error",
    "subject_error",
    "scope_error",
    "junk_rate",
    "duplicate_rate",
)

statements = st.lists(
    st.builds(
        Stated,
        subject=st.sampled_from(["Ada", "Bob"]),
        slot=st.sampled_from(["drink", "city"]),
        value=st.sampled_from(["tea", "TEA", "Paris"]),
        valid_from=st.sampled_from([None, MARCH, MARCH.astimezone(timezone(timedelta(hours=2)))]),
        scope=st.sampled_from([None, "ada"]),
    ),
    max_size=7,
)


def rates(side: WriteSide) -> list[float]:
    """Return every share of stored items that is defined."""
    return [value for name in RATES if (value := getattr(side, name)) is not None]


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        (replace(BOB, value="Globex"), "value_error"),
        (replace(BOB, slot="school"), "slot_error"),
        (replace(BOB, valid_to=JUNE), "time_error"),
        (replace(BOB, subject="Eve"), "subject_error"),
        (replace(BOB, scope="ada"), "scope_error"),
        (replace(BOB, value="Globex", subject="Eve"), "junk_rate"),
        (TEA, "duplicate_rate"),
    ],
)
def test_every_stored_item_ends_in_one_way(wrong: Stated, name: str) -> None:
    """Three facts as they are and one item with a known fault: 3/4 precision and recall, 1/4 of that fault."""
    side = match_writes((TEA, PARIS, BERLIN, wrong), GOLD)
    assert (side.write_precision, side.write_recall, getattr(side, name)) == (0.75, 0.75, 0.25)
    assert sum(rates(side)) == 1


def test_a_repetition_is_a_duplicate_and_not_a_wrong_value_of_the_next_fact() -> None:
    """Tea, stored twice, does not stand for the coffee that was missed."""
    side = match_writes((TEA, TEA), (TEA, replace(TEA, value="coffee")))
    assert side.counts["duplicate"] == side.counts["missed"] == side.counts["correct"] == 1
    assert side.value_error == 0


def test_a_full_match_is_not_given_up_for_two_partial_ones() -> None:
    """Berlin is Berlin, even where letting go of it would pair one more item."""
    gold = (BERLIN, replace(BERLIN, value="Rome"))
    side = match_writes((BERLIN, replace(BERLIN, scope="bob")), gold)
    assert (side.counts["correct"], side.counts["junk"], side.counts["missed"]) == (1, 1, 1)


def test_of_several_near_facts_the_mildest_error_counts() -> None:
    """An item that misses one fact in time and another in value has the wrong time."""
    side = match_writes((replace(PARIS, valid_to=None),), (replace(PARIS, value="Lyon", valid_to=None), PARIS))
    assert (side.time_error, side.value_error) == (1, 0)


def test_one_instant_is_one_time_in_every_zone_and_case_does_not_count() -> None:
    """The same moment in another zone and capitals make no other fact; punctuation does, or 1.5 would be 15."""
    there = MARCH.astimezone(timezone(timedelta(hours=9)))
    assert match_writes((replace(TEA, valid_from=there, value=" TEA "),), (TEA,)).write_precision == 1
    assert plain("1.5") != plain("15")


def test_a_share_of_nothing_is_undefined() -> None:
    """An empty store has no precision and no errors, and finds none of the facts; no facts, no recall."""
    empty = match_writes((), GOLD)
    assert (rates(empty), empty.write_recall, empty.counts["missed"]) == ([], 0, 4)
    aimless = match_writes((TEA,), ())
    assert (aimless.write_precision, aimless.write_recall, aimless.junk_rate) == (0, None, 1)
    assert match_writes((), ()).write_recall is None


@given(statements, statements)
def test_shares_are_bounded_and_add_up(stored: list[Stated], gold: list[Stated]) -> None:
    """Whatever is stored: each share lies in [0, 1], together they are 1, and counts agree with them."""
    side = match_writes(stored, gold)
    assert all(0 <= rate <= 1 for rate in (*rates(side), side.write_recall or 0))
    counts = side.counts
    assert sum(counts[ending] for ending in ("correct", *ASPECTS, "junk", "duplicate")) == len(stored)
    assert counts["missed"] + sum(counts[ending] for ending in ("correct", *ASPECTS)) == len(gold)
    assert not stored or sum(rates(side)) == pytest.approx(1)


@given(statements, statements, st.randoms(use_true_random=False))
def test_the_order_given_does_not_count(stored: list[Stated], gold: list[Stated], chance: Random) -> None:
    """Shuffling either side changes nothing."""
    before = match_writes(stored, gold)
    chance.shuffle(stored)
    chance.shuffle(gold)
    assert match_writes(stored, gold) == before


@given(statements)
def test_storing_the_facts_is_ideal_and_storing_them_twice_is_not(gold: list[Stated]) -> None:
    """The facts themselves score 1 and 1; every one twice keeps recall and halves precision."""
    ideal = match_writes(gold, gold)
    twice = match_writes([*gold, *gold], gold)
    if gold:
        assert (ideal.write_precision, ideal.write_recall) == (1, 1)
        assert (twice.write_precision, twice.write_recall, twice.duplicate_rate) == (0.5, 1, 0.5)


@given(st.integers(1, 6), st.integers(1, 6))
def test_one_over_broad_item_accounts_for_one_fact(items: int, facts: int) -> None:
    """Where everything matches everything, as many pairs as the smaller side has members."""
    pairs = one_to_one(np.ones((items, facts)))
    assert (
        len(pairs) == len({row for row, _ in pairs}) == len({column for _, column in pairs}) == min(items, facts)
    )
