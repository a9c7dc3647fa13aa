"""Rates that a judge measured, corrected by what is known of the judge; intervals carry both uncertainties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats.intervals import Interval
from memgauge.stats.proportion import AcceptedCount, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Part = tuple[Floats, npt.NDArray[np.intp]]
    """Values that are averaged, and the cluster of each."""

TELLS_NOTHING = "the judge accepts wrong answers as often as right ones"
ONE_CLUSTER = "one conversation cannot say how far conversations differ"


@dataclass(frozen=True, slots=True)
class Powered:
    """A mean from few labels and many predictions."""

    interval: Interval
    weight: float
    """What predictions count for (lambda): 0 uses labels alone, 1 trusts the predictions' variance in full."""


def rogan_gladen(
    raw: Interval,
    right: AcceptedCount,
    wrong: Sequence[AcceptedCount],
    *,
    ruled_right: float = 0.0,
    ruled_wrong: float = 0.0,
) -> Interval:
    """Correct a share that a judge accepted by what it accepts among right and among wrong answers.

    Rogan & Gladen 1978: (accepted - false) / (true - false). The ends hold whatever the mix of the kinds of wrong
    answers is: of the Fieller sets of all kinds, the widest ends count. In place of standard errors, each rate's
    own distances to its limits add up (MOVER; Donner & Zou 2012): Wilson's for the certificate, and those of *raw*
    as they are.

    Args:
        raw: The share accepted, with an interval that holds for its clusters, near 0 and 1 too.
        right: What the judge made of right answers.
        wrong: What it made of wrong ones, kind by kind.
        ruled_right: Share of all answers that are right by rule, without the judge.
        ruled_wrong: Share of all answers that are wrong by rule.
    """
    if raw.mean is None:
        return raw
    nonempty = [kind for kind in wrong if kind.n]
    if not right.n or not nonempty:
        return Interval(None, None, None, raw.n, "the certificate holds no right or no wrong answers")
    false = sum(kind.accepted for kind in nonempty) / sum(kind.n for kind in nonempty)
    if right.rate <= false:
        return Interval(None, None, None, raw.n, TELLS_NOTHING)
    judged_accepted = raw.mean - ruled_right - false * (1.0 - ruled_right - ruled_wrong)
    value = float(np.clip(ruled_right + judged_accepted / (right.rate - false), ruled_right, 1.0 - ruled_wrong))
    if raw.low is None or raw.high is None:
        return Interval(value, None, None, raw.n, raw.reason)
    limits = np.array([raw.mean]), np.array([raw.low]), np.array([raw.high])
    ends = [corrected_ends(limits, _column(right), _column(kind), (ruled_right, ruled_wrong)) for kind in nonempty]
    low, high = min(float(low[0]) for low, _ in ends), max(float(high[0]) for _, high in ends)
    return Interval(value, min(low, value), max(high, value), raw.n)


def _column(count: AcceptedCount) -> tuple[Floats, int]:
    return np.array([count.accepted], dtype=np.float64), count.n


def corrected_ends(
    raw: tuple[Floats, Floats, Floats],
    right: tuple[Floats, int],
    wrong: tuple[Floats, int],
    ruled: tuple[float, float] = (0.0, 0.0),
) -> tuple[Floats, Floats]:
    """Return both ends of many corrected shares at once, for one kind of wrong answers; see :func:`rogan_gladen`.

    Args:
        raw: (R,) shares accepted, and the lower and upper ends of their intervals.
        right: (R,) how many right answers were accepted, and of how many.
        wrong: (R,) how many wrong ones.
        ruled: Shares of all answers that are right and wrong by rule.
    """
    mean, low, high = raw
    true, true_low, true_high = _rates(*right)
    false, false_low, false_high = _rates(*wrong)
    lower = _end(mean, true, false, (mean - low, true_high - true, false_high - false), ruled, -1)
    upper = _end(mean, true, false, (high - mean, true - true_low, false - false_low), ruled, 1)
    blind = true <= false
    return np.where(blind, ruled[0], lower), np.where(blind, 1.0 - ruled[1], upper)


def _rates(accepted: Floats, n: int) -> tuple[Floats, Floats, Floats]:
    """Return shares with Wilson's limits (:func:`~memgauge.stats.proportion.wilson`), for many at once."""
    counts, inverse = np.unique(np.rint(accepted).astype(np.int64), return_inverse=True)
    limits = [wilson(count, n) for count in counts.tolist()]
    table = np.array([(limit.mean, limit.low, limit.high) for limit in limits], dtype=np.float64)
    rate, low, high = table[inverse].T
    return rate, np.minimum(low, rate), np.maximum(high, rate)


