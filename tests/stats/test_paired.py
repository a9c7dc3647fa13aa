"""Paired tests against scipy and statsmodels."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.stats import PairedTest, holm, mcnemar, wilcoxon
from support import Later

scipy = Later("scipy")
tables, tests = Later("statsmodels.stats.contingency_tables"), Later("statsmodels.stats.multitest")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
@settings(max_examples=50)
def test_mcnemar_equals_statsmodels(pairs: list[tuple[bool, bool]]) -> None:
    """Give statsmodels' exact p-value, and none without a discordant pair."""
    a, b = np.array(pairs).T
    found = mcnemar(a, b)
    better, worse = int((a & ~b).sum()), int((b & ~a).sum())
    assert (found.n, found.better, found.worse) == (len(pairs), better, worse)
    if better + worse == 0:
        assert found == PairedTest(None, len(pairs), 0, 0, "no discordant pair")
    else:
        oracle = tables.mcnemar([[0, better], [worse, 0]], exact=True).pvalue
        assert found.p == pytest.approx(min(oracle, 1.0))


def test_mcnemar_needs_binary_values() -> None:
    """Refuse graded values on either side."""
    for pairs in (([0.5, 1.0], [0.0, 1.0]), ([0.0, 1.0], [0.5, 1.0])):
        with pytest.raises(ValueError, match="0 and 1"):
            mcnemar(*pairs)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=20).filter(any))
def test_wilcoxon_drops_zeros_and_nothing_else(differences: list[int]) -> None:
    """Give scipy's p-value of the differences without zeros, however many are on either side."""
    moved = [value for value in differences if value]
    exact = len({abs(value) for value in moved}) == len(moved)
    oracle = scipy.stats.wilcoxon(moved, method="exact" if exact else "approx").pvalue
    found = wilcoxon(differences, np.zeros(len(differences)))
    assert found.p == pytest.approx(oracle)
    assert (found.better, found.worse) == (sum(v > 0 for v in moved), sum(v < 0 for v in moved))


@pytest.mark.parametrize("n", [8, 50, 51, 80])
@pytest.mark.parametrize("grid", [True, False])
def test_wilcoxon_equals_scipy(n: int, grid: bool) -> None:
    """Give scipy's p-value without zeros, with ties and without, few pairs and many."""
    rng = np.random.default_rng(n)
    a, b = rng.random((2, n))
    if grid:
        a, b = np.round(a, 1), np.round(b, 1)
    moved = (a - b)[a != b]
    exact = n <= 50 and not grid
    oracle = scipy.stats.wilcoxon(moved, method="exact" if exact else "approx").pvalue
    assert wilcoxon(a, b).p == pytest.approx(oracle)


def test_wilcoxon_without_differences_is_undefined() -> None:
    """Give a reason when all differences are zero."""
    assert wilcoxon([1, 2], [1, 2]) == PairedTest(None, 2, 0, 0, "all differences are zero")


@pytest.mark.parametrize("test", [mcnemar, wilcoxon])
def test_pairs_must_pair(test: object) -> None:
    """Refuse columns of different length."""
    assert callable(test)
    with pytest.raises(ValueError, match="one shape"):
        test([1, 0], [1])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_equals_statsmodels(p: list[float]) -> None:
    """Give statsmodels' adjusted p-values, in the order given."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", int)  # the oracle looks for garbage before it computes: a tenth of a second
        oracle = tests.multipletests(p, method="holm")[1]
    assert holm(p) == pytest.approx(oracle)


def test_holm_of_nothing() -> None:
    """Adjust no p-values to none."""
    assert holm([]).tolist() == []
