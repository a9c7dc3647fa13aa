"""Exact sums of many columns."""

from __future__ import annotations

from math import fsum
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats.sums import exact_sums, largest_of

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def bytes_of(values: list[float]) -> bytes:
    """Write numbers as they lie in memory."""
    return np.array(values).tobytes()


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=40))
def test_every_column_is_the_exact_sum_rounded_once(rows: list[tuple[float, float]]) -> None:
    """Whatever the magnitudes, and where they cancel, the bytes are those of fsum."""
    table = np.array(rows, dtype=np.float64).reshape(-1, 2)
    cancelling = np.concatenate([table, -table[::-1], table[:1] * 2.0**-60])
    for numbers in (table, cancelling):
        assert exact_sums(numbers).tobytes() == bytes_of([fsum(column) for column in numbers.T.tolist()])


@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 70),
    exponents=st.sampled_from([(0, 1), (-60, 60), (-1074, -960), (960, 1015)]),
)
def test_columns_of_any_magnitudes_are_added_as_one_sum(seed: int, rows: int, exponents: tuple[int, int]) -> None:
    """Short numbers whose sums lie in the middle, subnormal and huge ones: every column has the bytes of fsum."""
    rng = np.random.default_rng(seed)
    powers = np.ldexp(1.0, rng.integers(*exponents, (rows, 6)))
    table = np.asarray(rng.integers(-9, 10, (rows, 6)) * powers, dtype=np.float64)
    table[:, 0] = rng.random(rows)  # multiples of 2^-53: their sums often lie in the middle of two numbers
    assert exact_sums(table).tobytes() == bytes_of([fsum(column) for column in table.T.tolist()])


@pytest.mark.parametrize("columns", [1, 7, 300])
def test_columns_do_not_depend_on_their_neighbours(columns: int) -> None:
    """However many columns are added at once, of one size or of many, each has its own sum."""
    table = np.random.default_rng(columns).standard_normal((501, columns)) * 10.0 ** (np.arange(columns) % 6)
    assert exact_sums(table).tobytes() == bytes_of([fsum(column) for column in table.T.tolist()])


@given(
    rows=st.integers(0, 60),
    columns=st.sampled_from([0, 1, 3, 40, 600, 1025]),
    order=st.sampled_from("CF"),
    odd=st.sampled_from([None, np.nan, np.inf, -np.inf, -0.0]),
    seed=st.integers(0, 99),
)
def test_the_largest_of_a_column_is_that_of_its_rows(
    rows: int, columns: int, order: Literal["C", "F"], odd: float | None, seed: int
) -> None:
    """However the table lies in memory, and whatever stands in it; of no rows it is 0."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((rows, columns))
    if odd is not None and table.size:
        table[rng.integers(rows), rng.integers(columns)] = odd
    plain = np.abs(table).max(axis=0, initial=0.0)
    assert largest_of(np.asarray(table, order=order)).tobytes() == plain.tobytes()


def test_halves_are_rounded_to_even_as_one_sum() -> None:
    """A sum that lies between two numbers goes to the even one, and beyond the middle to the other."""
    between = [[1.0, 1.0, 1.0], [2.0**-53, 2.0**-53, 2.0**-53], [0.0, 2.0**-110, -(2.0**-110)]]
    assert exact_sums(np.array(between)).tolist() == [1.0, 1.0 + 2.0**-52, 1.0]


def test_no_rows_add_up_to_nothing() -> None:
    """Of no rows every sum is 0, and what is no number stays so."""
    assert exact_sums(np.zeros((0, 3))).tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(exact_sums(np.array([[1.0], [np.nan]]))).all()
