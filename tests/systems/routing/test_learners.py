"""Bandits that learn which arm is best where."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.systems.routing.learners import LEARNERS, Ucb

RULES = pytest.mark.parametrize("rule", sorted(LEARNERS))


@RULES
def test_the_better_arm_is_pulled_more(rule: str) -> None:
    """After a while the arm that pays more often is chosen most, in each context by itself."""
    learner = LEARNERS[rule](3, 0)
    world = np.random.default_rng(1)
    pay = {"a": (0.1, 0.9, 0.1), "b": (0.1, 0.1, 0.9)}
    for round_ in range(600):
        context = "ab"[round_ % 2]
        arm = learner.choose(context)
        learner.learn(context, arm, float(world.random() < pay[context][arm]))
    assert [int(learner.pulls[context].argmax()) for context in "ab"] == [1, 2]
    assert all(learner.pulls[context].max() > 150 for context in "ab")


@RULES
@given(seed=st.integers(0, 2**32 - 1))
def test_the_same_seed_chooses_alike(rule: str, seed: int) -> None:
    """Choices depend on seed and rewards alone."""
    first, second = (LEARNERS[rule](4, seed) for _ in range(2))
    for reward in (1.0, 0.0, 1.0, 1.0, 0.0, 0.0):
        a, b = first.choose("x"), second.choose("x")
        assert a == b
        first.learn("x", a, reward)
        second.learn("x", b, reward)


def test_ucb_tries_every_arm_first() -> None:
    """An arm that was never pulled has the highest bound."""
    learner = Ucb(4, 7)
    tried = []
    for _ in range(4):
        tried.append(learner.choose("x"))
        learner.learn("x", tried[-1], 1.0)
    assert sorted(tried) == [0, 1, 2, 3]


def test_ucb_bounds_follow_the_formula() -> None:
    """Mean + sqrt(2 ln n / n_arm), computed by hand."""
    bounds = Ucb(2, 0).index(np.array([3.0, 1.0]), np.array([1.0, 1.0]))
    assert bounds == pytest.approx([1 / 3 + np.sqrt(2 * np.log(4) / 3), 1 + np.sqrt(2 * np.log(4))])
