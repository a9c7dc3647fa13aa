"""From hits to the study's numbers: recovery with intervals, curves with bands, and whether ranks agree."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures.recovery import curve, deficit, pooled, time_to_recover
from memgauge.stats import Clusters, Interval, Resamples, cluster_interval, estimates, holm
from memgauge.studies.shift.findings.ranking import PolicyRanking
from memgauge.studies.shift.findings.regret import routes
from memgauge.studies.shift.findings.result import Gap, PolicyResult, ReturnPoint, ShiftResult
from memgauge.studies.shift.published import LEXICAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from memgauge.studies.shift.play.outcomes import Outcomes

    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

DRAWS = 5000
CURVE = 10
EPSILON = 0.02


def analyse(outcomes: Outcomes, *, draws: int = DRAWS, seed: int = 0) -> ShiftResult:
    """Compute every number of the study from who found what.

    Intervals are over conversations. Those over questions, as the paper has them, and what has no standard error
    come from resamples: *draws* of them, with *seed*.
    """
    study = _Study(outcomes, draws, seed)
    bursts, names = outcomes.spec.bursts, outcomes.policies
    main = bursts.index(100) if 100 in bursts else len(bursts) - 1
    lexical = [names.index(name) for name in LEXICAL if name in names]
    all_places = list(range(len(names)))
    ranked_places = lexical if len(lexical) > 2 else all_places
    ranks_of_all = study.ranking(all_places).rows(bursts) if len(ranked_places) < len(all_places) else ()
    return ShiftResult(
        questions=len(outcomes.questions),
        post_shift=int(outcomes.post_shift.sum()),
        pooled=int(study.pool.sum()),
        told=bursts[main],
        ranked=tuple(names[p] for p in ranked_places),
        rows=tuple(study.row(p) for p in all_places),
        ranks=study.ranking(ranked_places).rows(bursts),
        ranks_of_all=ranks_of_all,
        gaps=tuple(study.gaps(main)),
        routes=tuple(routes(outcomes)),
    )


class _Study:
    """The arrays of one analysis and the resamples that all its intervals share."""

    def __init__(self, outcomes: Outcomes, draws: int, seed: int) -> None:
        self.o = outcomes
        self.pool = pooled(outcomes.post_shift, outcomes.order, outcomes.spec.horizon)
        n = len(outcomes.questions)
        self.by_question = Resamples.draw(n, seed, draws)
        self.by_conversation = Resamples.draw(n, seed, draws, clusters=outcomes.conversation)
        pairs = np.stack([outcomes.conversation, outcomes.segment], axis=1)[self.pool]
        self.segments, self.segment = np.unique(pairs, axis=0, return_inverse=True)
        self.conversations = Clusters.of(outcomes.conversation)
        self.values = outcomes.hits.astype(np.float64)
        windows = [pooled(outcomes.post_shift, outcomes.order, t) for t in range(1, CURVE + 1)]
        self.windows = np.stack(windows, axis=1)

    def row(self, policy: int) -> PolicyResult:
        """Say everything about one policy."""
        o, bursts = self.o, self.o.spec.bursts
        hits = {m: self.values[policy, b] for b, m in enumerate(bursts)}
        curves = {m: curve(o.hits[policy, b], o.post_shift, o.order, CURVE) for b, m in enumerate(bursts)}
        resampled = {m: self.by_conversation.means(self._columns(hits[m]), self.windows) for m in bursts}
        return PolicyResult(
            policy=o.policies[policy],
            overall=cluster_interval(self.values[policy, 0], o.conversation, shares=True),
            recovery={m: cluster_interval(hits[m], o.conversation, self.pool, shares=True) for m in bursts},
            recovery_over_questions={m: self.by_question.interval(hits[m], defined=self.pool) for m in bursts},
            per_segment={m: self._per_segment(hits[m]) for m in bursts},
            polluted={m: float(hits[m].mean()) for m in bursts},
            curves={m: self._curve(hits[m]) for m in bursts},
            deficits={m: self._deficit(curves[0], curves[m], hits[bursts[0]] - hits[m]) for m in bursts},
            back={m: _returned(curves[0], curves[m], resampled[0] - resampled[m]) for m in bursts},
            failed=o.failed.get(o.policies[policy], 0),
        )

    def ranking(self, policies: Sequence[int]) -> PolicyRanking:
        """Order some of the policies."""
        return PolicyRanking(self.values[list(policies)], self.pool, self.o.conversation, self.by_conversation)

    def gaps(self, burst: int) -> Iterator[Gap]:
        """Compare the policies two by two on the pooled questions; Holm corrects over all pairs."""
        pairs = list(combinations(range(len(self.o.policies)), 2))
        if not pairs:
            return
        values = np.stack([self.values[a, burst] - self.values[b, burst] for a, b in pairs], axis=1)
        pool = np.repeat(self.pool[:, None], len(pairs), axis=1)
        means = estimates(values, self.conversations, pool)
        adjusted = iter(holm([mean.p for mean in means if mean.p is not None]).tolist())
        for (a, b), mean, over_questions in zip(
            pairs, means, self.by_question.intervals(values, defined=pool), strict=True
        ):
            yield Gap(
                self.o.policies[a],
                self.o.policies[b],
                self.o.spec.bursts[burst],
                over_questions,
                mean.interval,
                None if mean.p is None else next(adjusted),
            )

    def _curve(self, hits: Floats) -> tuple[Interval, ...]:
        means = estimates(self._columns(hits), self.conversations, self.windows, shares=True)
        return tuple(mean.interval for mean in means)

    def _columns(self, hits: Floats) -> Floats:
        return np.repeat(hits[:, None], CURVE, axis=1)

    def _per_segment(self, hits: Floats) -> Interval:
        shares = np.bincount(self.segment, weights=hits[self.pool]) / np.bincount(self.segment)
        return cluster_interval(shares, self.segments[:, 0], shares=True)

    def _deficit(
        self, clean_curve: list[float | None], shifted_curve: list[float | None], losses: Floats
    ) -> Interval:
        """Put an interval around a sum of means over windows: each question counts by what it adds to the sum."""
        value = deficit(clean_curve, shifted_curve)
        if value is None:
            return Interval(None, None, None, 0, "no question after a boundary")
        sizes = np.maximum(self.windows.sum(axis=0), 1)
        within = np.where(
            self.windows, losses[:, None] - (self.windows * losses[:, None]).sum(axis=0) / sizes, 0.0
        )
        in_any_window = np.asarray(self.windows.any(axis=1))
        influence = (within / sizes).sum(axis=1) * int(in_any_window.sum())
        around = cluster_interval(influence, self.o.conversation, in_any_window)
        if around.low is None or around.high is None:
            return Interval(value, None, None, int(self.pool.sum()), around.reason)
        return Interval(value, value + around.low, value + around.high, int(self.pool.sum()))


def _returned(clean_curve: list[float | None], shifted_curve: list[float | None], losses: Floats) -> ReturnPoint:
    """Find the T from which on the curve is within epsilon of the clean one, here and in every resample."""
    return_point = time_to_recover(clean_curve, shifted_curve, EPSILON)
    within = losses <= EPSILON
    outside = within.shape[1] - (~within)[:, ::-1].argmax(axis=1)
    at = np.where(within.all(axis=1), 1, np.where(within[:, -1], outside + 1, CURVE + 1))
    low, high = (int(q) for q in np.quantile(at, (0.025, 0.975), method="inverted_cdf"))
    return ReturnPoint(
        return_point.at, None if low > CURVE else low, None if high > CURVE else high, return_point.reason
    )
