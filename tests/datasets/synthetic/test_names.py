"""Values that nobody has heard of."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.synthetic.dice import Dice
from memgauge.datasets.synthetic.names import Names, code, near_miss, word
from memgauge.datasets.synthetic.words import POOLS

users, places = st.integers(0, 390_000), st.integers(0, 255)


@given(st.tuples(users, places), st.tuples(users, places))
def test_no_two_users_share_a_word(a: tuple[int, int], b: tuple[int, int]) -> None:
    """A word and an identifier belong to one user and one place."""
    assert (word(*a) == word(*b)) == (a == b)
    if a[0] == b[0]:
        assert (code(*a) == code(*b)) == (a == b)
    assert word(*a).isalpha()


@given(st.integers(0, 10_000), st.integers(0, 255), st.integers())
def test_a_near_miss_is_near_and_misses(user: int, place: int, key: int) -> None:
    """It differs, in at most two digits, and keeps its letters."""
    right = code(user, place)
    wrong = near_miss(right, Dice(key))
    assert wrong != right
    assert wrong[:3] == right[:3]
    assert sum(a != b for a, b in zip(right, wrong, strict=True)) <= 2


def test_a_run_of_one_digit_has_a_near_miss_too() -> None:
    """Where no two neighbours differ, the last digit changes."""
    assert near_miss("AA-111111", Dice(0)) == "AA-111112"


def test_plausible_values_come_first_and_run_out() -> None:
    """A pool is used once each, then words are made up."""
    names = Names(3, Dice(0), date(2024, 5, 1), plausible=True)
    drawn = [names.draw("thing") for _ in range(len(POOLS["thing"]) + 1)]
    assert set(drawn[:-1]) == set(POOLS["thing"])
    assert drawn[-1] not in POOLS["thing"]


def test_kinds_look_like_what_they_are() -> None:
    """Days are spelled and later than the last session, titles begin with an article, codes have digits."""
    names = Names(3, Dice(0), date(2024, 5, 1), plausible=False)
    assert names.draw("title").startswith("The ")
    assert names.draw("code")[-6:].isdigit()
    assert names.draw("day").endswith("2024")
