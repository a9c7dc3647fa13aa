"""Whether inference holds what it promises: coverage, false verdicts, false borders, rank sets, power.

Everything is tried as a reader meets it: scores through :func:`summarise`, comparisons through
:func:`differences_of` with all default measures, ranks through :func:`rank_sets`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.measures import Rows
from memgauge.records import Denominator
from memgauge.reproduce.judges import judge_coverage
from memgauge.reproduce.simulate import (
    EFFECTS,
    LOCOMO,
    MEASURES,
    SMALL,
    Population,
    found,
    skill_ahead,
    true_means,
)
from memgauge.scoring.compare import differences_of
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.score import SEED, DatasetSampling, MeasureColumn, summarise
from memgauge.stats import Clusters, RankSet, Resamples, rank_sets

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.reproduce.simulate import Floats
    from memgauge.scoring.compare import Difference

REPLICATES: Final = 2000
SYSTEMS: Final = 10
BLOCK: Final = 50
LADDER: Final = (0.0, 0.0, 0.1, 0.1, 0.2, 0.3, 0.4, 0.4, 0.8, 1.2)
"""Skills of ten systems of which some are equal, some near and some far apart."""


@dataclass(frozen=True, slots=True)
class PairTrial:
    """What was seen of two equal systems, over all replicates of a population."""

    coverage: Floats
    """By score and by difference, of every default measure."""
    false_verdicts: float
    """Share of the comparisons with any verdict."""
    detectable: float
    """The difference in the first measure that is printed as detectable, on average."""


@dataclass(frozen=True, slots=True)
class RankTrial:
    """What was seen of ten systems, over all replicates of a population."""

    covered: float
    """Share in which every set holds every rank that its system has."""
    bordered: float
    """Share in which any rank of any system was excluded."""


def inference() -> Mapping[str, float]:
    """Simulate every cell and return the worst of each promise."""
    return measured_inference(REPLICATES) | {"judge_cover_min": judge_coverage()}


def measured_inference(replicates: int) -> dict[str, float]:
    """Return the figures of the section with so many replicates a cell."""
    cells = [Population(sizes, effect) for sizes, effect in product((LOCOMO, SMALL), EFFECTS)]
    streams = iter(np.random.SeedSequence(SEED).spawn(4 * len(cells)))
    pairs, equal, unequal, power = [], [], [], []
    for cell in cells:
        pairs.append(pair_trial(cell, replicates, np.random.default_rng(next(streams))))
        equal.append(rank_trial(cell, replicates, np.random.default_rng(next(streams)), (0.0,) * SYSTEMS))
        unequal.append(rank_trial(cell, replicates, np.random.default_rng(next(streams)), LADDER))
        power.append(power_at(cell, pairs[-1].detectable, replicates, np.random.default_rng(next(streams))))
    return {
        "coverage_low": min(float(trial.coverage.min()) for trial in pairs),
        "coverage_high": max(float(trial.coverage.max()) for trial in pairs),
        "false_verdicts_max": max(trial.false_verdicts for trial in pairs),
        "false_borders_max": max(trial.bordered for trial in equal),
        "rank_cover_min": min(trial.covered for trial in (*equal, *unequal)),
        "power_low": min(power),
        "power_high": max(power),
    }


def pair_trial(population: Population, replicates: int, rng: np.random.Generator) -> PairTrial:
    """Score and compare two equal systems, over and over."""
    sampling, truth = _sampling(population), np.array(true_means(population))
    coverage, verdicts, detectable = np.zeros((2, len(MEASURES))), 0, []
    for values in _blocks(population, rng, replicates, (0.0, 0.0)):
        scores = summarise([_column(column) for column in _flat(values[:, :, 0]).T], sampling)
        ends = np.array([(score.low, score.high) for score in scores], dtype=np.float64)
        coverage[0] += _inside(ends.reshape(-1, len(MEASURES), 2), truth)
        comparisons = [_compared(values[:, replicate], sampling) for replicate in range(values.shape[1])]
        ends = np.array([[(d.low, d.high) for d in differences] for differences in comparisons], dtype=np.float64)
        coverage[1] += _inside(ends, np.zeros(len(MEASURES)))
        verdicts += sum(any(d.verdict.confirmed for d in differences) for differences in comparisons)
        detectable += [differences[0].minimum_detectable or 0.0 for differences in comparisons]
    return PairTrial(coverage / replicates, verdicts / replicates, float(np.mean(detectable)))


def power_at(population: Population, difference: float, replicates: int, rng: np.random.Generator) -> float:
    """Return how often a system that is truly so much better in the first measure gets the verdict."""
    sampling, detections = _sampling(population), 0
    for values in _blocks(population, rng, replicates, (0.0, skill_ahead(population, difference))):
        detections += sum(
            _compared(values[:, replicate], sampling)[0].verdict is Conclusion.BETTER
            for replicate in range(values.shape[1])
        )
    return detections / replicates


def rank_trial(
    population: Population, replicates: int, rng: np.random.Generator, skills: Sequence[float]
) -> RankTrial:
    """Rank systems with these *skills* on the first measure, over and over."""
    clusters, names = Clusters.of(population.labels), [f"system {place}" for place in range(len(skills))]
    true_ranks = {
        name: (1 + sum(rival > skill for rival in skills), sum(rival >= skill for rival in skills))
        for name, skill in zip(names, skills, strict=True)
    }
    n_covered = n_bordered = 0
    for values in _blocks(population, rng, replicates, skills, measures=1):
        for replicate in range(values.shape[1]):
            ranks = rank_sets(names, values[:, replicate, :, 0], clusters)
            n_covered += all(
                ranks[name].low <= low and ranks[name].high >= high for name, (low, high) in true_ranks.items()
            )
            n_bordered += any(rank_set != RankSet(1, len(skills)) for rank_set in ranks.values())
    return RankTrial(n_covered / replicates, n_bordered / replicates)


def _blocks(
    population: Population, rng: np.random.Generator, replicates: int, skills: Sequence[float], measures: int = 5
) -> Iterator[Floats]:
    """Draw replicates in portions that fit a cache; their number does not change what is drawn in a portion."""
    for start in range(0, replicates, BLOCK):
        yield found(population, rng, min(BLOCK, replicates - start), skills, measures)


def _sampling(population: Population) -> DatasetSampling:
    """Sample the population's conversations; one resample of questions, whose interval is not looked at."""
    return DatasetSampling(Resamples.draw(sum(population.sizes), SEED, draws=1), Clusters.of(population.labels))


def _compared(values: Floats, sampling: DatasetSampling) -> list[Difference]:
    """Compare the second of two systems with the first on all measures: (questions, systems, measures)."""
    rows_by_measure = [
        (name, _rows(values[:, 0, place]), _rows(values[:, 1, place])) for place, name in enumerate(MEASURES)
    ]
    return differences_of(rows_by_measure, sampling)[0]


def _column(values: Floats) -> MeasureColumn:
    return MeasureColumn("", _rows(values), Denominator(len(values), len(values), {}))


def _rows(values: Floats) -> Rows:
    return Rows(values, np.ones(len(values), dtype=np.bool_))


def _flat(values: Floats) -> Floats:
    """Put replicates and measures on one axis, measures fastest."""
    return values.reshape(len(values), -1)


def _inside(ends: Floats, truth: Floats) -> Floats:
    """Count by measure how many of (replicates, measures, 2) intervals hold the truth; NaN ends hold nothing."""
    count: Floats = ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).sum(axis=0).astype(np.float64)
    return count
