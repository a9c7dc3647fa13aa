"""Which of two runs is better under every contract of a grid: invariant, reversed, or unresolved (targets.md, 7A).

The intervals of one pair are over conversations and simultaneous over the whole grid (max-t): a verdict that names
several contracts holds for all of them at once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import Coverage, Credit
from memgauge.results import result
from memgauge.stats.clusters import ClusterSums
from memgauge.stats.wild import simultaneous_reach
from memgauge.studies.targets.lineup import TARGETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memgauge.studies.targets.lineup import Lineup

LEVEL = 0.95
AXES = ("target", "credit", "coverage", "metric")


@result
@dataclass(frozen=True)
class Terms:
    """One contract of the grid."""

    target: str
    credit: Credit
    coverage: Coverage
    metric: str

    def __str__(self) -> str:
        return f"{self.metric} target={self.target},credit={self.credit},coverage={self.coverage}"


@result
@dataclass(frozen=True)
class ContractDifference:
    """The difference of two runs under one contract."""

    terms: Terms
    n: int
    difference: float
    low: float | None
    high: float | None
    """Simultaneous over the pair's grid; ``None`` where conversations cannot say."""

    @property
    def winner(self) -> str:
        """Say who wins: ``a``, ``b``, or nobody where the interval holds 0 or there is none."""
        if self.low is None or self.high is None:
            return ""
        return "a" if self.low > 0 else "b" if self.high < 0 else ""


@result
@dataclass(frozen=True)
class PairVerdict:
    """What the whole grid says of one pair of runs."""

    a: str
    b: str
    verdict: str
    """``invariant``, ``reversed``, or ``unresolved``."""
    winner: str
    """Who wins under every contract; empty where no run does."""
    share_a: float
    """Share of contracts that *a* wins clearly."""
    share_b: float
    axis: str
    """The choice that turns the winner around most often; empty where none does."""
    cells: tuple[ContractDifference, ...]


def grid(lineup: Lineup, *, whole: bool = True) -> list[Terms]:
    """List the contracts that two runs, or the only one, can be scored under: all choices, or targets alone."""
    credits_ = list(Credit) if whole else [lineup.spec.credit]
    coverages = list(Coverage) if whole else [lineup.spec.coverage]
    metrics = lineup.spec.metrics if whole else lineup.spec.metrics[:1]
    targets = [
        str(target)
        for target in (*TARGETS, *lineup.spec.own)
        if sum(audited.serves(target) for audited in lineup.runs) >= min(2, len(lineup.runs))
    ]
    return [Terms(*choice) for choice in product(targets, credits_, coverages, metrics)]


def verdicts(lineup: Lineup, terms: Sequence[Terms]) -> list[PairVerdict]:
    """Compare every pair of runs under the *terms* that both serve.

    Each on the questions that every run can be scored on which serves them; a run that does not takes them from
    its own pairs alone.
    """
    scored_terms = [_scored(lineup, contract_terms) for contract_terms in terms]
    scored_terms = [scored for scored in scored_terms if scored.mask.sum() > 1]
    pairs = combinations(range(len(lineup.runs)), 2)
    return [
        _verdict(lineup, a, b, common)
        for a, b in pairs
        if (common := [scored for scored in scored_terms if scored.serving[a] and scored.serving[b]])
    ]


@dataclass(frozen=True, eq=False)
class ScoredTerms:
    """All runs under one contract."""

    terms: Terms
    serving: tuple[bool, ...]
    """Which runs serve its target."""
    values: NDArray[np.float64]
    """(Q, runs)"""
    mask: NDArray[np.bool_]
    """(Q,) the questions that count for all runs that do."""


def _scored(lineup: Lineup, terms: Terms) -> ScoredTerms:
    rows = [audited.rows(terms.target, terms.metric, terms.credit, terms.coverage) for audited in lineup.runs]
    serving = tuple(audited.serves(terms.target) for audited in lineup.runs)
    masks = [row.defined for row, serves in zip(rows, serving, strict=True) if serves]
    values = np.stack([row.values for row in rows], axis=1)
    return ScoredTerms(terms, serving, values, np.logical_and.reduce([lineup.inside, *masks]))


def _verdict(lineup: Lineup, a: int, b: int, scored_terms: Sequence[ScoredTerms]) -> PairVerdict:
    changes = np.stack([scored.values[:, a] - scored.values[:, b] for scored in scored_terms], axis=1)
    masks = np.stack([scored.mask for scored in scored_terms], axis=1)
    cells = tuple(
        _cell(scored.terms, int(scored.mask.sum()), mean, reach)
        for scored, mean, reach in zip(
            scored_terms, *_reaches(ClusterSums.of(changes, lineup.clusters, masks)), strict=True
        )
    )
    wins = Counter(cell.winner for cell in cells)
    labels = {"a": lineup.runs[a].label, "b": lineup.runs[b].label}
    reverse = bool(wins["a"] and wins["b"])
    sole = next((side for side in labels if wins[side] == len(cells)), "")
    verdict = "reversed" if reverse else "invariant" if sole else "unresolved"
    return PairVerdict(
        **labels,
        verdict=verdict,
        winner=labels.get(sole, ""),
        share_a=wins["a"] / len(cells),
        share_b=wins["b"] / len(cells),
        axis=_axis(cells) if reverse else "",
        cells=cells,
    )


def _reaches(added: ClusterSums) -> tuple[list[float], list[float]]:
    """Return the mean of every column, and how far around it all true means lie at once; NaN where nobody can say.

    Where all rows of a column are alike no error tells; the signs of its conversations can be flipped. Any other
    mean would be as far off in 2 of 2^conversations ways alone, so that with enough of them there is no other.
    Columns with an error are then given what is left of the level.
    """
    means, errors, _ = added.errors()
    units = int(np.min(added.units, initial=len(added.sizes)))
    flipped = 2.0 ** (1 - units)
    unanimous = (errors == 0) & (flipped <= (1 - LEVEL) / 2)
    reach = simultaneous_reach(added, LEVEL + flipped if unanimous.any() else LEVEL)
    reaches = np.where(unanimous, 0.0, np.where(errors > 0, reach * errors, np.nan))
    return means.tolist(), reaches.tolist()


def _cell(terms: Terms, n: int, mean: float, reach: float) -> ContractDifference:
    """Put ends around a difference, where conversations say how far it may be off."""
    return (
        ContractDifference(terms, n, mean, mean - reach, mean + reach)
        if np.isfinite(reach)
        else ContractDifference(terms, n, mean, None, None)
    )


def _axis(cells: Sequence[ContractDifference]) -> str:
    """Find the choice that most often turns a clear winner around, all others equal."""
    turns: Counter[str] = Counter()
    for a, b in combinations([cell for cell in cells if cell.winner], 2):
        differing_axes = [axis for axis in AXES if getattr(a.terms, axis) != getattr(b.terms, axis)]
        if len(differing_axes) == 1 and a.winner != b.winner:
            turns[differing_axes[0]] += 1
    return max(AXES, key=lambda axis: turns[axis]) if turns else "several at once"
