"""How often corrected rates hold the truth, where the truth, the judge and its certificate are simulated."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.stats.clusters import ClusterSums, score_ends
from memgauge.stats.corrected import corrected_ends, ppi

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CONVERSATIONS: Final = {
    "locomo": (199, 105, 193, 260, 242, 158, 190, 239, 196, 204),
    "small": (42, 41, 42, 41, 41, 42, 41, 41),
}
"""Questions of each conversation."""
DESIGN_EFFECTS: Final = (1.0, 1.7, 3.8)
TRUE_RATES: Final = (0.1, 0.4, 0.7, 0.95)
JUDGES: Final = ((1.0, 0.0, 0.0), (0.95, 0.106, 0.106), (0.9, 0.25, 0.1), (0.98, 0.628, 0.106))
"""What a judge accepts of right, of vague and of specific wrong answers."""
VAGUE: Final = (0.1, 0.9)
"""Shares of wrong answers that are vague, where the judge tells them from specific ones."""
SENTINELS: Final = (40, 100, 200)
RIGHT: Final = 0.4
"""Share of the sentinels that are right answers, as `models certify` builds them."""
LABELLED: Final = (20, 100)
LABELLED_RATES: Final = (0.05, 0.4, 0.7, 0.98)


@dataclass(frozen=True, slots=True)
class JudgeCell:
    """One simulated world: who is judged, by whom, and what is known of the judge."""

    sizes: tuple[int, ...]
    """Answers of each conversation."""
    effect: float
    """The design effect of right answers."""
    true: float
    """The share of right answers in the population of conversations."""
    judge: tuple[float, float, float]
    vague: float
    known: int
    """Sentinels of the certificate, or labelled answers."""


def judge_coverage(replicates: int = 2000, seed: int = 0) -> float:
    """Return the smallest coverage of corrected 95 % intervals over all cells, of certificates and of labels."""
    kinds = ((coverage_of, certificate_cells()), (labelled_coverage, labelled_cells()))
    cells = [(cover, cell) for cover, of_kind in kinds for cell in of_kind]
    streams = np.random.SeedSequence(seed).spawn(len(cells))
    return min(
        cover(cell, replicates, np.random.default_rng(stream))
        for (cover, cell), stream in zip(cells, streams, strict=True)
    )


def certificate_cells() -> Iterator[JudgeCell]:
    """Yield the worlds in which a certificate corrects."""
    for sizes, effect, rate, judge, labels in product(
        CONVERSATIONS.values(), DESIGN_EFFECTS, TRUE_RATES, JUDGES, SENTINELS
    ):
        for vague in VAGUE if judge[1] != judge[2] else (0.5,):
            yield JudgeCell(sizes, effect, rate, judge, vague, labels)


def labelled_cells() -> Iterator[JudgeCell]:
    """Yield the worlds in which labels of some answers correct."""
    for sizes, rate, labels in product(CONVERSATIONS.values(), LABELLED_RATES, LABELLED):
        yield JudgeCell(sizes, 1.7, rate, (0.9, 0.25, 0.1), 0.9, labels)


def coverage_of(cell: JudgeCell, replicates: int, rng: np.random.Generator) -> float:
    """Return how often the interval of :func:`~memgauge.stats.corrected.rogan_gladen` holds the true rate."""
    raw = _intervals(_accepted(cell, replicates, rng), np.array(cell.sizes, dtype=np.float64))
    n_right = round(RIGHT * cell.known)
    known_right = rng.binomial(n_right, cell.judge[0], replicates).astype(np.float64), n_right
    n_per_rate = (cell.known - n_right) // 2
    low, high = np.ones(replicates), np.zeros(replicates)
    for rate in cell.judge[1:]:
        known_wrong = rng.binomial(n_per_rate, rate, replicates).astype(np.float64), n_per_rate
        ends = corrected_ends(raw, known_right, known_wrong)
        low, high = np.minimum(low, ends[0]), np.maximum(high, ends[1])
    return float(((low <= cell.true) & (cell.true <= high)).mean())


def labelled_coverage(cell: JudgeCell, replicates: int, rng: np.random.Generator) -> float:
    """Return how often the interval of :func:`~memgauge.stats.corrected.ppi` holds the true rate."""
    label = np.repeat(np.arange(len(cell.sizes)), cell.sizes)
    hits = 0
    for _ in range(replicates):
        is_right = rng.random(len(label)) < _rates(cell, 1, rng)[0][label]
        vague = rng.random(len(label)) < cell.vague
        accepts = np.where(is_right, cell.judge[0], np.where(vague, cell.judge[1], cell.judge[2]))
        verdicts = (rng.random(len(label)) < accepts).astype(np.float64)
        is_labelled = np.zeros(len(label), dtype=np.bool_)
        is_labelled[rng.permutation(len(label))[: cell.known]] = True
        interval = ppi(
            is_right[is_labelled],
            verdicts[is_labelled],
            label[is_labelled],
            verdicts[~is_labelled],
            label[~is_labelled],
            shares=True,
        ).interval
        hits += (
            interval.low is not None and interval.high is not None and interval.low <= cell.true <= interval.high
        )
    return hits / replicates


def _rates(cell: JudgeCell, replicates: int, rng: np.random.Generator) -> Floats:
    """Draw the true rate of every conversation, (replicates, conversations), for the cell's design effect."""
    shape = (replicates, len(cell.sizes))
    together = (cell.effect - 1.0) / (float(np.mean(cell.sizes)) - 1.0)
    if not together:
        return np.full(shape, cell.true)
    concentration = 1.0 / together - 1.0
    return rng.beta(cell.true * concentration, (1.0 - cell.true) * concentration, shape)


def _accepted(cell: JudgeCell, replicates: int, rng: np.random.Generator) -> Floats:
    """Draw how many answers of each conversation are accepted, (replicates, conversations)."""
    sizes = np.array(cell.sizes)
    n_right = rng.binomial(sizes, _rates(cell, replicates, rng))
    n_vague = rng.binomial(sizes - n_right, cell.vague)
    kinds: Sequence[NDArray[np.int64]] = (n_right, n_vague, sizes - n_right - n_vague)
    accepted = sum(rng.binomial(trials, rate) for trials, rate in zip(kinds, cell.judge, strict=True))
    return np.asarray(accepted, dtype=np.float64)


def _intervals(sums: Floats, sizes: Floats) -> tuple[Floats, Floats, Floats]:
    """Return means with the ends that boards print of them, for many replicates at once."""
    from scipy.special import stdtrit

    replicates = len(sums)
    cluster_sums = ClusterSums(
        sums.T, np.repeat(sizes[:, None], replicates, axis=1), np.ones(replicates), sums.sum(axis=1)
    )
    means, errors, df = cluster_sums.errors()
    counts = np.full(replicates, int(sizes.sum()), dtype=np.int64)
    return (means, *score_ends(means, errors, np.asarray(stdtrit(df, 0.975), dtype=np.float64), counts))
