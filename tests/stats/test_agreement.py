"""Agreement of raters, against independent implementations."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import cohens_kappa as oracle_cohen
from statsmodels.stats.inter_rater import fleiss_kappa as oracle_fleiss

from memgauge.stats import Resamples
from memgauge.stats.agreement import (
    MISSING,
    agreement,
    agreement_interval,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
)

PAIRS = arrays.arrays(np.int64, st.tuples(st.integers(3, 30), st.just(2)), elements=st.integers(0, 3))
TABLES = arrays.arrays(np.int64, st.tuples(st.integers(3, 25), st.integers(2, 5)), elements=st.integers(0, 3))
HOLED = arrays.arrays(np.int64, st.tuples(st.integers(3, 25), st.integers(2, 5)), elements=st.integers(-1, 3))


@given(PAIRS)
def test_cohen_is_that_of_statsmodels(ratings: np.ndarray) -> None:
    """On every table where two categories occur."""
    table = np.zeros((4, 4))
    np.add.at(table, (ratings[:, 0], ratings[:, 1]), 1)
    ours = agreement(ratings, cohen_kappa)
    if len(np.unique(ratings)) == 1:
        assert ours.reason == "only one category was used"
        return
    assert ours.value == pytest.approx(float(oracle_cohen(table, return_results=False)))


@given(TABLES)
def test_fleiss_is_that_of_statsmodels(ratings: np.ndarray) -> None:
    """For any number of raters."""
    assume(len(np.unique(ratings)) > 1)
    assert agreement(ratings, fleiss_kappa).value == pytest.approx(oracle_fleiss(aggregate_raters(ratings)[0]))


@given(HOLED)
def test_alpha_is_krippendorffs(ratings: np.ndarray) -> None:
    """Missing ratings included."""
    ours = krippendorff_alpha(ratings, np.ones(len(ratings)))
    paired = ratings[(ratings != MISSING).sum(axis=1) > 1]
    assume(len(np.unique(paired[paired != MISSING])) > 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = np.where(ratings == MISSING, np.nan, ratings.astype(float)).T
        theirs = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
    assert ours == pytest.approx(float(theirs))


@given(TABLES, st.integers(0, 2**31))
def test_the_interval_repeats_items_as_they_were_drawn(ratings: np.ndarray, seed: int) -> None:
    """Weighing an item twice is rating it twice."""
    assume(len(np.unique(ratings)) > 1)
    drawn = Resamples.draw(len(ratings), seed, 20)
    found = agreement_interval(ratings, fleiss_kappa, drawn)
    repeated = [np.repeat(ratings, row.astype(int), axis=0) for row in drawn.counts]
    values = np.array([agreement(one, fleiss_kappa).value for one in repeated], dtype=float)
    values = values[~np.isnan(values)]
    assume(len(values))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values, (0.025, 0.975))))


def test_what_cannot_be_said_says_why() -> None:
    """One rater, nothing rated twice, one category, and one unit."""
    ones = np.zeros((4, 2), dtype=np.int64)
    assert agreement(ones[:, :1], cohen_kappa).reason == "fewer than two raters"
    assert agreement(np.full((3, 2), MISSING), cohen_kappa).reason == "no item was rated twice"
    assert agreement(np.full((3, 2), MISSING), krippendorff_alpha).value is None
    assert agreement(ones, fleiss_kappa).reason == "only one category was used"
    assert agreement_interval(ones, fleiss_kappa, Resamples.draw(4, 0, 5)).low is None
    pair = np.array([[0, 1], [1, 1]])
    lone = Resamples.draw(2, 0, 5, clusters=[0, 0])
    assert agreement_interval(pair, cohen_kappa, lone).reason == "one unit cannot be resampled"
