"""Agreement of raters, against independent implementations."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memgauge.stats.agreement import (
    MISSING,
    agreement,
    agreement_interval,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
)
from memgauge.stats.clusters import ONE_CLUSTER
from support import Later

if TYPE_CHECKING:
    from memgauge.stats.agreement import Coefficient

scipy = Later("scipy")
oracle = Later("statsmodels.stats.inter_rater")
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
    assert ours.value == pytest.approx(float(oracle.cohens_kappa(table, return_results=False)))


@given(TABLES)
def test_fleiss_is_that_of_statsmodels(ratings: np.ndarray) -> None:
    """For any number of raters."""
    assume(len(np.unique(ratings)) > 1)
    kappa = oracle.fleiss_kappa(oracle.aggregate_raters(ratings)[0])
    assert agreement(ratings, fleiss_kappa).value == pytest.approx(kappa)


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
def test_an_item_that_weighs_twice_is_rated_twice(ratings: np.ndarray, seed: int) -> None:
    """A weight of 0 leaves an item out."""
    weights = np.random.default_rng(seed).integers(0, 3, len(ratings))
    repeated = np.repeat(ratings, weights, axis=0)
    assume(len(repeated) > 1 and len(np.unique(repeated)) > 1)
    assert fleiss_kappa(ratings, weights.astype(float)) == pytest.approx(agreement(repeated, fleiss_kappa).value)


@pytest.mark.parametrize("coefficient", [cohen_kappa, fleiss_kappa, krippendorff_alpha])
def test_one_item_has_no_agreement_beyond_chance(coefficient: Coefficient) -> None:
    """Formulas give 0 or less, whatever the raters are like."""
    ratings = np.array([[0, 1], [1, MISSING], [MISSING, 0]])
    interval = agreement_interval(ratings, coefficient, range(3))
    assert (interval.mean, interval.n, interval.reason) == (None, 1, "only one item was rated twice")


@given(TABLES, st.integers(2, 6))
def test_an_interval_holds_its_kappa_and_stays_possible(ratings: np.ndarray, count: int) -> None:
    """Its ends lie on either side of the value, none above 1; names and order of clusters do not matter."""
    assume(len(np.unique(ratings)) > 1)
    labels = np.arange(len(ratings)) % count
    around = agreement_interval(ratings, fleiss_kappa, labels)
    if around.low is None or around.high is None:
        assert around.reason
        return
    assert around.mean is not None
    assert around.low - 1e-9 <= around.mean <= around.high + 1e-9
    assert around.high <= 1 + 1e-9
    named = agreement_interval(ratings[::-1], fleiss_kappa, [f"conversation {9 - n}" for n in labels[::-1]])
    assert (named.low, named.high) == pytest.approx((around.low, around.high))


def test_the_error_is_that_of_leaving_out_clusters() -> None:
    """Ends are those of a score interval around the agreement, solved here from its definition by bisection."""
    rng = np.random.default_rng(5)
    labels = np.repeat(np.arange(8), 12)
    first = rng.integers(0, 2, 96)
    ratings = np.stack([first, np.where(rng.random(96) < 0.25 + 0.05 * labels, 1 - first, first)], axis=1)
    value = agreement(ratings, cohen_kappa).value
    assert value is not None
    left = [agreement(ratings[labels != label], cohen_kappa).value or 0.0 for label in range(8)]
    error = (7 / 8 * sum((each - value) ** 2 for each in left)) ** 0.5
    one_less = [agreement(np.delete(ratings, item, axis=0), cohen_kappa).value or 0.0 for item in range(96)]
    assert error > (95 / 96 * sum((each - value) ** 2 for each in one_less)) ** 0.5
    alike = float((ratings[:, 0] == ratings[:, 1]).mean())
    chance = (alike - value) / (1 - value)
    per_row = (error * (1 - chance)) ** 2 / (alike * (1 - alike))

    def beyond(share: float) -> float:
        return float(abs(share - alike) - scipy.stats.t.ppf(0.975, 7) * (share * (1 - share) * per_row) ** 0.5)

    ends = [
        (scipy.optimize.brentq(beyond, *span) - chance) / (1 - chance)
        for span in ((1e-9, alike), (alike, 1 - 1e-9))
    ]
    around = agreement_interval(ratings, cohen_kappa, labels)
    assert (around.low, around.high) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("within", "prevalence", "copied", "clusters", "least"),
    [
        (0.05, 0.5, 0.8, 10, 0.93),
        pytest.param(0.05, 0.5, 0.97, 10, 0.93, marks=pytest.mark.slow),
        pytest.param(0.05, 0.2, 0.5, 10, 0.93, marks=pytest.mark.slow),
        pytest.param(0.05, 0.2, 0.8, 20, 0.93, marks=pytest.mark.slow),
        (0.2, 0.2, 0.5, 10, 0.87),
        pytest.param(0.2, 0.5, 0.97, 20, 0.87, marks=pytest.mark.slow),
    ],
)
def test_intervals_cover(within: float, prevalence: float, copied: float, clusters: int, least: float) -> None:
    """In 93 % or more where items are little alike within clusters; where much, in fewer, as is written there."""
    rng = np.random.default_rng([11, clusters, int(100 * copied)])
    true = agreement(drawn(rng, 4000, within, prevalence, copied)[0], cohen_kappa).value
    assert true is not None
    covered = []
    for _ in range(400):
        around = agreement_interval(*_with(cohen_kappa, drawn(rng, clusters, within, prevalence, copied)))
        if around.low is not None and around.high is not None:
            covered.append(around.low <= true <= around.high)
    assert len(covered) > 380
    noise = (0.95 * 0.05 / len(covered)) ** 0.5
    assert np.mean(covered) >= least - 2 * noise


def drawn(
    rng: np.random.Generator, clusters: int, within: float, prevalence: float, copied: float
) -> tuple[np.ndarray, np.ndarray]:
    """Let two raters copy a truth, or guess; how common it is, and how often they copy, differ by cluster."""
    spread = 1 / within - 1
    labels = np.repeat(np.arange(clusters), rng.choice([4, 8, 15, 40], clusters))
    common = rng.beta(prevalence * spread, (1 - prevalence) * spread, clusters)[labels]
    copies = rng.beta(copied * spread, (1 - copied) * spread, clusters)[labels]
    truth = rng.random(len(labels)) < common
    raters = [
        np.where(rng.random(len(labels)) < copies, truth, rng.random(len(labels)) < prevalence) for _ in range(2)
    ]
    return np.stack(raters, axis=1).astype(np.int64), labels


def _with(
    coefficient: Coefficient, sample: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, Coefficient, np.ndarray]:
    return sample[0], coefficient, sample[1]


def test_what_cannot_be_said_says_why() -> None:
    """One rater, nothing rated twice, one category, one cluster, a second category in one cluster alone."""
    ones = np.zeros((4, 2), dtype=np.int64)
    assert agreement(ones[:, :1], cohen_kappa).reason == "fewer than two raters"
    assert agreement(np.full((3, 2), MISSING), cohen_kappa).reason == "no item was rated twice"
    assert agreement(np.full((3, 2), MISSING), krippendorff_alpha).value is None
    assert agreement(ones, fleiss_kappa).reason == "only one category was used"
    assert agreement_interval(ones, fleiss_kappa, [0, 0, 1, 1]).low is None
    pair = np.array([[0, 1], [1, 1]])
    assert agreement_interval(pair, cohen_kappa, ["a", "a"]).reason == ONE_CLUSTER
    alone = np.array([[0, 1], [1, 1], [1, 1], [1, 1]])
    assert "second category" in agreement_interval(alone, fleiss_kappa, ["a", "a", "b", "b"]).reason
