"""From hits to the study's numbers: recovery with intervals, curves with bands, and whether ranks agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures.recovery import Recovered, curve, deficit, pooled, time_to_recover
from memgauge.stats import Interval, Resamples, inversion, spearman

if TYPE_CHECKING:
    import numpy.typing as npt

    from memgauge.stats import Agreement
    from memgauge.studies.shift.outcomes import Outcomes

    Floats = npt.NDArray[np.float64]

DRAWS = 5000
CURVE = 10
EPSILON = 0.02


@dataclass(frozen=True)
class Row:
    """One policy: Table 1, with intervals over questions and over conversations."""

    policy: str
    overall: Interval
    """On the clean stream."""
    recovery: dict[int, Interval]
    """Recovery@T by burst length."""
    recovery_over_conversations: dict[int, Interval]
    polluted: dict[int, float]
    """Overall on the same interrupted stream, by burst length."""
    curves: dict[int, tuple[Interval, ...]]
    """Recovery@1 … by burst length, with bands."""
    deficits: dict[int, float | None]
    back: dict[int, Recovered]


@dataclass(frozen=True)
class RankRow:
    """How one burst length changes the order of the policies: Table 5."""

    burst: int
    rho: Agreement
    """Spearman of Recovery@T(m) and overall on the clean stream, average ranks (the published pair)."""
    inversion: Agreement
    rho_beyond_noise: Agreement
    """The same with every pair tied whose gap interval over conversations contains 0."""
    inversion_beyond_noise: Agreement
    rho_same_stream: Agreement
    """Spearman of Recovery@T(m) and overall on the same interrupted stream: the other reading."""
    rho_by_conversation: float | None
    """Mean over conversations of Spearman with overall on the same stream (the paper's 0.94 and 0.70)."""
    rho_by_conversation_clean: float | None
    """The same with overall on the clean stream, as the paper defines it."""


@dataclass(frozen=True)
class Gap:
    """How much more one policy recovers than another under the longest published burst."""

    a: str
    b: str
    burst: int
    over_questions: Interval
    over_conversations: Interval


@dataclass(frozen=True)
class ShiftResult:
    """Everything that the study says of one reading of the protocol."""

    questions: int
    post_shift: int
    pooled: int
    """Questions in Recovery@T."""
    rows: tuple[Row, ...]
    ranks: tuple[RankRow, ...]
    gaps: tuple[Gap, ...]


def analyse(outcomes: Outcomes, *, draws: int = DRAWS, seed: int = 0) -> ShiftResult:
    """Compute every number of the study from who found what.

    All intervals come from the same resamples of questions and of conversations.
    """
    study = _Study(outcomes, draws, seed)
    return ShiftResult(
        questions=len(outcomes.questions),
        post_shift=int(outcomes.post_shift.sum()),
        pooled=int(study.pool.sum()),
        rows=tuple(study.row(p) for p in range(len(outcomes.policies))),
        ranks=tuple(study.ranks(b) for b in range(len(outcomes.spec.bursts))),
        gaps=tuple(study.gaps(_told(outcomes.spec.bursts))),
    )


def _told(bursts: tuple[int, ...]) -> int:
    """Choose the burst whose gaps are told: the paper's 100 where it was played, else the longest."""
    return bursts.index(100) if 100 in bursts else len(bursts) - 1


class _Study:
    """The arrays of one analysis and the resamples that all its intervals share."""

    def __init__(self, outcomes: Outcomes, draws: int, seed: int) -> None:
        self.o = outcomes
        self.pool = pooled(outcomes.post_shift, outcomes.order, outcomes.spec.horizon)
        n = len(outcomes.questions)
        self.by_question = Resamples.draw(n, seed, draws)
        self.by_conversation = Resamples.draw(n, seed, draws, clusters=outcomes.conversation)
        self.values = outcomes.hits.astype(np.float64)

    def row(self, policy: int) -> Row:
        o, bursts = self.o, self.o.spec.bursts
        everything = np.ones(len(o.questions), dtype=np.bool_)
        hits = {m: self.values[policy, b] for b, m in enumerate(bursts)}
        curves = {m: self._curve(policy, b) for b, m in enumerate(bursts)}
        plain = {m: curve(o.hits[policy, b], o.post_shift, o.order, CURVE) for b, m in enumerate(bursts)}
        clean = plain[bursts[0]]
        return Row(
            policy=o.policies[policy],
            overall=self.by_question.interval(self.values[policy, 0], defined=everything),
            recovery={m: self.by_question.interval(hits[m], defined=self.pool) for m in bursts},
            recovery_over_conversations={
                m: self.by_conversation.interval(hits[m], defined=self.pool) for m in bursts
            },
            polluted={m: float(hits[m].mean()) for m in bursts},
            curves=curves,
            deficits={m: deficit(clean, plain[m]) for m in bursts},
            back={m: time_to_recover(clean, plain[m], EPSILON) for m in bursts},
        )

    def ranks(self, burst: int) -> RankRow:
        overall = self.values[:, 0].mean(axis=1)
        polluted = self.values[:, burst].mean(axis=1)
        recovered = self.values[:, burst][:, self.pool].mean(axis=1)
        quiet = self._beyond_noise(self.values[:, burst], self.pool)
        quiet_overall = self._beyond_noise(self.values[:, 0], np.ones_like(self.pool))
        return RankRow(
            burst=self.o.spec.bursts[burst],
            rho=spearman(overall, recovered),
            inversion=inversion(overall, recovered),
            rho_beyond_noise=spearman(quiet_overall, quiet),
            inversion_beyond_noise=inversion(quiet_overall, quiet),
            rho_same_stream=spearman(polluted, recovered),
            rho_by_conversation=self._by_conversation(burst, burst),
            rho_by_conversation_clean=self._by_conversation(0, burst),
        )

    def gaps(self, burst: int) -> list[Gap]:
        """Compare every policy with every later one on the pooled questions."""
        found = []
        for a, first in enumerate(self.o.policies):
            for b in range(a + 1, len(self.o.policies)):
                pair = self.values[a, burst], self.values[b, burst]
                found.append(
                    Gap(
                        first,
                        self.o.policies[b],
                        self.o.spec.bursts[burst],
                        self.by_question.difference(*pair, defined=self.pool),
                        self.by_conversation.difference(*pair, defined=self.pool),
                    )
                )
        return found

    def _curve(self, policy: int, burst: int) -> tuple[Interval, ...]:
        o = self.o
        masks = np.stack([pooled(o.post_shift, o.order, t) for t in range(1, CURVE + 1)], axis=1)
        columns = np.repeat(self.values[policy, burst][:, None], CURVE, axis=1)
        return self.by_question.intervals(columns, defined=masks)

    def _beyond_noise(self, values: Floats, inside: npt.NDArray[np.bool_]) -> Floats:
        """Score each policy by how many others it clearly beats minus by how many it is clearly beaten."""
        wins = np.zeros(len(values))
        for a in range(len(values)):
            for b in range(len(values)):
                gap = self.by_conversation.difference(values[a], values[b], defined=inside)
                if gap.low is not None and gap.high is not None and not gap.low <= 0 <= gap.high:
                    wins[a] += 1 if gap.low > 0 else -1
        return wins

    def _by_conversation(self, overall_burst: int, burst: int) -> float | None:
        rhos = []
        for conversation in np.unique(self.o.conversation):
            here = self.o.conversation == conversation
            if not (here & self.pool).any():
                continue
            overall = self.values[:, overall_burst][:, here].mean(axis=1)
            recovered = self.values[:, burst][:, here & self.pool].mean(axis=1)
            rho = spearman(overall, recovered).value
            if rho is not None:
                rhos.append(rho)
        return float(np.mean(rhos)) if rhos else None