def _end(
    mean: Floats,
    true: Floats,
    false: Floats,
    deviations: tuple[Floats, Floats, Floats],
    ruled: tuple[float, float],
    side: int,
) -> Floats:
    """Solve for the last share x on one side with |U - (true - false) x| within what the three limits allow.

    U = mean - r + r (true - false) - false w, for the shares r that are right by rule and w that are judged;
    allowed are away_0² + (x - r)² away_1² + (r + w - x)² away_2².
    """
    ruled_right, least = ruled[0], ruled[0]
    largest = 1.0 - ruled[1]
    judged_share = largest - ruled_right
    rate_gap = true - false
    shifted_mean = mean - ruled_right + ruled_right * rate_gap - false * judged_share
    square = rate_gap**2 - deviations[1] ** 2 - deviations[2] ** 2
    linear = rate_gap * shifted_mean - ruled_right * deviations[1] ** 2 - largest * deviations[2] ** 2
    constant = (
        shifted_mean**2 - deviations[0] ** 2 - (ruled_right * deviations[1]) ** 2 - (largest * deviations[2]) ** 2
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        root = (linear + side * np.sqrt(np.maximum(linear**2 - square * constant, 0.0))) / square
    return np.clip(np.where(square > 0, root, least if side < 0 else largest), least, largest)


def ppi(
    labels: npt.ArrayLike,
    judged: npt.ArrayLike,
    clusters: npt.ArrayLike,
    rest: npt.ArrayLike,
    rest_clusters: npt.ArrayLike,
    *,
    weight: float | None = None,
    shares: bool = False,
) -> Powered:
    """Estimate the mean label of everything from the labels of some and the judged values of all.

    PPI++ (Angelopoulos, Duchi & Zrnic 2023): weight · mean(rest) + mean(labels - weight · judged), with the weight
    that gives the least variance. Clusters may hold labelled items and others: the error is CR2 over clusters, the
    quantile Student's t with Satterthwaite's degrees of freedom (Bell & McCaffrey 2002). Which items are labelled
    must have been drawn by chance.

    Args:
        labels: (n,) what is true of the labelled items.
        judged: (n,) what the judge said of them.
        clusters: (n,) where they come from.
        rest: (N,) what the judge said of all other items.
        rest_clusters: (N,) where those come from.
        weight: Instead of the best one.
        shares: All are 0 or 1. The error is then that with four labels more, one of each kind (right or wrong,
            accepted or not), from conversations of their own: twenty labels that are all right say little of how
            rare wrong ones are (after Agresti & Coull 1998, who move the middle too).
    """
    from scipy.special import stdtrit

    truth, guesses, other_guesses = (np.asarray(part, dtype=np.float64) for part in (labels, judged, rest))
    n, n_rest = len(truth), len(other_guesses)
    if not n:
        return Powered(Interval(None, None, None, 0, "nothing is labelled"), 0.0)
    label_weight = tuned_weight(truth, guesses, other_guesses) if weight is None else weight
    label_weight = label_weight if n_rest else 0.0
    names, label = np.unique(
        np.concatenate([np.asarray(clusters), np.asarray(rest_clusters)]), return_inverse=True
    )
    parts = [
        (truth - label_weight * guesses, label[:n]),
        *([(label_weight * other_guesses, label[n:])] if label_weight else []),
    ]
    value = float(sum(values.mean() for values, _ in parts))
    plain = _clustered(parts, len(names))
    widened = _clustered(_with_four_more(parts, len(names), label_weight), len(names) + 4) if shares else plain
    if plain is None or widened is None:
        return Powered(Interval(value, None, None, n + n_rest, ONE_CLUSTER), label_weight)
    error, df = max(plain[0], widened[0]), plain[1]  # four more clusters may thin out those that differ
    reach = float(stdtrit(df, 0.975)) * error if error else 0.0
    return Powered(Interval(value, value - reach, value + reach, n + n_rest), label_weight)


def _with_four_more(parts: Sequence[Part], clusters: int, label_weight: float) -> list[Part]:
    """Add one label of each kind to the labelled part, each in a cluster of its own."""
    (labelled, label), *others = parts
    more = np.array([1.0 - label_weight, 0.0, 1.0, -label_weight])
    own_clusters = clusters + np.arange(len(more))
    return [(np.concatenate([labelled, more]), np.concatenate([label, own_clusters])), *others]


def tuned_weight(labels: Floats, judged: Floats, rest: Floats) -> float:
    """Return the weight of predictions that gives the least variance, within 0 and 1.

    cov / ((1 + n/N) var), PPI++, Section 6.
    """
    n, n_rest = len(labels), len(rest)
    variance = float(np.var(np.concatenate([judged, rest]), ddof=1)) if n + n_rest > 1 else 0.0
    if n < 2 or not n_rest or variance == 0:
        return 0.0
    covariance = float(np.cov(labels, judged)[0, 1])
    return float(np.clip(covariance / ((1.0 + n / n_rest) * variance), 0.0, 1.0))


def _clustered(parts: Sequence[Part], clusters: int) -> tuple[float, float] | None:
    """Return the CR2 error of a sum of means, and its degrees of freedom; nothing where a part has one cluster.

    Every mean is a column of its own: the residual sums of cluster c are divided by sqrt(1 - n_c/n), and df is
    tr(M)²/tr(M²) for M between clusters, with each part's own variance as the working model.
    """
    sums, working = np.zeros(clusters), np.zeros((clusters, clusters))
    for values, label in parts:
        n, sizes = len(values), np.bincount(label, minlength=clusters).astype(np.float64)
        if sizes.max() == n:
            return None
        residual, corrections = values - values.mean(), 1.0 / np.sqrt(1.0 - sizes / n)
        sums += np.bincount(label, weights=residual, minlength=clusters) * corrections / n
        between = -np.outer(sizes * corrections, sizes * corrections) / n
        between[np.diag_indices(clusters)] = sizes
        working += float(residual @ residual) / n * between / n**2
    error = float(np.sqrt(sums @ sums))
    square = float((working**2).sum())
    return error, float(np.trace(working)) ** 2 / square if square else float(clusters - 1)
