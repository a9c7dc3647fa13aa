"""From hits to the study's numbers: recovery with intervals, curves with bands, and whether ranks agree."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures.recovery import curve, deficit, pooled, time_to_recover
from memgauge.stats import Interval, Resamples
from memgauge.studies.shift.findings.ranking import Ranking
from memgauge.studies.shift.findings.regret import routes
from memgauge.studies.shift.findings.result import Gap, Returned, Row, ShiftResult
from memgauge.studies.shift.published import LEXICAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from memgauge.studies.shift.play.outcomes import Outcomes

    Floats = npt.NDArray[np.float64]
    Mask = npt.NDArray[np.bool_]

DRAWS = 5000
CURVE = 10
EPSILON = 0.02


def analyse(outcomes: Outcomes, *, draws: int = DRAWS, seed: int = 0) -> ShiftResult:
    """Compute every number of the study from who found what.

    All intervals come from the same resamples of questions, and of conversations.
    """
    study = _Study(outcomes, draws, seed)
    bursts, names = outcomes.spec.bursts, outcomes.policies
    told = bursts.index(100) if 100 in bursts else len(bursts) - 1
    lexical = [names.index(name) for name in LEXICAL if name in names]
    everything = list(range(len(names)))
    ranked = lexical if len(lexical) > 2 else everything
    more = study.ranking(everything).rows(bursts) if len(ranked) < len(everything) else ()
    return ShiftResult(
        questions=len(outcomes.questions),
        post_shift=int(outcomes.post_shift.sum()),
        pooled=int(study.pool.sum()),
        told=bursts[told],
        ranked=tuple(names[p] for p in ranked),
        rows=tuple(study.row(p) for p in everything),
        ranks=study.ranking(ranked).rows(bursts),
        ranks_of_all=more,
        gaps=tuple(study.gap(a, b, told) for a, b in combinations(everything, 2)),
        routes=tuple(routes(outcomes, study.by_question)),
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
        self.by_segment = Resamples.draw(len(self.segments), seed, draws)
        self.values = outcomes.hits.astype(np.float64)
        windows = [pooled(outcomes.post_shift, outcomes.order, t) for t in range(1, CURVE + 1)]
        self.windows = np.stack(windows, axis=1)

    def row(self, policy: int) -> Row:
        """Say everything about one policy."""
        o, bursts = self.o, self.o.spec.bursts
        hits = {m: self.values[policy, b] for b, m in enumerate(bursts)}
        plain = {m: curve(o.hits[policy, b], o.post_shift, o.order, CURVE) for b, m in enumerate(bursts)}
        drawn = {m: self.by_question.means(self._columns(hits[m]), self.windows) for m in bursts}
        return Row(
            policy=o.policies[policy],
            overall=self.by_question.interval(self.values[policy, 0]),
            recovery={m: self.by_question.interval(hits[m], defined=self.pool) for m in bursts},
            recovery_over_conversations={
                m: self.by_conversation.interval(hits[m], defined=self.pool) for m in bursts
            },
            per_segment={m: self._per_segment(hits[m]) for m in bursts},
            polluted={m: float(hits[m].mean()) for m in bursts},
            curves={m: self.by_question.intervals(self._columns(hits[m]), defined=self.windows) for m in bursts},
            deficits={m: self._deficit(plain[0], plain[m], drawn[0] - drawn[m]) for m in bursts},
            back={m: _returned(plain[0], plain[m], drawn[0] - drawn[m]) for m in bursts},
            failed=o.failed.get(o.policies[policy], 0),
        )

    def ranking(self, policies: Sequence[int]) -> Ranking:
        """Order some of the policies."""
        return Ranking(self.values[list(policies)], self.pool, self.o.conversation, self.by_conversation)

    def gap(self, a: int, b: int, burst: int) -> Gap:
        """Compare two policies on the pooled questions."""
        pair = self.values[a, burst], self.values[b, burst]
        return Gap(
            self.o.policies[a],
            self.o.policies[b],
            self.o.spec.bursts[burst],
            self.by_question.difference(*pair, defined=self.pool),
            self.by_conversation.difference(*pair, defined=self.pool),
        )

    def _columns(self, hits: Floats) -> Floats:
        return np.repeat(hits[:, None], CURVE, axis=1)

    def _per_segment(self, hits: Floats) -> Interval:
        shares = np.bincount(self.segment, weights=hits[self.pool]) / np.bincount(self.segment)
        return self.by_segment.interval(shares)

    def _deficit(self, clean: list[float | None], shifted: list[float | None], lost: Floats) -> Interval:
        value = deficit(clean, shifted)
        if value is None:
            return Interval(None, None, None, 0, "no question after a boundary")
        low, high = np.quantile(np.nansum(lost, axis=1), (0.025, 0.975))
        return Interval(value, float(low), float(high), int(self.pool.sum()))


def _returned(clean: list[float | None], shifted: list[float | None], lost: Floats) -> Returned:
    """Find the first T within epsilon of the clean curve, here and in every resample."""
    found = time_to_recover(clean, shifted, EPSILON)
    within = lost <= EPSILON
    at = np.where(within.any(axis=1), within.argmax(axis=1) + 1, CURVE + 1)
    low, high = (int(q) for q in np.quantile(at, (0.025, 0.975), method="inverted_cdf"))
    return Returned(found.at, None if low > CURVE else low, None if high > CURVE else high, found.reason)
