"""Resamples: equality with scipy's, exactness, masks, clusters."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.stats import Interval, Resamples
from support import Later
from support.peaks import measured

scipy = Later("scipy")
VALUES = np.random.default_rng(5).random(40)


def test_interval_equals_scipy() -> None:
    """Give scipy's percentile interval for the same indices."""
    oracle = scipy.stats.bootstrap(
        (VALUES,), np.mean, n_resamples=500, method="percentile", rng=np.random.default_rng(7)
    ).confidence_interval
    ours = Resamples.draw(40, 7, draws=500).interval(VALUES)
    assert (ours.low, ours.high) == pytest.approx((oracle.low, oracle.high), abs=1e-10)
    assert ours.mean == pytest.approx(VALUES.mean())
    assert ours.n == 40


def test_level_widens() -> None:
    """Widen the interval with its level."""
    resamples = Resamples.draw(40, 1, draws=400)
    narrow, wide = resamples.interval(VALUES, 0.5), resamples.interval(VALUES, 0.99)
    assert None not in {narrow.low, narrow.high, wide.low, wide.high}
    assert wide.low < narrow.low < narrow.high < wide.high  # type: ignore[operator]


def test_clusters_move_together() -> None:
    """Resample whole conversations: their sums over their sizes, drawn from the same indices."""
    labels = ["b", "a", "b", "c", "c", "c"]
    values = np.array([1.0, 0.0, 0.5, 0.25, 1.0, 0.0])
    means = Resamples.draw(6, 3, draws=50, clusters=labels).means(values[:, None])[:, 0]
    picks = np.random.default_rng(3).integers(0, 3, (50, 3))
    members = {0: [1], 1: [0, 2], 2: [3, 4, 5]}
    expected = [np.concatenate([values[members[int(c)]] for c in row]).mean() for row in picks]
    assert means == pytest.approx(expected)


def test_undefined_rows_lose_their_weight() -> None:
    """Average each resample over its defined rows only."""
    defined = np.arange(40) % 3 > 0
    noisy = np.where(defined, VALUES, 99.0)
    means = Resamples.draw(40, 2, draws=30).means(noisy[:, None], defined[:, None])[:, 0]
    picks = np.random.default_rng(2).integers(0, 40, (30, 40))
    assert means == pytest.approx([VALUES[row[defined[row]]].mean() for row in picks])


def test_resamples_without_a_defined_row_are_left_out() -> None:
    """Skip, and do not read as 0, resamples that drew no defined row."""
    defined = np.array([True, False, False])
    found = Resamples.draw(3, 0, draws=200).interval([0.5, 0.0, 0.0], defined=defined)
    assert found == Interval(0.5, 0.5, 0.5, 1)


def test_nothing_defined_is_undefined() -> None:
    """Give a reason instead of a number when no row is defined."""
    found = Resamples.draw(3, 0, draws=10).interval(np.ones(3), defined=np.zeros(3, dtype=np.bool_))
    assert found == Interval(None, None, None, 0, "no defined value")
    beside = Resamples.draw(3, 0, draws=10).intervals(np.ones((3, 2)), defined=np.array([[False, True]] * 3))
    assert beside == (found, Interval(1.0, 1.0, 1.0, 3))


def test_one_cluster_has_no_interval() -> None:
    """Give the mean but no interval when there is one unit to draw from."""
    found = Resamples.draw(3, 0, draws=10, clusters=[1, 1, 1]).interval([0.0, 0.5, 1.0])
    assert (found.mean, found.low, found.high) == (0.5, None, None)
    assert "one unit" in found.reason


def test_difference_is_paired() -> None:
    """Resample differences, so that a constant advantage has no width, and any other that of its differences."""
    resamples = Resamples.draw(40, 0, draws=100)
    found = resamples.difference(VALUES + 0.25, VALUES)
    assert (found.mean, found.low, found.high) == pytest.approx((0.25, 0.25, 0.25))
    assert resamples.difference(VALUES, VALUES[::-1]) == resamples.interval(VALUES - VALUES[::-1])


@given(st.integers(0, 1000), st.integers(1, 6), st.booleans())
@settings(max_examples=30)
def test_columns_do_not_know_each_other(seed: int, columns: int, clustered: bool) -> None:
    """Give a column the same bytes alone and among others, and the same seed the same bytes."""
    rng = np.random.default_rng(seed)
    values, defined = rng.normal(size=(30, columns)), rng.random((30, columns)) < 0.8
    clusters = np.arange(30) // 6 if clustered else None
    together = Resamples.draw(30, seed, draws=64, clusters=clusters).means(values, defined)
    again = Resamples.draw(30, seed, draws=64, clusters=clusters)
    for column in range(columns):
        alone = again.means(values[:, [column]], defined[:, [column]])
        assert alone[:, 0].tobytes() == np.ascontiguousarray(together[:, column]).tobytes()


