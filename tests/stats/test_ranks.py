"""Rank agreement against scipy and a published table; tie groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats import Agreement, Resamples, inversion, kendall, spearman, tie_groups

if TYPE_CHECKING:
    from collections.abc import Callable

OVERALL = [0.568, 0.504, 0.461, 0.596, 0.682]
CLEAN = [0.571, 0.506, 0.483, 0.605, 0.676]
INTERRUPTED = [0.359, 0.348, 0.478, 0.345, 0.371]
"""ShiftBench, Table 1: Flat, Gated, HSR, RaptorTree, Fusion."""

columns = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=15)


def test_the_published_table() -> None:
    """Reproduce the rank correlation and the inversion rate of ShiftBench's Table 1."""
    assert spearman(OVERALL, INTERRUPTED).value == pytest.approx(-0.3)
    assert inversion(OVERALL, INTERRUPTED) == Agreement(0.6, 5)
    assert spearman(OVERALL, CLEAN).value == pytest.approx(1.0)
    assert inversion(OVERALL, CLEAN) == Agreement(0.0, 5)


@given(columns)
def test_correlations_equal_scipy(pairs: list[tuple[int, int]]) -> None:
    """Give scipy's values under ties, and a reason where a column is constant."""
    a, b = np.array(pairs, dtype=np.float64).T
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        assert spearman(a, b) == kendall(a, b) == Agreement(None, len(pairs), "one column is constant")
    else:
        assert spearman(a, b).value == pytest.approx(scipy.stats.spearmanr(a, b).statistic)
        assert kendall(a, b).value == pytest.approx(scipy.stats.kendalltau(a, b).statistic)


@given(columns)
def test_inversion_counts_discordant_pairs(pairs: list[tuple[int, int]]) -> None:
    """Count pairs ordered differently, over all pairs, whichever column comes first."""
    n = len(pairs)
    discordant = sum((p[0] - q[0]) * (p[1] - q[1]) < 0 for i, p in enumerate(pairs) for q in pairs[:i])
    a, b = zip(*pairs, strict=True)
    assert inversion(a, b).value == pytest.approx(discordant / (n * (n - 1) / 2))
    assert inversion(a, b) == inversion(b, a)


@pytest.mark.parametrize("agreement", [spearman, kendall, inversion])
def test_one_thing_has_no_order(agreement: Callable[[list[float], list[float]], Agreement]) -> None:
    """Give a reason for fewer than two things, and refuse columns that do not pair."""
    assert agreement([1.0], [1.0]) == Agreement(None, 1, "fewer than two to order")
    with pytest.raises(ValueError, match="one shape"):
        agreement([1.0], [1.0, 2.0])


def scores(*rates: float, n: int = 400) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Make binary values with exactly these means, unrelated across systems."""
    rng = np.random.default_rng(9)
    return np.column_stack([rng.permutation((np.arange(n) < r * n).astype(np.float64)) for r in rates])


def test_distinguishable_systems_lead_groups() -> None:
    """Start a group at the first system that the leader beats, in the order of means."""
    groups = tie_groups(["c", "a", "b", "d"], scores(0.3, 0.9, 0.88, 0.31), Resamples.draw(400, 0))
    assert groups == {"a": 1, "b": 1, "d": 2, "c": 2}
    assert list(groups) == ["a", "b", "d", "c"]


def test_equals_share_a_group() -> None:
    """Keep systems with the very same values together, by name."""
    values = np.repeat(scores(0.5), 3, axis=1)
    assert tie_groups(["z", "y", "x"], values, Resamples.draw(400, 0)) == {"x": 1, "y": 1, "z": 1}


def test_only_shared_questions_are_compared() -> None:
    """Compare two systems where both are defined: without a shared question they tie."""
    values = np.array([[1.0, 9.0], [1.0, 9.0], [9.0, 0.0], [9.0, 0.0]])
    defined = values < 9
    groups = tie_groups(["a", "b"], values, Resamples.draw(4, 0, draws=200), defined=defined)
    assert groups == {"a": 1, "b": 1}


def test_one_conversation_cannot_separate() -> None:
    """Put everything in one group when there is one unit to resample."""
    resamples = Resamples.draw(400, 0, draws=50, clusters=np.zeros(400))
    assert set(tie_groups(["a", "b"], scores(0.1, 0.9), resamples).values()) == {1}


def test_nonsense_is_refused() -> None:
    """Refuse repeated names and systems without values."""
    resamples = Resamples.draw(400, 0, draws=5)
    with pytest.raises(ValueError, match="distinct names"):
        tie_groups(["a", "a"], scores(0.1, 0.9), resamples)
    with pytest.raises(ValueError, match="no place"):
        tie_groups(["a"], scores(0.1), resamples, defined=np.zeros((400, 1), dtype=np.bool_))


def test_a_border_has_to_hold_under_every_resampling() -> None:
    """A difference that lives in one of four conversations is clear over questions and not over conversations."""
    clusters = np.repeat(np.arange(4), 50)
    values = np.stack([np.where(clusters == 0, 1.0, 0.5), np.full(200, 0.5)], axis=1)
    questions = Resamples.draw(200, seed=1)
    conversations = Resamples.draw(200, seed=1, clusters=clusters)
    assert tie_groups(["a", "b"], values, questions) == {"a": 1, "b": 2}
    assert tie_groups(["a", "b"], values, questions, conversations) == {"a": 1, "b": 1}
