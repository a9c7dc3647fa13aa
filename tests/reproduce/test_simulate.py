"""Simulated conversations: design effects come out as asked, and the measures are those of the project."""

from __future__ import annotations

import numpy as np
import pytest

from memgauge.measures import Anchors, Descent, Trace, judge, parse
from memgauge.records import Credit
from memgauge.reproduce.simulate import (
    EFFECTS,
    LOCOMO,
    MEASURES,
    SMALL,
    Population,
    _measured,
    found,
    skill_ahead,
    true_means,
)


@pytest.mark.slow
@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("sizes", [LOCOMO, SMALL])
def test_design_effects_come_out_as_asked(sizes: tuple[int, ...], effect: float) -> None:
    """Let means of differences vary as much more than those of as many independent questions as was asked."""
    population = Population(sizes, effect)
    values = found(population, np.random.default_rng(5), 700, (0.0, 0.0), measures=1)[..., 0]
    change = values[:, :, 1] - values[:, :, 0]
    assert change.mean(axis=0).var() / (change.var() / len(change)) == pytest.approx(effect, rel=0.15)


def test_values_are_what_the_measures_say() -> None:
    """Give nDCG, recall, hit, completeness and reciprocal rank as the project's own formulas do."""
    rng = np.random.default_rng(1)
    first, second = rng.integers(1, 61, 200), rng.integers(1, 61, 200)
    second += first == second
    two = rng.random(200) < 0.5
    ours = _measured(first, np.where(two, np.minimum(second, 61), 61), two, 5)
    for place in range(200):
        ranking = np.arange(61, dtype=np.int32) % 7 + 3
        ranking[first[place] - 1] = 0
        if two[place]:
            ranking[second[place] - 1] = 1
        assert ours[place] == pytest.approx(by_formula(ranking, 2 if two[place] else 1))


def by_formula(ranking: np.ndarray, anchors: int) -> list[float]:
    """Judge one ranking of turns, of which the first *anchors* are evidence."""
    hits = len(ranking)
    trace = Trace(np.zeros(hits, dtype=np.int32), ranking, 1)
    descent = Descent(np.arange(11, dtype=np.int64), np.arange(10, dtype=np.int32))
    evidence = Anchors(np.zeros(anchors, dtype=np.int32), np.arange(anchors, dtype=np.int32))
    judged = judge(trace, descent, evidence, k=60, credit=Credit.ANCHOR)
    return [float(parse(name).rows(judged).values[0]) for name in MEASURES]


def test_true_means_are_those_of_many_conversations() -> None:
    """Agree with the mean over many replicates, and grow with skill by as much as was asked."""
    population = Population(SMALL, 2.6)
    drawn = found(population, np.random.default_rng(2), 800, (0.0,))[:, :, 0].mean(axis=(0, 1))
    assert drawn == pytest.approx(true_means(population), abs=0.01)
    ahead = skill_ahead(population, 0.05)
    assert true_means(population, ahead)[0] - true_means(population)[0] == pytest.approx(0.05, abs=0.003)