def test_threads_do_not_show() -> None:
    """Give the same bytes with one and with several linear-algebra threads."""
    program = (
        "import numpy as np, hashlib; from memgauge.stats import Resamples;"
        "v = np.random.default_rng(0).normal(size=(700, 33));"
        "print(hashlib.sha256(Resamples.draw(700, 1, draws=600).means(v).tobytes()).hexdigest())"
    )
    env = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(sys.path)}
    prints = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=env | {"OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "4")
    }
    assert len(prints) == 1


@pytest.mark.parametrize(
    ("n", "draws", "clusters", "message"),
    [(0, 10, None, "0 rows"), (3, 0, None, "0 resamples"), (3, 5, [1, 2], "2 cluster labels for 3 rows")],
)
def test_impossible_draws_are_refused(n: int, draws: int, clusters: list[int] | None, message: str) -> None:
    """Refuse to draw from nothing, nothing, or with labels that do not fit."""
    with pytest.raises(ValueError, match=message):
        Resamples.draw(n, 0, draws, clusters)


def test_values_must_fit() -> None:
    """Refuse values of another number of rows."""
    with pytest.raises(ValueError, match="resamples of 3 rows"):
        Resamples.draw(3, 0, draws=5).interval([1.0, 2.0])


@given(st.integers(0, 1000), st.integers(1, 90), st.booleans(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
@settings(max_examples=40)
def test_ends_are_the_quantiles_of_numpy(seed: int, draws: int, clustered: bool, level: float) -> None:
    """Give, byte for byte, what ``np.quantile`` makes of the means, without those that are undefined."""
    rng = np.random.default_rng(seed)
    values, defined = rng.normal(size=(12, 5)), rng.random((12, 5)) < 0.4
    resamples = Resamples.draw(12, seed, draws, np.arange(12) // 3 if clustered else None)
    means, ends = resamples.means(values, defined), resamples.ends(values, level, defined)
    tail = (1.0 - level) / 2.0
    for column in range(5):
        known = means[:, column][~np.isnan(means[:, column])]
        if len(known):
            assert ends[column].tobytes() == np.quantile(known, (tail, 1.0 - tail)).tobytes()
        else:
            assert np.isnan(ends[column]).all()


def test_a_full_mask_changes_nothing() -> None:
    """Give the same bytes whether all rows are said to be defined or nothing is said."""
    values = np.random.default_rng(0).normal(size=(40, 3))
    for clusters in (None, np.arange(40) // 5):
        resamples = Resamples.draw(40, 1, 60, clusters)
        beside = np.column_stack([values, values[:, 0]])
        mask = np.ones(beside.shape, dtype=np.bool_)
        mask[0, 3] = False
        assert resamples.means(values).tobytes() == resamples.means(beside, mask)[:, :3].tobytes()


def test_portions_do_not_show() -> None:
    """Draw the same indices in portions as at once, also where one resample fills a portion."""
    for n, draws in ((3, 100_000), (70_000, 4)):
        index = np.random.default_rng(9).integers(0, n, (draws, n))
        wanted = np.stack([np.bincount(row, minlength=n) for row in index[:: max(draws // 50, 1)]])
        assert (Resamples.draw(n, 9, draws).counts[:: max(draws // 50, 1)] == wanted).all()


@pytest.mark.parametrize("columns", [1, 12])
@pytest.mark.parametrize("clusters", [None, np.arange(40) // 3])
def test_counts_that_are_not_held_are_drawn_again(columns: int, clusters: Any) -> None:
    """The same means to the last bit, however few bytes may be held, each time they are asked for."""
    values = np.random.default_rng(3).random((40, columns))
    held = Resamples.draw(40, 5, draws=70, clusters=clusters)
    for room in (0, 70 * 40, 70 * 40 * 8):
        drawn = replace(held, held=room)
        assert drawn.means(values).tobytes() == held.means(values).tobytes() == drawn.means(values).tobytes()
    assert "counts" not in vars(replace(held, held=0))


@pytest.mark.slow
def test_a_million_questions_have_intervals_without_a_table_of_counts() -> None:
    """Memory is that of a few columns, not of draws times questions, which would be 12 GB."""
    script = """
        import numpy as np
        from memgauge.stats import Resamples
        values = np.random.default_rng(1).random((1_000_000, 2))
        low, high = Resamples.draw(1_000_000, 7, draws=300).ends(values)[0]
        print(int(low < values[:, 0].mean() < high))
    """
    intervals, peak = measured(textwrap.dedent(script))
    assert intervals == [1]
    assert peak < 500 * 1024
