"""Whether two orders agree, and which systems of a leaderboard cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats.paired import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from memgauge.stats.bootstrap import Resamples


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


def tie_groups(
    names: Sequence[str],
    values: NDArray[np.float64],
    *resamples: Resamples,
    defined: NDArray[np.bool_] | None = None,
    alpha: float = 0.05,
) -> dict[str, int]:
    """Group systems that cannot be told apart; 1 is the best group, in the order of the leaderboard.

    The rule: order by mean, best first (equal means by name). The first system leads group 1. It is compared with
    every system below it on the questions where both are defined: paired bootstrap, two-sided p = 2 · the smaller
    share of resamples on either side of 0, the largest p of all *resamples*, Holm over these comparisons. The
    first system with p < *alpha* leads the next group, and the comparison starts again below it. Members of one
    group need not be equal, and neighbours across a border need not differ: only a group's leader is better than
    the next group's leader.

    Args:
        names: One a system, distinct.
        values: (n, systems) one value a question.
        resamples: Of the n questions, of their conversations, or both: a border has to hold under each.
        defined: (n, systems); all when absent.
        alpha: The chance of a false border per leader.

    Raises:
        ValueError: Not one distinct name a column, or a system without any value.
    """
    mask = np.ones(values.shape, dtype=np.bool_) if defined is None else defined
    if len(set(names)) != len(names) or len(names) != values.shape[1]:
        raise ValueError(f"{values.shape[1]} columns need as many distinct names, not {list(names)}.")
    if not mask.any(axis=0).all():
        raise ValueError("A system without a single defined value has no place in an order.")
    means = np.where(mask, values, 0.0).sum(axis=0) / mask.sum(axis=0)
    order = sorted(range(len(names)), key=lambda s: (-means[s], names[s]))
    groups: dict[str, int] = {}
    group = 0
    while order:
        group += 1
        leader, rest = order[0], order[1:]
        difference, both = values[:, [leader]] - values[:, rest], mask[:, [leader]] & mask[:, rest]
        p = np.max([_p_values(difference, both, drawn) for drawn in resamples], axis=0)
        worse = np.flatnonzero(holm(p) < alpha)
        border = 1 + int(worse[0]) if len(worse) else len(order)
        groups |= dict.fromkeys((names[s] for s in order[:border]), group)
        order = order[border:]
    return groups


def _p_values(
    differences: NDArray[np.float64], defined: NDArray[np.bool_], resamples: Resamples
) -> NDArray[np.float64]:
    """Return the two-sided bootstrap p-value of every column; 1 draw on either side is added, so none is 0."""
    if resamples.units < 2 or differences.shape[1] == 0:
        return np.ones(differences.shape[1])
    means = resamples.means(differences, defined)
    drawn = (~np.isnan(means)).sum(axis=0)
    least = np.minimum((means <= 0).sum(axis=0), (means >= 0).sum(axis=0))
    p: NDArray[np.float64] = np.minimum(2.0 * (least + 1) / (drawn + 1), 1.0)
    return p


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
