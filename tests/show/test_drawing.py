"""What all drawings share."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.show.drawing import apart, short

PLACES = st.lists(st.floats(0, 300), min_size=1, max_size=12)


@given(PLACES)
def test_labels_keep_apart_in_their_order(wanted: list[float]) -> None:
    """Any two are at least the gap apart, in the order of what they want, and the whole does not drift."""
    placed = apart(wanted, 15)
    assert all(b - a >= 15 - 1e-6 for a, b in pairwise(sorted(placed)))
    order = sorted(range(len(wanted)), key=lambda i: placed[i])
    assert [wanted[i] for i in order] == sorted(wanted)
    assert sum(placed) == pytest.approx(sum(wanted), abs=1e-6)


@given(PLACES)
def test_labels_stay_inside_where_they_fit(wanted: list[float]) -> None:
    """Twelve labels of 15 fit into 300, wherever they want to be."""
    placed = apart(wanted, 15, 0, 300)
    assert all(-1e-6 <= p <= 300 + 1e-6 for p in placed)
    assert all(b - a >= 15 - 1e-6 for a, b in pairwise(sorted(placed)))


def test_only_those_in_the_way_are_moved() -> None:
    """A label with room stays where it is, and two that collide part evenly."""
    assert apart([10, 100, 104, 200], 10) == pytest.approx([10, 97, 107, 200])


def test_a_long_name_is_cut_in_its_middle() -> None:
    """Both ends of a name are kept."""
    assert short("a" * 25) == "a" * 25
    assert short("a" * 20 + "b" * 20) == "a" * 12 + "\N{HORIZONTAL ELLIPSIS}" + "b" * 12
