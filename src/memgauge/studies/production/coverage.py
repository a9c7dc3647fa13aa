"""Whether intervals from fifty labels hold the truth as often as they promise, and what a judge makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.studies.production.estimating import LabelledSample, powered_rate, stratified_rate

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


@dataclass(frozen=True)
class JudgedService:
    """A service whose truth is known, with a judge that errs."""

    rate: float = 0.7
    accepts_hits: float = 0.92
    accepts_misses: float = 0.12
    searches: int = 20_000
    scopes: int = 3_000


@dataclass(frozen=True)
class LabelCoverage:
    """How intervals did in many samples."""

    alone: float
    """Share of intervals of labels alone that held the truth."""
    powered: float
    width_alone: float
    width_powered: float


def label_coverage(service: JudgedService, labels: int, simulations: int, seed: int) -> LabelCoverage:
    """Draw a sample by strata again and again; scopes differ in how often they are served well."""
    rng = np.random.default_rng(seed)
    truth, verdicts, strata, scopes = _population(service, rng)
    sizes = np.bincount(strata).astype(np.float64)
    counts = np.maximum(2, np.round(labels * sizes / sizes.sum())).astype(np.int64)
    members = [np.flatnonzero(strata == stratum) for stratum in range(len(sizes))]
    ends = np.zeros((simulations, 2, 2))
    for simulation in range(simulations):
        places = np.concatenate(
            [rng.choice(rows, count, replace=False) for rows, count in zip(members, counts, strict=True)]
        )
        sample = LabelledSample.of(truth[places], strata[places], sizes, scopes[places])
        for place, interval in enumerate(
            (stratified_rate(sample), powered_rate(sample, verdicts[places], verdicts)[0])
        ):
            ends[simulation, place] = interval.low, interval.high
    shares = ((ends[:, :, 0] <= truth.mean()) & (truth.mean() <= ends[:, :, 1])).mean(axis=0)
    widths = (ends[:, :, 1] - ends[:, :, 0]).mean(axis=0)
    return LabelCoverage(*map(float, (*shares, *widths)))


def _population(service: JudgedService, rng: Generator) -> tuple[Floats, Floats, Integers, Integers]:
    """Return truth, the judge's word, stratum and scope of every search."""
    scopes = rng.integers(0, service.scopes, service.searches)
    rates = rng.beta(6 * service.rate, 6 * (1 - service.rate), service.scopes)[scopes]
    truth = (rng.random(service.searches) < rates).astype(np.float64)
    accepts = np.where(truth > 0, service.accepts_hits, service.accepts_misses)
    verdicts = (rng.random(service.searches) < accepts).astype(np.float64)
    scores = rates + 0.15 * rng.standard_normal(service.searches)
    strata = np.searchsorted(np.quantile(scores, (0.1, 0.3)), scores)
    return truth, verdicts, strata, scopes
