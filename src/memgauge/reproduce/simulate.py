"""Simulated questions whose conversations differ: what inference is tried on before anyone believes it.

A system finds each evidence turn at a rank, drawn from a latent normal: the system's skill, what it gains or loses
in this conversation, how hard the question is, and chance. The default measures follow from the ranks, so they are
as discrete, as skewed and as correlated with each other as real ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LOCOMO: Final = (196, 105, 193, 260, 242, 158, 190, 239, 193, 201)
"""Questions with evidence in each conversation of LoCoMo."""
SMALL: Final = (35, 35, 35, 35, 34, 36, 34, 35)
"""The same of synthetic:small."""
EFFECTS: Final = (1.0, 1.7, 2.6, 3.8)
"""Design effects of differences: of eight lexical systems on LoCoMo the median is 1.36, the largest 4.9."""
MEASURES: Final = ("nDCG@10", "Recall@10", "Hit@5", "Complete@10", "MRR@60")

_HARDNESS: Final = 0.6
_CHANCE: Final = 0.8
_TWO_TURNS: Final = 0.35
"""Share of the questions that have two evidence turns."""
_LAST: Final = 61
"""The rank that stands for all that no measure looks at."""
_PLACES = np.arange(_LAST + 1, dtype=np.float64)
_GAIN = np.where((_PLACES >= 1) & (_PLACES <= 10), 1.0 / np.log2(1.0 + np.maximum(_PLACES, 1.0)), 0.0)
_RECIPROCAL = np.where((_PLACES >= 1) & (_PLACES <= 60), 1.0 / np.maximum(_PLACES, 1.0), 0.0)
"""What a rank earns in nDCG@10 and in MRR@60."""
_CALIBRATION: Final = 100_000
_ROUNDS: Final = 14


@dataclass(frozen=True, slots=True)
class Population:
    """Conversations of these sizes, in which differences between equal systems have this design effect."""

    sizes: tuple[int, ...]
    effect: float = 1.0

    @property
    def labels(self) -> NDArray[np.int64]:
        """Return the conversation of each question."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def spread(self) -> float:
        """Return the standard deviation of what a system gains in a conversation, that makes the design effect.

        effect = 1 + (m - 1) · intra-class correlation of differences in nDCG, with m = Σ n_c² / Σ n_c.
        """
        sizes = np.array(self.sizes, dtype=np.float64)
        return _spread(round((self.effect - 1.0) / (float(sizes @ sizes / sizes.sum()) - 1.0), 9))


def found(
    population: Population, rng: np.random.Generator, replicates: int, skills: Sequence[float], measures: int = 5
) -> Floats:
    """Draw the values of systems with these *skills*: (questions, replicates, systems, first *measures*)."""
    labels = population.labels
    return _values(labels, len(population.sizes), population.spread, rng, replicates, skills, measures)


@lru_cache(maxsize=64)
def true_means(population: Population, skill: float = 0.0) -> tuple[float, ...]:
    """Return the mean of every measure over all conversations that could be; to about 0.0004."""
    single = np.arange(1)
    rng = np.random.default_rng(7)
    draws = [_values(single, 1, population.spread, rng, _CALIBRATION, (skill,), 5) for _ in range(10)]
    return tuple(np.mean([values[0, :, 0].mean(axis=0) for values in draws], axis=0).tolist())


def skill_ahead(population: Population, difference: float) -> float:
    """Return the skill whose nDCG is so much better than that of skill 0."""
    from scipy.optimize import brentq

    spread = population.spread

    def level(skill: float) -> float:
        rng = np.random.default_rng(3)  # the same luck for every skill, so that only skill makes a difference
        return float(_values(np.arange(1), 1, spread, rng, 2 * _CALIBRATION, (skill,), 1).mean())

    target = level(0.0) + difference
    return float(brentq(lambda skill: level(skill) - target, 0.0, 4.0, xtol=1e-3))


@lru_cache(maxsize=64)
def _spread(correlation: float) -> float:
    """Return the spread that gives differences of two equal systems this intra-class correlation, by halving.

    What a system scores on average in conversations where it gains so much, over a normal gain (Gauss and
    Hermite's nodes), varies by half of what differences vary between conversations.
    """
    if correlation <= 0:
        return 0.0
    nodes, weights = np.polynomial.hermite_e.hermegauss(9)
    weights = weights / weights.sum()
    low, high = 0.0, 1.5
    for _ in range(_ROUNDS):
        middle = (low + high) / 2.0
        rng, single = np.random.default_rng(1), np.arange(1)
        levels = _values(single, 1, 0.0, rng, _CALIBRATION, nodes * middle, 1)[0, :, :, 0].mean(axis=0)
        pair = _values(single, 1, middle, rng, _CALIBRATION, (0.0, 0.0), 1)[0, :, :, 0]
        between = 2.0 * float(weights @ (levels - weights @ levels) ** 2)
        simulated = between / float((pair[:, 1] - pair[:, 0]).var())
        low, high = (middle, high) if simulated < correlation else (low, middle)
    return (low + high) / 2.0


def _values(
    labels: NDArray[np.int64],
    conversations: int,
    spread: float,
    rng: np.random.Generator,
    replicates: int,
    skills: Sequence[float] | Floats,
    measures: int,
) -> Floats:
    single = np.float32  # draws are not scores: half the precision is drawn in half the time
    gains = rng.standard_normal((conversations, replicates, len(skills)), dtype=single)[labels] * single(spread)
    hardness = rng.standard_normal((len(labels), replicates, 1), dtype=single) * single(_HARDNESS)
    has_two = rng.random((len(labels), replicates, 1), dtype=single) < _TWO_TURNS
    latent = np.asarray(skills, dtype=single) + gains + hardness
    first_rank, second_rank = (
        _ranks(latent + single(_CHANCE) * rng.standard_normal(latent.shape, dtype=single)) for _ in range(2)
    )
    second_rank = np.where(has_two, np.minimum(second_rank + (second_rank == first_rank), _LAST), _LAST)
    return _measured(first_rank, second_rank, has_two, measures)


def _ranks(latent: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the rank at which a turn is found: 5 or better in about half of the cases at 0."""
    ranks = np.minimum(1.0 + np.exp(np.minimum(1.5 * (1.0 - latent), 8.0)), _LAST)
    return np.asarray(ranks, dtype=np.intp)


def _measured(
    first_rank: NDArray[np.intp], second_rank: NDArray[np.intp], has_two: NDArray[np.bool_], measures: int
) -> Floats:
    """Return the default measures of one or two evidence turns at these ranks."""
    columns: list[NDArray[np.generic]] = [
        (_GAIN[first_rank] + _GAIN[second_rank]) / np.where(has_two, 1.0 + _GAIN[2], 1.0)
    ]
    if measures > 1:
        within = (first_rank <= 10).astype(np.float64) + (second_rank <= 10)
        n_needed, best_rank = np.where(has_two, 2.0, 1.0), np.minimum(first_rank, second_rank)
        columns += [within / n_needed, best_rank <= 5, within == n_needed, _RECIPROCAL[best_rank]]
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns[:measures]], axis=-1)
