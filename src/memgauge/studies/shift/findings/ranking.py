"""Whether recovery orders policies as overall accuracy does, and how sure that is over conversations."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memgauge.stats import Clusters, Interval, Resamples, cluster_interval, inversion, rank_sets, spearman
from memgauge.studies.shift.findings.result import RankRow

if TYPE_CHECKING:
    import numpy.typing as npt

    from memgauge.stats import Agreement

    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]


class PolicyRanking:
    """Some policies under every burst length; the first burst is the clean stream."""

    def __init__(
        self, values: Floats, pool: Mask, conversation: npt.NDArray[np.int32], resamples: Resamples
    ) -> None:
        """Take hits, (policies, bursts, Q), which questions are pooled, and resamples of conversations."""
        self.values = values
        self.pool = pool
        self.conversation = conversation
        self.resamples = resamples
        self.everything = np.ones_like(pool)

    def rows(self, bursts: tuple[int, ...]) -> tuple[RankRow, ...]:
        """Return one row for each burst length."""
        return tuple(self._row(burst, m) for burst, m in enumerate(bursts))

    def _row(self, burst: int, m: int) -> RankRow:
        overall, post_shift = self._means(0, self.everything), self._means(burst, self.pool)
        rho, inverted = spearman(overall, post_shift), inversion(overall, post_shift)
        draws = self._clean, self._drawn(burst, self.pool)
        noise = self._beyond_noise(0, self.everything), self._beyond_noise(burst, self.pool)
        rho_same, rho_clean = self._by_conversation(burst, burst), self._by_conversation(0, burst)
        return RankRow(
            burst=m,
            rho=rho,
            rho_spread=self._spread(rho, _spearmans(*draws)),
            inversion=inverted,
            inversion_spread=self._spread(inverted, _inversions(*draws)),
            rho_beyond_noise=spearman(*noise),
            inversion_beyond_noise=inversion(*noise),
            rho_same_stream=spearman(self._means(burst, self.everything), post_shift),
            rho_by_conversation=self._interval(rho_same).within(-1.0, 1.0),
            rho_by_conversation_clean=self._interval(rho_clean).within(-1.0, 1.0),
            delta_rho=self._interval(self._natural - rho_same).within(-2.0, 2.0),
            delta_rho_clean=self._interval(self._natural - rho_clean).within(-2.0, 2.0),
        )

    def _spread(self, agreement: Agreement, draws: Floats) -> Interval:
        """Put the percentiles of resampled agreements around the one that was found."""
        defined_draws = draws[~np.isnan(draws)]
        if agreement.value is None or not len(defined_draws) or self.resamples.units < 2:
            alone = (
                "one conversation cannot be resampled" if self.resamples.units < 2 else "no resample orders them"
            )
            return Interval(agreement.value, None, None, agreement.n, agreement.reason or alone)
        low, high = np.quantile(defined_draws, (0.025, 0.975))
        return Interval(agreement.value, float(low), float(high), agreement.n)

    def _means(self, burst: int, inside: Mask) -> Floats:
        means: Floats = self.values[:, burst][:, inside].mean(axis=1)
        return means

    def _drawn(self, burst: int, inside: Mask) -> Floats:
        """Return the mean of every policy in every resample of conversations, (draws, policies)."""
        columns = self.values[:, burst].T
        return self.resamples.means(columns, np.repeat(inside[:, None], columns.shape[1], axis=1))

    def _beyond_noise(self, burst: int, inside: Mask) -> Floats:
        """Score each policy by how many others are known to be worse minus by how many are known to be better."""
        names = [str(place) for place in range(len(self.values))]
        clusters = Clusters.of(self.conversation[inside])
        ranks = rank_sets(names, self.values[:, burst][:, inside].T, clusters)
        return np.array([len(names) + 1.0 - ranks[name].high - ranks[name].low for name in names])

    @cached_property
    def _clean(self) -> Floats:
        return self._drawn(0, self.everything)

    @cached_property
    def _natural(self) -> Floats:
        return self._by_conversation(0, 0)

    def _by_conversation(self, overall: int, burst: int) -> Floats:
        """Return the rank correlation within every conversation, NaN where it is undefined."""
        rhos = []
        for conversation in np.unique(self.conversation):
            in_conversation = self.conversation == conversation
            in_pool = in_conversation & self.pool
            if not in_pool.any():
                rhos.append(np.nan)
                continue
            agreement = spearman(self._means(overall, in_conversation), self._means(burst, in_pool))
            rhos.append(np.nan if agreement.value is None else agreement.value)
        return np.array(rhos)

    def _interval(self, values: Floats) -> Interval:
        """Return the mean over conversations with its interval over them."""
        mean = cluster_interval(np.nan_to_num(values), np.arange(len(values)), ~np.isnan(values))
        if mean.mean is None:
            return Interval(None, None, None, 0, "no conversation orders the policies")
        return mean


def _spearmans(first: Floats, second: Floats) -> Floats:
    """Correlate the ranks of two rows, for every row; NaN where one is constant."""
    from scipy.stats import rankdata

    x, y = (rankdata(rows, axis=1) - (rows.shape[1] + 1) / 2 for rows in (first, second))
    norms = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
    rhos: Floats = np.divide((x * y).sum(axis=1), norms, out=np.full(len(x), np.nan), where=norms > 0)
    return rhos


def _inversions(first: Floats, second: Floats) -> Floats:
    """Return the share of pairs that two rows order differently, for every row; NaN without a pair."""
    a, b = np.triu_indices(first.shape[1], 1)
    if not len(a):
        return np.full(len(first), np.nan)
    shares: Floats = (np.sign(first[:, a] - first[:, b]) * np.sign(second[:, a] - second[:, b]) < 0).mean(axis=1)
    return shares
