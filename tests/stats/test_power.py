"""Power: the detectable difference against statsmodels and by drawing anew."""

from __future__ import annotations

import numpy as np
import pytest

from memgauge.stats import Clusters, Estimate, estimates, minimum_detectable
from support import Later, known

scipy, power = Later("scipy"), Later("statsmodels.stats.power")


def test_many_clusters_give_the_textbook_difference() -> None:
    """Reach statsmodels' effect of a t-test where the error is all but known."""
    estimate = Estimate(0.0, 1.0 / np.sqrt(500), 499.0, None, None, None, 500, 500)
    assert minimum_detectable(estimate) == pytest.approx(
        power.tt_solve_power(nobs=500, alpha=0.05, power=0.8), rel=2e-3
    )
    factor = scipy.stats.norm.ppf(0.995) + scipy.stats.norm.ppf(0.8)
    assert minimum_detectable(estimate, 5) == pytest.approx(factor * known(estimate.se), rel=0.01)


def test_a_difference_as_large_as_printed_is_found_as_often_as_promised() -> None:
    """With eight clusters, find in about 80 of 100 new samples the difference that the middle sample prints."""
    rng, clusters = np.random.default_rng(8), Clusters.of(np.arange(8))
    printed = [known(minimum_detectable(e, 5)) for e in estimates(rng.normal(size=(8, 2001)), clusters)]
    new = estimates(rng.normal(size=(8, 4000)) + np.median(printed), clusters)
    assert np.mean([known(e.p) < 0.01 for e in new]) == pytest.approx(0.8, abs=0.03)


def test_no_error_means_nobody_knows() -> None:
    """Print nothing for one conversation or a winner by a constant, rather than a difference of 0."""
    constant = estimates(np.full((8, 1), 0.25), Clusters.of(np.arange(8)))[0]
    single = estimates(np.array([[0.0], [1.0]]), Clusters.of([0, 0]))[0]
    assert minimum_detectable(constant) is None
    assert minimum_detectable(single) is None


@pytest.mark.parametrize(("comparisons", "alpha", "power"), [(0, 0.05, 0.8), (1, 0.0, 0.8), (1, 0.05, 1.0)])
def test_nonsense_is_refused(comparisons: int, alpha: float, power: float) -> None:
    """Refuse no comparison and impossible shares."""
    estimate = Estimate(0.0, 1.0, 5.0, None, None, None, 6, 6)
    with pytest.raises(ValueError, match="needs comparisons"):
        minimum_detectable(estimate, comparisons, alpha=alpha, power=power)
