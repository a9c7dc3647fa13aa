"""Randomness by counting."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.synthetic.dice import Dice


def test_the_numbers_never_change() -> None:
    """What a key gives is part of every world, so it is written down."""
    assert [Dice("a", 1).below(1000), Dice("a", 2).below(1000), Dice("a/1").below(1000)] == [
        Dice("a", "1").below(1000),
        Dice("a", "2").below(1000),
        Dice("a", 1).below(1000),
    ]
    dice = Dice(0, "frozen")
    assert [dice.below(100) for _ in range(12)] == [77, 99, 91, 99, 26, 68, 19, 12, 20, 32, 70, 27]


@given(st.integers(), st.integers(1, 50))
def test_draws_stay_in_range(key: int, n: int) -> None:
    """A number is below its bound, a choice among its items, a range has both ends."""
    dice = Dice(key)
    assert 0 <= dice.below(n) < n
    assert dice.pick(range(n)) in range(n)
    assert n <= dice.between(n, n + 3) <= n + 3
    assert not dice.chance(0)
    assert dice.chance(100)


@given(st.integers(), st.lists(st.integers(), max_size=20))
def test_a_sample_takes_places_once(key: int, items: list[int]) -> None:
    """A whole sample is a permutation, and the items stay as they were."""
    before = list(items)
    assert Counter(Dice(key).sample(items, len(items))) == Counter(items)
    assert items == before


def test_numbers_are_spread() -> None:
    """Every face of a die comes up about as often."""
    counts = Counter(map(Dice("spread").below, [6] * 6000))
    assert all(900 < counts[face] < 1100 for face in range(6))
