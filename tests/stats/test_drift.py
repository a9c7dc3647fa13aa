"""Control charts and trends, beside what other people's code and a simulation say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats.drift import Trend, cusum, ewma, mann_kendall
from support import Later

if TYPE_CHECKING:
    from numpy.typing import NDArray

scipy = Later("scipy.stats")
RUNS, BASELINE, DRIFT = 40, 20, 0.002


def test_ewma_follows_its_recurrence_and_its_limits_settle() -> None:
    """By hand for three values; far along the limits are those of the textbook."""
    chart = ewma([1.0, 0.0, 1.0], 1.0, 0.1)
    assert chart.values == pytest.approx((1.0, 0.8, 0.84))
    assert chart.low[0] == pytest.approx(1 - 4 * 0.1 * 0.2)
    late = ewma([1.0] * 200, 1.0, 0.1)
    assert late.low[-1] == pytest.approx(1 - 4 * 0.1 * (0.2 / 1.8) ** 0.5)
    assert late.fell is None
    assert all(value <= high for value, high in zip(late.values, late.high, strict=True))


def test_a_chart_names_where_a_series_left_its_limits() -> None:
    """The first place outside, on the side where it happened; a flat baseline lets nothing pass."""
    assert ewma([0.9, 0.9, 0.5, 0.9], 0.9, 0.02).fell == 2
    risen = ewma([0.9, 0.99, 0.99], 0.9, 0.01)
    assert [value > high for value, high in zip(risen.values, risen.high, strict=True)].index(True) == 1
    assert ewma([1.0, 0.99], 1.0, 0.0).fell == 1
    assert cusum([0.9, 0.8, 0.8], 0.9, 0.01).fell == 2
    assert cusum([0.9, 1.0, 1.0], 0.9, 0.01).fell is None
    assert cusum([0.9, 0.1], 0.9, 0.0).values == (0.0, 0.0)
    assert ewma([0.9, 0.1], 0.9, 0.1, weight=1).values == (0.9, 0.1)
    for weight in (0, 1.1):
        with pytest.raises(ValueError, match="weight"):
            ewma([1.0], 1.0, 0.1, weight=weight)


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40).filter(lambda column: len(set(column)) > 1))
def test_mann_kendall_is_kendalls_tau_against_time(column: list[int]) -> None:
    """S and its variance, ties included, are those of scipy; only the continuity correction is ours."""
    found = mann_kendall(column)
    upper = np.triu_indices(len(column), 1)
    values = np.asarray(column)
    assert found.s == np.sign(values[upper[1]] - values[upper[0]]).sum()
    theirs = scipy.kendalltau(range(len(column)), column, method="asymptotic")
    assert np.sign(found.s) == np.sign(round(float(theirs.statistic), 12))
    assert found.p is not None
    if abs(found.s) > 1:
        deviation = abs(found.s) / scipy.norm.isf(float(theirs.pvalue) / 2)
        assert found.p == pytest.approx(2 * scipy.norm.sf((abs(found.s) - 1) / deviation), rel=1e-6)
    else:
        assert found.p == 1


def test_a_trend_has_a_slope_or_a_reason() -> None:
    """Sen's slope is the median of all slopes; too few or equal values are no trend."""
    assert mann_kendall([0.9, 0.8, 0.7, 0.6]).slope == pytest.approx(-0.1)
    assert mann_kendall([1.0, 0.9, 0.8]) == Trend(0, None, None, 3, "fewer than four values")
    assert mann_kendall(np.array([3, 2, 1, 0], dtype=np.uint8)) == mann_kendall([3, 2, 1, 0])
    assert mann_kendall([1.0] * 9).reason == "all values are equal"


def simulated(n: int, repeats: int, drift: float, seed: int, runs: int = 80) -> NDArray[np.bool_]:
    """Return passes by repeat, run and case: 90 % of cases pass, 2 % flip each time, and some are lost."""
    dice = np.random.default_rng(seed)
    able = dice.random((repeats, 1, n)) < 0.9
    lost = dice.exponential(1 / (drift / 0.9), (repeats, 1, n)) if drift else np.full((repeats, 1, n), np.inf)
    now = np.arange(-BASELINE, runs).reshape(1, -1, 1)
    passes: NDArray[np.bool_] = (able & (now < lost)) ^ (dice.random((repeats, BASELINE + runs, n)) < 0.02)
    return passes


def alarms(passes: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
    """Return, for every repeat, the first run (from 1) at which each detector speaks, or infinity."""
    rates = passes.mean(axis=2)
    found: dict[str, list[float]] = {"point": [], "ewma3": [], "ewma4": [], "cusum": [], "trend": [], "lost4": []}
    for rate, cases in zip(rates, passes, strict=True):
        centre, sigma = rate[:BASELINE].mean(), rate[:BASELINE].std(ddof=1)
        after = rate[BASELINE:].tolist()
        first = {
            "point": next((i for i, value in enumerate(after) if value < centre - 0.05), None),
            "ewma3": ewma(after, centre, sigma, width=3).fell,
            "ewma4": ewma(after, centre, sigma).fell,
            "cusum": cusum(after, centre, sigma).fell,
            "trend": next((i for i in range(len(after)) if _falls(rate[i + 1 : i + 1 + BASELINE])), None),
            "lost4": _lost(cases),
        }
        for name, at in first.items():
            found[name].append(np.inf if at is None else at + 1)
    return {name: np.asarray(column) for name, column in found.items()}


def _falls(window: NDArray[np.float64]) -> bool:
    trend = mann_kendall(window)
    return trend.s < 0 and trend.p is not None and trend.p < 0.001


def _lost(cases: NDArray[np.bool_]) -> int | None:
    """Say when a case that passed at least 18 of 20 times was first lost four times in a row."""
    for at in range(BASELINE, len(cases)):
        if at - 3 >= BASELINE and not cases[at - 3 : at + 1].any(axis=0).all():
            stable = cases[at - 3 - BASELINE : at - 3].mean(axis=0) >= 0.9
            if (stable & ~cases[at - 3 : at + 1].any(axis=0)).any():
                return at - BASELINE
    return None


@pytest.mark.slow
def test_the_detectors_do_what_the_reference_measured() -> None:
    """With 200 cases: false alarms in 40 stable runs, and median runs to see 0.2 points a run (golden.md 1.7)."""
    stable = {name: (at <= RUNS).mean() for name, at in alarms(simulated(200, 1000, 0, 1, RUNS)).items()}
    delay = {name: float(np.median(at)) for name, at in alarms(simulated(200, 500, DRIFT, 2)).items()}
    assert stable["ewma4"] <= 0.08  # the reference has .015, by noise that it does not describe
    assert stable["ewma3"] > 2 * stable["ewma4"]
    assert stable["cusum"] <= 0.05
    assert stable["trend"] <= 0.02
    assert stable["lost4"] <= 0.01
    assert stable["point"] <= 0.01
    assert delay["lost4"] == pytest.approx(5, abs=2)
    assert delay["ewma4"] == pytest.approx(12, abs=3)
    assert delay["cusum"] == pytest.approx(12, abs=3)
    assert delay["trend"] == pytest.approx(14, abs=4)
    assert delay["point"] == pytest.approx(19, abs=4)
