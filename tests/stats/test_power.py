"""Power: the formula against simulation and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.power import normal_power

from memgauge.stats import design_effect, minimum_detectable


def test_the_difference_is_found_as_often_as_promised() -> None:
    """Reach the promised power at the minimum detectable difference, by statsmodels' reckoning."""
    effect = minimum_detectable(0.5, 400) / 0.5
    assert normal_power(effect, 400, 0.05) == pytest.approx(0.8, abs=1e-6)
    assert minimum_detectable(1.0, 1) == pytest.approx(scipy.stats.norm.ppf(0.975) + scipy.stats.norm.ppf(0.8))


def test_clusters_cost_power() -> None:
    """Double the difference when the design effect is four."""
    assert minimum_detectable(1.0, 100, design_effect=4.0) == pytest.approx(2 * minimum_detectable(1.0, 100))


def test_design_effect_of_copies() -> None:
    """Find the size of the clusters when their members are copies, about 1 when they are strangers."""
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(500), 4)
    assert design_effect(np.repeat(rng.normal(size=500), 4), clusters) == pytest.approx(4.0, rel=0.01)
    assert design_effect(rng.normal(size=2000), clusters) == pytest.approx(1.0, abs=0.15)


def test_nothing_varies() -> None:
    """Call the design effect 1 when no value differs."""
    assert design_effect(np.ones(4), [0, 0, 1, 1]) == pytest.approx(1.0)


def test_one_cluster_is_refused() -> None:
    """Refuse a design effect of one cluster."""
    with pytest.raises(ValueError, match="two clusters"):
        design_effect([1.0, 2.0], [0, 0])


@pytest.mark.parametrize(("sd", "n", "effect"), [(1.0, 0, 1.0), (-1.0, 5, 1.0), (1.0, 5, -1.0)])
def test_nonsense_is_refused(sd: float, n: int, effect: float) -> None:
    """Refuse no pairs and negative spreads."""
    with pytest.raises(ValueError, match="needs pairs"):
        minimum_detectable(sd, n, design_effect=effect)
