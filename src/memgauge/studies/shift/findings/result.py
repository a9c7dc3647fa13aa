"""What the study says of one reading of the protocol, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memgauge.results import result
from memgauge.stats import Agreement, Interval


@result
@dataclass(frozen=True)
class ReturnPoint:
    """The first T at which an interrupted curve is back, with its interval; ``None`` is beyond the curve."""

    at: int | None
    low: int | None
    high: int | None
    reason: str = ""
    """Why it is not back, or cannot be."""


@result
@dataclass(frozen=True)
class PolicyResult:
    """One policy: Table 1, with intervals over conversations unless they are named after something else."""

    policy: str
    overall: Interval
    """On the clean stream."""
    recovery: Mapping[int, Interval]
    """Recovery@T by burst length."""
    recovery_over_questions: Mapping[int, Interval]
    """The same with percentile bootstrap intervals over questions, as the paper gives them."""
    per_segment: Mapping[int, Interval]
    """The mean of each segment's own Recovery@T, every shift counting the same."""
    polluted: Mapping[int, float]
    """Overall on the same interrupted stream, by burst length."""
    curves: Mapping[int, tuple[Interval, ...]]
    """Recovery@1 … by burst length, with bands."""
    deficits: Mapping[int, Interval]
    """Hits lost per question against the clean curve, summed over T."""
    back: Mapping[int, ReturnPoint]
    failed: int = 0
    """Questions without a result, which count as no hit."""


@result
@dataclass(frozen=True)
class RankRow:
    """How one burst length changes the order of the policies: Table 5."""

    burst: int
    rho: Agreement
    """Spearman of Recovery@T(m) and overall on the clean stream, average ranks (the published pair)."""
    rho_spread: Interval
    """With the middle 95 % of what resampled conversations give: a spread, no confidence interval."""
    inversion: Agreement
    inversion_spread: Interval
    rho_beyond_noise: Agreement
    """The same with every pair tied whose gap is not told apart over conversations, after Holm."""
    inversion_beyond_noise: Agreement
    rho_same_stream: Agreement
    """Spearman of Recovery@T(m) and overall on the same interrupted stream: the other reading."""
    rho_by_conversation: Interval
    """Mean over conversations of Spearman with overall on the same stream (the paper's 0.94 and 0.70)."""
    rho_by_conversation_clean: Interval
    """The same with overall on the clean stream, as the paper defines it."""
    delta_rho: Interval
    """How much lower ``rho_by_conversation`` is than without interruption, paired by conversation."""
    delta_rho_clean: Interval


@result
@dataclass(frozen=True)
class Gap:
    """How much more one policy recovers than another under the burst that is told."""

    a: str
    b: str
    burst: int
    over_questions: Interval
    """Percentile bootstrap."""
    over_conversations: Interval
    p_adjusted: float | None
    """Over conversations, after Holm over all gaps."""


@result
@dataclass(frozen=True)
class Route:
    """What a router chose under one burst length, and what it lost by learning."""

    policy: str
    burst: int
    shares: Mapping[str, float]
    """Of the questions, by arm."""
    best: str | None
    """The arm that hits most often when it answers everything."""
    regret_fixed: Interval
    """Hits per question that the best fixed arm has more."""
    regret_oracle: Interval
    """Hits per question that the best arm for each question has more."""


@result
@dataclass(frozen=True)
class ShiftResult:
    """Everything that the study says of one reading of the protocol."""

    questions: int
    post_shift: int
    pooled: int
    """Questions in Recovery@T."""
    told: int
    """The burst length whose gaps are told: the paper's 100 where it was played, else the longest."""
    ranked: tuple[str, ...]
    """The policies that are ordered: the paper's lexical ones where they were played, else all."""
    rows: tuple[PolicyResult, ...]
    ranks: tuple[RankRow, ...]
    ranks_of_all: tuple[RankRow, ...]
    """The same for all policies, where they are more than those ranked."""
    gaps: tuple[Gap, ...]
    routes: tuple[Route, ...] = field(default=())
