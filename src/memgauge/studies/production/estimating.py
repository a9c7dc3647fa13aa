"""Rates for the whole from the labels of a few: by strata, and powered by what a judge says of everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats import Interval
from memgauge.stats.clusters import DOMINATED, ONE_CLUSTER, Clusters, ClusterSums, score_ends
from memgauge.stats.corrected import tuned_weight

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LabelledSample:
    """What people said of a stratified sample; rows are labelled questions."""

    labels: Floats
    """(n,) 1 where what was asked for was returned, 0 where not."""
    strata: Integers
    """(n,) from 0."""
    sizes: Floats
    """(strata,) Questions of each, labelled or not."""
    scopes: Integers
    """(n,) What intervals are clustered by."""

    @classmethod
    def of(cls, labels: ArrayLike, strata: ArrayLike, sizes: ArrayLike, scopes: ArrayLike) -> LabelledSample:
        """Take what is like arrays."""
        return cls(
            np.asarray(labels, dtype=np.float64),
            np.asarray(strata, dtype=np.int64),
            np.asarray(sizes, dtype=np.float64),
            np.asarray(scopes, dtype=np.int64),
        )


def stratified_rate(sample: LabelledSample) -> Interval:
    """Estimate the rate of everything from labels alone.

    Horvitz and Thompson (1952): every label counts 1 / its probability, N_h / n_h, so that the rate is
    sum_h (N_h / N) mean_h(y). Its error is that of the residuals within strata, each times
    sqrt(n_h / (n_h - 1)), added up by scope (CR2); the ends are those of a score interval.
    """
    return _estimate(sample, sample.labels)


def powered_rate(sample: LabelledSample, verdicts: ArrayLike, all_verdicts: ArrayLike) -> tuple[Interval, float]:
    """Estimate the rate of everything from labels and from what a judge said of all; return its weight too.

    Prediction-powered by strata (PPI++, Angelopoulos, Duchi and Zrnic 2023; Fisch et al. 2024), where the judge
    has seen every question: sum_h (N_h / N) (w F_h + mean_h(y - w f)), with F_h the judge's mean over all of
    stratum h. The weight w gives the least variance; the labels correct what the judge gets wrong. To the variance
    belongs one more label that surprises: of fifty labels and a good judge a handful is surprising, and their
    spread alone promises too much (as plus four does for a share, Agresti and Coull 1998).

    *verdicts* is (n,), what the judge said of the same questions, from 0 to 1; *all_verdicts* is (N,), what it
    said of every question, labelled or not.
    """
    guesses, words = np.asarray(verdicts, dtype=np.float64), np.asarray(all_verdicts, dtype=np.float64)
    weight = tuned_weight(sample.labels, guesses, words) if np.ptp(words) > 0 else 0.0
    base_rate = weight * float(words.mean())
    return _estimate(sample, sample.labels - weight * guesses, base_rate, surprises=1), weight


def _estimate(sample: LabelledSample, values: Floats, base_rate: float = 0.0, *, surprises: int = 0) -> Interval:
    """Estimate the weighted mean of values, and add what is known without error."""
    from scipy.special import stdtrit

    n = len(values)
    if not n:
        return Interval(None, None, None, 0, "nothing is labelled")
    counts = np.bincount(sample.strata, minlength=len(sample.sizes)).astype(np.float64)
    if (counts[sample.sizes > 0] == 0).any():
        return Interval(None, None, None, n, "a stratum has no label")
    means = np.bincount(sample.strata, values, minlength=len(counts)) / np.maximum(counts, 1)
    weights = sample.sizes / sample.sizes.sum()
    rate = base_rate + float(weights @ means)
    clusters = Clusters.of(sample.scopes)
    if clusters.count < 2:
        return Interval(rate, None, None, n, ONE_CLUSTER)
    corrections = np.sqrt(counts / np.maximum(counts - 1, 1))
    residuals = (n * weights / np.maximum(counts, 1) * corrections)[sample.strata] * (
        values - means[sample.strata]
    )
    _, se, df = ClusterSums.of(residuals[:, None], clusters).errors()
    if np.isnan(se[0]):
        return Interval(rate, None, None, n, DOMINATED)
    widened = np.sqrt(se**2 + surprises / n**2)
    quantile = np.asarray(stdtrit(df, 0.975), dtype=np.float64)
    low, high = score_ends(np.clip([rate], 0, 1), widened, quantile, np.array([n]))
    return Interval(rate, float(low[0]), float(high[0]), n)
