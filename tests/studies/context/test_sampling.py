"""Adaptive sampling asks where the bound is undecided, decides as a full grid does, and says what it saved."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.context.effective import LEAST_BASE, OWN, Count, LengthRule, crossing
from memgauge.studies.context.sampling import BATCH, Planner

GRID = (1_000, 2_000, 4_000, 8_000)


def play(planner: Planner, chances: dict[int, list[bool]]) -> Planner:
    """Answer every step as the lists say."""
    while (step := planner.next()) is not None:
        answers = chances[step.length][step.start : step.stop]
        assert step.stop > step.start
        planner.add(step.length, sum(answers), len(answers))
    return planner


def spread(right: int) -> list[bool]:
    """Spread so many right answers evenly over a hundred."""
    return [(place * right) // 100 != ((place + 1) * right) // 100 for place in range(100)]


answers = st.lists(st.integers(0, 100).map(spread), min_size=4, max_size=4)


@given(answers)
def test_it_asks_at_most_the_grid_and_no_more_after_a_failure(found: list[list[bool]]) -> None:
    """What is asked and what is saved make the grid, and no length is asked before the one below it passes."""
    planner = play(Planner(GRID, 100), dict(zip(GRID, found, strict=True)))
    assert planner.spent + planner.saved == 400
    asked = [count.length for count in planner.counts()]
    assert asked == list(GRID[: len(asked)])
    assert planner.counts()[0].n == 100


@given(st.integers(60, 100), st.integers(0, 100), st.integers(0, 100), st.integers(0, 100))
def test_a_length_that_was_asked_in_full_is_judged_as_in_a_full_grid(a: int, b: int, c: int, d: int) -> None:
    """Where nothing ends early, the length is that of the lower-bound rule over the whole grid."""
    answered = {length: spread(right) for length, right in zip(GRID, (a, b, c, d), strict=True)}
    planner = play(Planner(GRID, 100, batch=100), answered)
    whole = [Count(length, sum(answered[length]), 100) for length in GRID]
    assert planner.bound() == crossing(whole, OWN * whole[0].rate, LengthRule.BOUND)


def test_clear_lengths_cost_little() -> None:
    """Where everything is right, or wrong, few batches decide; what follows a failure is free."""
    planner = play(
        Planner(GRID, 200),
        {1_000: [True] * 200, 2_000: [True] * 200, 4_000: [False] * 200, 8_000: [True] * 200},
    )
    assert [count.n for count in planner.counts()] == [200, 3 * BATCH, BATCH]
    assert (str(planner.bound()), planner.spent, planner.saved) == ("2,000", 300, 500)


def test_an_undecided_length_is_asked_in_full() -> None:
    """Near the threshold, every sample is asked."""
    near = [number % 7 != 0 for number in range(200)]
    planner = play(Planner(GRID[:2], 200), {1_000: [True] * 200, 2_000: near})
    assert [count.n for count in planner.counts()] == [200, 200]
    assert str(planner.bound()) == "1,000"


def test_a_base_that_measures_nothing_ends_it() -> None:
    """Below the least base, not one call is made beyond it."""
    planner = play(Planner(GRID, 100), {1_000: [True] * 59 + [False] * 41, 2_000: [True] * 100})
    assert [count.length for count in planner.counts()] == [1_000]
    assert planner.saved == 300
    assert planner.counts()[0].rate < LEAST_BASE


def test_everything_passes() -> None:
    """Where all lengths pass, the longest is a lower limit."""
    planner = play(Planner(GRID, 100), {length: [True] * 100 for length in GRID})
    assert str(planner.bound()) == "≥8,000"
    assert planner.threshold == OWN


def test_failed_calls_are_asked_once_and_judge_nothing() -> None:
    """A call without an answer counts as asked, not as wrong."""
    planner = Planner(GRID[:2], 50)
    planner.add(1_000, 40, 40, failed=10)
    step = planner.next()
    assert step is not None
    assert (step.length, step.start, step.stop) == (2_000, 0, 25)
    planner.add(2_000, 0, 0, failed=50)
    assert planner.next() is None
    assert (str(planner.bound()), planner.spent) == ("1,000", 100)
