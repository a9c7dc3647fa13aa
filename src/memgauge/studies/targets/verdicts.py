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
    """List the contracts that every run can be scored under: all choices, or targets alone."""
    credits_ = list(Credit) if whole else [lineup.spec.credit]
    coverages = list(Coverage) if whole else [lineup.spec.coverage]
    metrics = lineup.spec.metrics if whole else lineup.spec.metrics[:1]
    targets = [
        str(target)
        for target in (*TARGETS, *lineup.spec.own)
        if all(audited.serves(target) for audited in lineup.runs)
    ]
    return [Terms(*choice) for choice in product(targets, credits_, coverages, metrics)]


def verdicts(lineup: Lineup, terms: Sequence[Terms]) -> list[PairVerdict]:
    """Compare every pair of runs under all *terms*, each on the questions that every run can be scored on."""
    scored_terms = [(contract_terms, *_values(lineup, contract_terms)) for contract_terms in terms]
    scored_terms = [
        (contract_terms, values, mask) for contract_terms, values, mask in scored_terms if mask.sum() > 1
    ]
    if not scored_terms or len(lineup.runs) < 2:
        return []
    return [_verdict(lineup, a, b, scored_terms) for a, b in combinations(range(len(lineup.runs)), 2)]


Scored = tuple[Terms, "NDArray[np.float64]", "NDArray[np.bool_]"]


def _values(lineup: Lineup, terms: Terms) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return (Q, runs) values under one contract, and the questions that count for all runs."""
    rows = [audited.rows(terms.target, terms.metric, terms.credit, terms.coverage) for audited in lineup.runs]
    mask = np.logical_and.reduce([lineup.inside, *(row.defined for row in rows)])
    return np.stack([row.values for row in rows], axis=1), mask


def _verdict(lineup: Lineup, a: int, b: int, scored_terms: Sequence[Scored]) -> PairVerdict:
    changes = np.stack([values[:, a] - values[:, b] for _, values, _ in scored_terms], axis=1)
    cluster_sums = ClusterSums.of(
        changes, lineup.clusters, np.stack([mask for _, _, mask in scored_terms], axis=1)
    )
    means, errors, _ = cluster_sums.errors()
    reach = simultaneous_reach(cluster_sums, LEVEL)
    cells = tuple(
        _cell(terms, int(mask.sum()), mean, reach * error if error else np.nan)
        for (terms, _, mask), mean, error in zip(scored_terms, means.tolist(), errors.tolist(), strict=True)
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
