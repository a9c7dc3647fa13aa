"""Whether two orders agree, and which ranks the systems of a leaderboard may hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.stats.clusters import ClusterSums, squares_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from memgauge.stats.clusters import Clusters

    Floats = NDArray[np.float64]
    _ComparedPairs = tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]

NO_COMPARISON = (
    "no two systems could be compared: that takes two conversations of some size, and questions in common"
)


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
    *,
    may_gain: Collection[str] = (),
    may_lose: Collection[str] = (),
) -> dict[str, RankSet]:
    """Return confidence sets for the ranks of systems, best mean first (equal means by name).

    With a chance of at least 1 - *alpha* every set holds every rank that its system may truly have: all pairs are
    compared on the rows where both are defined, by t on CR2 errors over *clusters*, corrected by Holm; a system
    ranks below those that are better, and above those that are worse (Mogstad, Romano, Shaikh and Wilhelm 2024).
    Where all of that is right, so is what follows from it: who is better than one that is better is better.
    Where the set holds 1, nothing is known to be better.

    Args:
        names: One a system, distinct.
        values: (n, systems) one value a row.
        clusters: Of the n rows.
        defined: (n, systems); all when absent.
        alpha: The chance that any set is wrong.
        may_gain: Whose values may be too low by more than chance: nobody is shown to be better than they are.
        may_lose: Whose values may be too high: they are shown to be better than nobody.

    Raises:
        ValueError: Not one distinct name a column, or a system without any value.
    """
    if len(set(names)) != len(names) or len(names) != values.shape[1]:
        raise ValueError(f"{values.shape[1]} columns need as many distinct names, not {list(names)}.")
    mask = None if defined is None or defined.all() else defined
    counts = np.full(len(names), len(values)) if mask is None else mask.sum(axis=0)
    if not counts.all():
        raise ValueError("A system without a single defined value has no place in an order.")
    size = len(names)
    filled = np.ascontiguousarray(values) if mask is None else np.where(mask, values, 0.0)
    means = filled.sum(axis=0) / counts
    order = sorted(range(size), key=lambda s: (-means[s], names[s]))
    is_better, any_tested = _shown_better(_Pairs(values, clusters, mask), alpha)
    is_better[:, [name in may_gain for name in names]] = False
    is_better[[name in may_lose for name in names]] = False
    is_better = _with_what_follows(is_better, means)
    worse_than, better_than = is_better.sum(axis=1), is_better.sum(axis=0)
    untested = "" if size == 1 or any_tested else NO_COMPARISON
    groups = _groups(order, is_better)
    return {
        names[s]: RankSet(1 + int(better_than[s]), size - int(worse_than[s]), untested, groups[s]) for s in order
    }


def _shown_better(pairs: _Pairs, alpha: float) -> tuple[NDArray[np.bool_], bool]:
    """Say of every pair of systems whether the first is shown to be better, after Holm; and if any was tested.

    Only p-values below *alpha* can be rejected, and of these the smallest: how many is known when they are sorted.
    Of many pairs no more than those values and one portion is held, and all are compared once more.
    """
    size = pairs.values.shape[1]
    is_better, total = np.zeros((size, size), dtype=np.bool_), size * (size - 1) // 2
    small_p, n_small, any_tested = np.empty(total), 0, False  # room that is never written to takes no memory
    comparisons: Iterable[_ComparedPairs] = pairs.compared()
    if total <= CELLS // max(len(pairs.values), 1):
        comparisons = list(comparisons)
    for *_, p in comparisons:
        any_tested = any_tested or not np.isnan(p).all()
        p_below = p[p < alpha]
        small_p[n_small : n_small + len(p_below)] = p_below
        n_small += len(p_below)
    last_rejected = _last_rejected(small_p[:n_small], total, alpha)
    if last_rejected is None:
        return is_better, any_tested
    for first, second, higher, p in comparisons if isinstance(comparisons, list) else pairs.compared():
        rejected = p <= last_rejected
        up, down = rejected & (higher > 0), rejected & (higher < 0)
        is_better[first[up], second[up]] = True
        is_better[second[down], first[down]] = True
    return is_better, any_tested


def _with_what_follows(is_better: NDArray[np.bool_], means: Floats) -> NDArray[np.bool_]:
    """Add that a system is better than all that are worse than those it is better than."""
    best_first = np.argsort(-means, kind="stable")
    closed = is_better[np.ix_(best_first, best_first)]
    for place in range(len(closed) - 1, -1, -1):  # of all that are behind it is known already
        behind = np.flatnonzero(closed[place])
        while len(behind):
            closed[place] |= closed[behind[0]]
            behind = behind[1:][~closed[behind[0], behind[1:]]]
    np.fill_diagonal(closed, val=False)
    original_order = np.argsort(best_first)
    return closed[np.ix_(original_order, original_order)]


def _last_rejected(p: Floats, total: int, alpha: float) -> float | None:
    """Return the largest of some p-values, the smallest of *total*, that Holm rejects; ``None``: not one."""
    p.sort()
    for start in range(0, len(p), CELLS):
        part = p[start : start + CELLS]
        fails = np.flatnonzero(part * np.arange(total - start, total - start - len(part), -1) >= alpha)
        if len(fails):
            place = start + int(fails[0]) - 1
            return float(p[place]) if place >= 0 else None
    return float(p[-1]) if len(p) else None


def _groups(order: Sequence[int], is_better: NDArray[np.bool_]) -> dict[int, int]:
    """Number tie groups from the best mean on; *better* says of every pair whether the first is shown to be so."""
    groups: dict[int, int] = {}
    ungrouped = list(order)
    while ungrouped:
        leader, number = ungrouped[0], 1 + max(groups.values(), default=0)
        groups |= {member: number for member in ungrouped if not is_better[leader, member]}
        ungrouped = [member for member in ungrouped if member not in groups]
    return groups


@dataclass(frozen=True, eq=False)
class _Pairs:
    """All pairs of systems, compared a portion at a time."""

    values: Floats
    clusters: Clusters
    mask: NDArray[np.bool_] | None
    """Which rows are defined; ``None`` where all are."""

    @cached_property
    def single(self) -> ClusterSums:
        """The sums of each system, over all rows."""
        return ClusterSums.of(self.values, self.clusters)

    def _portions(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield which systems are compared: each with all behind it, so many at a time as fit into memory."""
        size = self.values.shape[1]
        most_pairs, start = max(1, CELLS // max(len(self.values), self.clusters.count, 1)), 0
        while start < size - 1:
            counts = np.arange(size - 1 - start, 0, -1)
            counts = counts[: max(1, int(np.searchsorted(np.cumsum(counts), most_pairs, side="right")))]
            stop = start + len(counts)
            first = np.repeat(np.arange(start, stop), counts)
            yield first, first + 1 + np.concatenate([np.arange(count) for count in counts])
            start = stop

    def compared(self) -> Iterator[_ComparedPairs]:
        """Yield pairs of systems, their mean differences and the p-values of these, NaN where undefined."""
        return ((first, second, *self._tests(first, second)) for first, second in self._portions())

    def _tests(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> tuple[Floats, Floats]:
        if self.mask is not None:
            differences = self.values[:, first] - self.values[:, second]
            both_defined = self.mask[:, first] & self.mask[:, second]
            return ClusterSums.of(differences, self.clusters, both_defined).tests()
        # No difference is larger than what both systems have at most, and that is small enough for most pairs.
        bounded = ClusterSums(
            self.single.sums[:, first] - self.single.sums[:, second],
            self.single.sizes,
            self.single.largest[first] + self.single.largest[second],
            self._squares(first, second),
        )
        means, p = bounded.tests()
        if (by_rows := bounded.near_noise() | bounded.too_even).any():
            means[by_rows], p[by_rows] = self._seen(bounded, by_rows, first[by_rows], second[by_rows]).tests()
        return means, p

    def _squares(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Floats:
        """Return at least the sums of squared differences of pairs, without subtracting their rows."""
        start, stop = int(first.min()), int(first.max()) + 1
        products = self.values[:, start:stop].T @ self.values
        sum_of_squares = self.single.squares[first] + self.single.squares[second]
        return (
            np.maximum(sum_of_squares - 2.0 * products[first - start, second], 0.0)
            + sum_of_squares * len(self.values) * 2.0**-50
        )

    def _seen(
        self, sums: ClusterSums, columns: NDArray[np.bool_], first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> ClusterSums:
        """Return some *columns* of *sums* with what their rows say, not with bounds of it."""
        differences = self.values[:, first] - self.values[:, second]
        largest = np.abs(differences).max(axis=0, initial=0.0)
        return ClusterSums(sums.sums[:, columns], sums.sizes, largest, squares_of(differences, self.clusters))


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
        return Agreement(None, len(first), "all values of one are the same")
    return None


def _directions(column: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sign of the difference of every pair."""
    upper = np.triu_indices(len(column), 1)
    signs: NDArray[np.float64] = np.sign(column[upper[1]] - column[upper[0]])
    return signs
