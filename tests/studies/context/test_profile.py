"""The positional profile: what the middle costs, sample by sample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.context.grid import DEPTHS, GridCell, GridResult
from memgauge.studies.context.profile import ENOUGH, measure, profile


def result(
    number: int, depth: float | None, right: bool | None, length: int = 1_000, task: str = "kv"
) -> GridResult:
    """Make what came of one cell."""
    return GridResult(
        GridCell(task, length, depth, number),
        right,
        float(bool(right)),
        1.0,
        failed="" if right is not None else "x",
    )


def results(n: int, chance: dict[float, float], seed: int = 0) -> list[GridResult]:
    """Answer *n* samples at every depth, as often rightly as *chance* says."""
    rng = np.random.default_rng(seed)
    return [result(i, depth, bool(rng.random() < p)) for i in range(n) for depth, p in chance.items()]


def curve(gap: float) -> dict[float, float]:
    """Give the edges .95 and the middle so much less."""
    return {depth: 0.95 - (gap if 0.3 <= depth <= 0.7 else 0) for depth in DEPTHS}


def test_a_known_penalty_is_found() -> None:
    """With 300 samples, a true .2 lies inside an interval that excludes 0, at the start and at the end."""
    made = profile("kv", 1_000, results(300, curve(0.2)))
    for gap in (made.penalty, made.primacy, made.recency):
        assert gap.low is not None
        assert gap.high is not None
        assert 0 < gap.low < 0.2 < gap.high
    assert made.worst is not None
    assert 0.3 <= made.worst <= 0.7
    assert [point.depth for point in made.points] == list(DEPTHS)


def test_primacy_and_recency_are_apart() -> None:
    """A model that remembers the start alone has primacy and no recency."""
    made = profile("kv", 1_000, [result(n, d, d <= 0.1) for n in range(100) for d in DEPTHS])
    assert (made.primacy.mean, made.recency.mean, made.penalty.mean) == (1.0, 0.0, 0.5)
    assert made.worst == 0.2


def test_pairing_takes_the_samples_own_difficulty_out() -> None:
    """Where every sample is right everywhere or nowhere, the penalty is 0, and nobody saw it vary."""
    made = profile("kv", 1_000, [result(n, d, n % 2 == 0) for n in range(100) for d in DEPTHS])
    assert (made.penalty.mean, made.penalty.low, made.penalty.high) == (0.0, None, None)
    assert made.penalty.reason
    assert made.points[0].score.high != made.points[0].score.low


@pytest.mark.parametrize(("n", "warned"), [(1, True), (ENOUGH - 1, True), (ENOUGH, False), (150, False)])
def test_few_samples_are_never_without_a_warning(n: int, warned: bool) -> None:
    """Fewer than 100 answers at any depth give a penalty with a warning that says how many there were."""
    made = profile("kv", 1_000, results(n, curve(0.1)))
    assert made.penalty.mean is not None
    assert bool(made.warning) == warned
    assert (f"only {n} answers" in made.warning) == warned


def test_failed_calls_count_against_the_samples() -> None:
    """One depth with too few answers is enough for the warning; failed calls are nowhere counted as wrong."""
    rows = [result(n, d, None if d == 0.5 and n < 5 else True) for n in range(102) for d in DEPTHS]
    made = profile("kv", 1_000, rows)
    assert made.least == 97
    assert "only 97 answers" in made.warning
    assert made.points[5].failed == 5
    assert (made.points[5].score.mean, made.penalty.n) == (1.0, 97)


def test_without_both_sides_there_is_no_penalty() -> None:
    """Where no depth is in the middle, or none at an edge, the penalty is undefined, with the reason."""
    made = profile("kv", 1_000, [result(n, d, right=True) for n in range(5) for d in (0.0, 1.0)])
    assert (made.penalty.mean, made.penalty.n) == (None, 0)
    assert "no depth" in made.penalty.reason
    middle = profile("kv", 1_000, [result(n, 0.5, right=True) for n in range(5)])
    assert middle.recency.mean is None


def test_no_answer_at_all_has_no_worst_depth() -> None:
    """Where every call failed, there is nothing to say."""
    made = profile("kv", 1_000, [result(n, d, None) for n in range(3) for d in (0.0, 0.5, 1.0)])
    assert (made.worst, made.least, made.penalty.mean) == (None, 0, None)
    assert made.points[0].f1 is None


@given(st.integers(0, 2**32 - 1))
def test_the_penalty_lies_between_primacy_and_recency(seed: int) -> None:
    """Both edges together cannot cost more than the dearer of them, nor less than the cheaper."""
    made = profile("kv", 1_000, results(10, curve(0.3), seed))
    low, high = sorted((made.primacy.mean or 0.0, made.recency.mean or 0.0))
    assert low - 1e-9 <= (made.penalty.mean or 0.0) <= high + 1e-9


def test_a_grid_is_measured_task_by_task() -> None:
    """Counts hold one answer a sample, its depth by turns; everything else is said of all answers."""
    rows = [
        result(n, d, d < 0.4, length, task)
        for task in ("kv", "set")
        for length in (1_000, 2_000)
        for d in (0.0, 0.5, 1.0)
        for n in range(6)
    ]
    first, second = measure(rows)
    assert (first.task, first.type, second.task, second.type) == ("kv", "recall", "set", "aggregation")
    assert [(count.length, count.right, count.n) for count in first.counts] == [(1_000, 2, 6), (2_000, 2, 6)]
    assert [made.length for made in first.profiles] == [1_000, 2_000]
    assert first.f1 == pytest.approx((1 / 3, 1 / 3))
    assert (first.published, first.failed, first.dumped) == ((1.0, 1.0), 0, 0)


def test_at_their_own_places_there_is_no_profile() -> None:
    """Without depths that were asked for, accuracy by length is all there is."""
    (made,) = measure([result(n, None, right=True) for n in range(4)])
    assert (made.profiles, made.counts[0].n) == ((), 4)
