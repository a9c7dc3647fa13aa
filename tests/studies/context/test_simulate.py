"""The rules on models whose effective length is known."""

from __future__ import annotations

import pytest

from memgauge.studies.context.effective import OWN, LengthRule
from memgauge.studies.context.models import Curve
from memgauge.studies.context.simulate import GRID, MODEL, adaptive, penalties, rules, truth


def test_the_truth_is_the_last_length_that_keeps_its_share_of_the_base() -> None:
    """At the true length the model keeps .85 of its base, and at the next one not."""
    known = truth()
    assert known == 16_000
    needed = OWN * MODEL.accuracy(GRID[0])
    assert MODEL.accuracy(known) >= needed > MODEL.accuracy(GRID[GRID.index(known) + 1])


def test_the_bound_overstates_in_two_percent_and_the_published_rule_in_a_third() -> None:
    """Of 1,000 simulations with 200 samples a length, as the issue asks."""
    bound, first, published = rules(200)
    assert [fared.rule for fared in (bound, first, published)] == list(map(str, LengthRule))
    assert bound.over <= 0.02
    assert 0.25 <= published.over <= 0.40
    assert 0.25 <= first.over <= published.over
    assert bound.over + bound.exact + bound.under == pytest.approx(1)
    assert bound.calls == 200 * len(GRID)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_that_is_no_luck_of_a_seed(seed: int) -> None:
    """Other simulations say the same, within their own noise."""
    bound, _, published = rules(200, seed=seed)
    assert bound.over <= 0.025
    assert published.over >= 0.25


def test_more_samples_make_the_bound_exact() -> None:
    """With 500 samples the bound is mostly exact, with 50 it claims too little, and never too much."""
    shares = [rules(n)[0] for n in (50, 200, 500)]
    assert shares[0].exact < shares[1].exact < shares[2].exact
    assert max(fared.over for fared in shares) <= 0.02


def test_adaptive_sampling_keeps_the_promise_for_fewer_calls() -> None:
    """It overstates no more than the full grid may, and saves a good third of the calls."""
    spent = adaptive(200)
    assert spent.over <= 0.02
    assert spent.calls <= 0.67 * 200 * len(GRID)


def test_a_model_that_never_falls_is_never_overstated() -> None:
    """Beyond the grid there is nothing to claim."""
    steady = Curve(effective=10**9)
    assert truth(steady) == GRID[-1]
    assert {fared.over for fared in rules(50, simulations=50, model=steady)} == {0.0}


def test_a_penalty_hides_in_small_buckets() -> None:
    """Of 20 answers a bucket, a true .12 is at or below 0 in one of eight; of 100, in three of a thousand."""
    few, many = penalties(20), penalties(100)
    assert few == pytest.approx((0.10, 0.13), abs=0.01)
    assert many == pytest.approx((0.045, 0.003), abs=0.002)
