"""Whether two orders agree, and which ranks the systems of a leaderboard may hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.stats.clusters import ClusterSums
from memgauge.stats.paired import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from memgauge.stats.clusters import Clusters

    Floats = NDArray[np.float64]

NO_COMPARISON = "no two systems could be compared: that takes two conversations, and questions in common"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two columns order the same things alike; without a value *reason* says why."""

    value: float | None
    n: int
    reason: str = ""


def spearman(a: ArrayLike, b: ArrayLike) -> Agreement:
    """Correlate the ranks of two columns, ties with average ranks."""
    first, second = _columns(a, b)
    if (undefined := _constant(first, second)) is not None:
        return undefined
    from scipy.stats import rankdata

    x, y = (rankdata(c) - (len(c) + 1) / 2 for c in (first, second))
    return Agreement(float((x @ y) / np.sqrt((x @ x) * (y @ y))), len(first))


def kendall(a: ArrayLike, b: ArrayLike) -> Agreement:
    """Return Kendall's tau-b: concordant minus discordant pairs, corrected for ties in either column."""
    first, second = _columns(a, b)
    if (undefined := _constant(first, second)) is not None:
        return undefined
    x, y = _directions(first), _directions(second)
    return Agreement(float((x @ y) / np.sqrt((x @ x) * (y @ y))), len(first))


def inversion(a: ArrayLike, b: ArrayLike) -> Agreement:
    """Return the share of all pairs that the two columns order differently.

    Source: ShiftBench, appendix A: a pair tied in either column is no inversion, but stays in the denominator.
    """
    first, second = _columns(a, b)
    if len(first) < 2:
        return Agreement(None, len(first), "fewer than two to order")
    return Agreement(float((_directions(first) * _directions(second) < 0).mean()), len(first))


CELLS: Final = 1 << 22
"""Differences of rows that are held at once."""


@dataclass(frozen=True, slots=True)
class RankSet:
    """The ranks that a system may hold; 1 is best."""

    low: int
    high: int
    reason: str = ""
    """Why no rank could be excluded, where nothing could be tested."""
    group: int = field(default=1, compare=False)
    """Tie group: whoever has the best mean of those left, and all who are not shown to be worse than it."""


def rank_sets(
    names: Sequence[str],
    values: Floats,
    clusters: Clusters,
    defined: NDArray[np.bool_] | None = None,
    alpha: float = 0.05,
) -> dict[str, RankSet]:
    """Return confidence sets for the ranks of systems, best mean first (equal means by name).

    With a chance of at least 1 - *alpha* every set holds every rank that its system may truly have: all pairs are
    compared on the rows where both are defined, by t on CR2 errors over *clusters*, corrected by Holm; a system
    ranks below those that are better, and above those that are worse (Mogstad, Romano, Shaikh and Wilhelm 2024).
    Where the set holds 1, nothing is known to be better.

    Args:
        names: One a system, distinct.
        values: (n, systems) one value a row.
        clusters: Of the n rows.
        defined: (n, systems); all when absent.
        alpha: The chance that any set is wrong.

    Raises:
        ValueError: Not one distinct name a column, or a system without any value.
    """
    mask = np.ones(values.shape, dtype=np.bool_) if defined is None else defined
    if len(set(names)) != len(names) or len(names) != values.shape[1]:
        raise ValueError(f"{values.shape[1]} columns need as many distinct names, not {list(names)}.")
    if not mask.any(axis=0).all():
        raise ValueError("A system without a single defined value has no place in an order.")
    size = len(names)
    means = np.where(mask, values, 0.0).sum(axis=0) / mask.sum(axis=0)
    order = sorted(range(size), key=lambda s: (-means[s], names[s]))
    higher, p = _compared(values, clusters, mask)
    first, second = np.triu_indices(size, 1)
    apart = np.zeros((size, size), dtype=np.bool_)
    apart[first, second] = apart[second, first] = holm(np.where(np.isnan(p), 1.0, p)) < alpha
    above = np.zeros((size, size), dtype=np.bool_)
    above[first, second], above[second, first] = higher > 0, higher < 0
    worse, better = (apart & above).sum(axis=1), (apart & above).sum(axis=0)
    untested = "" if size == 1 or not np.isnan(p).all() else NO_COMPARISON
    groups = _groups(order, apart & above)
    return {names[s]: RankSet(1 + int(better[s]), size - int(worse[s]), untested, groups[s]) for s in order}


def _groups(order: Sequence[int], better: NDArray[np.bool_]) -> dict[int, int]:
    """Number tie groups from the best mean on; *better* says of every pair whether the first is shown to be so."""
    groups: dict[int, int] = {}
    left = list(order)
    while left:
        leader, number = left[0], 1 + max(groups.values(), default=0)
        groups |= {each: number for each in left if not better[leader, each]}
        left = [each for each in left if each not in groups]
    return groups


def _compared(values: Floats, clusters: Clusters, mask: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the mean difference of every pair of systems and its p-value, NaN where it is undefined."""
    first, second = np.triu_indices(values.shape[1], 1)
    if mask.all():
        single = ClusterSums.of(values, clusters)
        sums, sizes = single.sums[:, first] - single.sums[:, second], single.sizes[:, first]
        step = max(1, CELLS // max(len(values), 1))
        largest = np.concatenate(
            [
                np.abs(values[:, first[at : at + step]] - values[:, second[at : at + step]]).max(
                    axis=0, initial=0.0
                )
                for at in range(0, max(len(first), 1), step)
            ]
        )
        return ClusterSums(sums, sizes, largest).tests()
    both = mask[:, first] & mask[:, second]
    return ClusterSums.of(values[:, first] - values[:, second], clusters, both).tests()


def _columns(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two columns of equal length as floats."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"Two orders need one shape and one axis: {first.shape} and {second.shape}.")
    return first, second


def _constant(first: NDArray[np.float64], second: NDArray[np.float64]) -> Agreement | None:
    """Say why a correlation is undefined, or ``None``."""
    if len(first) < 2:
        return Agreement(None, len(first), "fewer than two to order")
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return Agreement(None, len(first), "one column is constant")
    return None


def _directions(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sign of the difference of every pair."""
    upper = np.triu_indices(len(column), 1)
    signs: NDArray[np.float64] = np.sign(column[upper[1]] - column[upper[0]])
    return signs
