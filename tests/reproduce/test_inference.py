"""The inference section: its promises at few replicates here, in full in the slow test."""

from __future__ import annotations

import numpy as np
import pytest

from memgauge.reproduce import Status, inference, reproduce
from memgauge.reproduce.inference import LADDER, PairTrial, RankTrial, pair_trial, power_at, rank_trial
from memgauge.reproduce.simulate import SMALL, Population

REPLICATES = 400
NOISE = 0.033
"""Three standard errors of a coverage of 95 % over so many replicates."""


@pytest.mark.parametrize(
    "population",
    [
        pytest.param(Population(SMALL, 1.0), id="eight", marks=pytest.mark.slow),
        pytest.param(Population(SMALL, 3.8), id="eight that differ"),
        pytest.param(Population((140, *(16,) * 8), 2.6), id="half in one", marks=pytest.mark.slow),
        pytest.param(Population((40,) * 3, 2.6), id="three", marks=pytest.mark.slow),
        pytest.param(Population((40,) * 5, 2.6), id="five", marks=pytest.mark.slow),
        pytest.param(Population((40,) * 30, 2.6), id="thirty", marks=pytest.mark.slow),
    ],
)
def test_equal_systems_are_covered_and_get_no_verdict(population: Population) -> None:
    """Hold the true means of scores and differences, and tell equal systems apart as rarely as promised."""
    trial = pair_trial(population, REPLICATES, np.random.default_rng(3))
    assert trial.coverage.min() >= 0.95 - NOISE
    assert trial.false_verdicts <= 0.05 + NOISE
    assert trial.coverage.mean() <= 0.95 + NOISE


@pytest.mark.parametrize(
    "skills", [pytest.param((0.0,) * 6, id="equal", marks=pytest.mark.slow), pytest.param(LADDER, id="ladder")]
)
def test_rank_sets_hold_every_true_rank(skills: tuple[float, ...]) -> None:
    """Cover all true ranks at once, whether systems are equal or not, and exclude some where they are not."""
    trial = rank_trial(Population(SMALL, 1.7), REPLICATES, np.random.default_rng(4), skills)
    assert trial.covered >= 0.95 - NOISE
    assert trial.bordered > 0.9 or set(skills) == {0.0}


def test_the_printed_difference_is_found_as_often_as_said() -> None:
    """Find a true difference of the printed size in about 80 of 100 comparisons."""
    population = Population(SMALL, 2.6)
    printed = pair_trial(population, 100, np.random.default_rng(5)).detectable
    assert power_at(population, printed, REPLICATES, np.random.default_rng(6)) == pytest.approx(0.82, abs=0.08)


def test_the_same_seed_gives_the_same_figures() -> None:
    """Repeat a trial to the last digit."""
    first, second = (rank_trial(Population(SMALL, 1.0), 20, np.random.default_rng(1), LADDER) for _ in range(2))
    assert first == second


def test_figures_are_the_worst_of_all_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over every population; power is measured at the difference that was printed for the same one."""
    tried: list[Population] = []

    def paired(population: Population, *_: object) -> PairTrial:
        tried.append(population)
        off = len(tried) / 100
        return PairTrial(np.array([[0.9 + off, 0.99 - off]]), off, detectable=off)

    def ranked(population: Population, _: int, __: object, skills: tuple[float, ...]) -> RankTrial:
        assert len(skills) == len(LADDER)
        off = len(tried) / 100
        return RankTrial(0.97 - off, 0.0) if skills == LADDER else RankTrial(0.99, off)

    monkeypatch.setattr(inference, "pair_trial", paired)
    monkeypatch.setattr(inference, "rank_trial", ranked)
    monkeypatch.setattr(inference, "power_at", lambda _, difference, *__: difference)
    figures = inference.measured_inference(1)
    worst = len(tried) / 100
    assert len(set(tried)) == len(tried) > 5
    assert figures == {
        "coverage_low": pytest.approx(min(0.91, 0.99 - worst)),
        "coverage_high": pytest.approx(max(0.98, 0.9 + worst)),
        "false_verdicts_max": worst,
        "false_borders_max": worst,
        "rank_cover_min": pytest.approx(0.97 - worst),
        "power_low": 0.01,
        "power_high": worst,
    }


@pytest.mark.slow
def test_every_promise_holds_in_every_cell() -> None:
    """Keep all bands of the section, at 2,000 replicates a cell."""
    rows = reproduce(["inference"])
    assert {row.status for row in rows} == {Status.OK}, rows
