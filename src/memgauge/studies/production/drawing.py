"""Which questions people are asked about: a sample by strata, drawn by chance, whose probabilities are kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.errors import ConfigError
from memgauge.results import ResultKind, result
from memgauge.studies.production.hits import UNKNOWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import TrafficArrays

    Integers = NDArray[np.int64]

STRATA: Final = ("empty", "one or two", "several, low score", "several")
"""What searches are told apart by; a low score is one of the lowest third of first scores."""
_FEW: Final = 2
_TELLING: Final = (1.0, 3.0, 3.0, 1.0)
"""How much more often a question of each stratum is drawn where telling ones come first."""
LEAST: Final = 2
"""Questions of every stratum, for one cannot say how much they differ."""


class DrawHow(StrEnum):
    """How questions are drawn."""

    RANDOM = "random"
    """As often from each stratum as it is large."""
    TELLING = "telling"
    """More often where lists are short or scores low; estimates weight back."""


@result
@dataclass(frozen=True)
class DrawnStratum:
    """Searches that are alike."""

    name: str
    size: int
    drawn: int

    @property
    def probability(self) -> float:
        """Return how probable it was for each of them to be drawn."""
        return self.drawn / self.size if self.size else 0.0


@result
@dataclass(frozen=True)
class DrawnQuestion:
    """One search that people are asked about."""

    row: int
    name: str
    """Its trace and span, or its row."""
    stratum: int


@result
@dataclass(frozen=True)
class LabelDraw:
    """A sample, as it was drawn."""

    traffic: str
    """SHA-256 of the seal of the traffic."""
    how: DrawHow
    seed: int
    strata: tuple[DrawnStratum, ...]
    questions: tuple[DrawnQuestion, ...]


DRAW: Final = ResultKind("label draw", 1, LabelDraw, "memgauge study production label TRAFFIC LABELS --rater NAME")


def population(traffic: TrafficArrays) -> tuple[Integers, Integers]:
    """Return the rows of searches that can be asked about, and the stratum of each."""
    rows = np.flatnonzero(traffic.searches & traffic.valid & traffic.captured & (traffic.query != UNKNOWN))
    hits = traffic.hits
    counts = np.bincount(hits.operation, minlength=len(traffic.began))[rows]
    top_scores = np.full(len(traffic.began), np.nan)
    is_first = hits.rank == 1
    top_scores[hits.operation[is_first]] = hits.score[is_first]
    scores = top_scores[rows]
    known_scores = scores[~np.isnan(scores)]
    is_low = scores < (np.quantile(known_scores, 1 / 3) if len(known_scores) else -np.inf)
    strata = np.select([counts == 0, counts <= _FEW, is_low], [0, 1, 2], 3)
    return rows, strata.astype(np.int64)


def draw(traffic: TrafficArrays, seal: str, n: int, how: DrawHow, seed: int) -> LabelDraw:
    """Draw *n* questions, or a few more where strata are small; the same seed gives the same ones.

    Raises:
        ConfigError: There are fewer questions than that, or fewer are wanted than there are strata to fill.
    """
    rows, strata = population(traffic)
    if not 2 * LEAST * len(STRATA) <= n <= len(rows):
        raise ConfigError(
            f"{n} questions cannot be drawn: {len(rows):,} searches have query and records.",
            f"Take between {2 * LEAST * len(STRATA)} and {len(rows):,}." if len(rows) >= n else "Record more.",
        )
    sizes = np.bincount(strata, minlength=len(STRATA))
    counts = _allocated(sizes, n, np.asarray(_TELLING) if how is DrawHow.TELLING else np.ones(len(STRATA)))
    rng = np.random.default_rng(seed)
    picks = [
        (int(row), stratum)
        for stratum, count in enumerate(counts)
        for row in rng.choice(rows[strata == stratum], count, replace=False)
    ]
    shuffled = [picks[place] for place in rng.permutation(len(picks))]
    names = question_names(traffic, np.array([row for row, _ in shuffled]))
    return LabelDraw(
        traffic=seal,
        how=how,
        seed=seed,
        strata=tuple(
            DrawnStratum(*parts) for parts in zip(STRATA, map(int, sizes), map(int, counts), strict=True)
        ),
        questions=tuple(DrawnQuestion(row, name, h) for (row, h), name in zip(shuffled, names, strict=True)),
    )


def question_names(traffic: TrafficArrays, rows: Integers) -> list[str]:
    """Name searches as people and judges do: by trace and span, or by their row where no span was recorded."""
    spans = zip(rows.tolist(), traffic.spelled(rows), strict=True)
    return [f"{trace}/{span}" if span else f"row {row}" for row, (trace, span) in spans]


def _allocated(sizes: Integers, n: int, weights: NDArray[np.float64]) -> Integers:
    """Share out *n* by size and weight, the least number to every stratum first."""
    least = np.minimum(sizes, LEAST)
    spare = sizes - least
    quotas = (n - least.sum()) * spare * weights / max(float((spare * weights).sum()), 1.0)
    counts: Integers = np.minimum(least + np.floor(quotas).astype(np.int64), sizes)
    for stratum in np.argsort(np.floor(quotas) - quotas, kind="stable"):
        counts[stratum] += min(max(n - int(counts.sum()), 0), 1, int(sizes[stratum] - counts[stratum]))
    return counts
