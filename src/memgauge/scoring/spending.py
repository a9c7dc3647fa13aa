"""A run within budgets of tokens: what a reader is handed who pays for so many, in the order returned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memgauge.measures import Judged, Lengths, within
from memgauge.records import Outcome, Witness
from memgauge.scoring.lengths import characters
from memgauge.scoring.witness import Claims

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from memgauge.measures import EvidenceHits, Trace
    from memgauge.records import Contract
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.witness import Bearing


class EndedShares(NamedTuple):
    """Shares of the questions whose list ended before the budget did."""

    at_all: float
    """For whatever reason."""
    at_k: float
    """Because the harness keeps and judges no more than k memories."""
    empty: float
    """Share of the budget that the latter leave empty, as a mean over all lists."""


@dataclass(frozen=True, eq=False)
class Spending:
    """One run's hits with what they cost, judged within any budget when asked."""

    run: Run
    gold: GoldTable
    contract: Contract
    evidence: EvidenceHits
    """Where evidence lies in its lists."""
    source: EvidenceHits
    """The same with every form credited."""
    witness: Bearing | None
    count_lengths: Callable[[], Lengths]
    """Counts what the hits of *evidence* cost, once; see :func:`counted`."""

    def judged(self, budget: int) -> Judged:
        """Credit what lies within *budget* tokens."""
        return within(
            self.evidence,
            self.lengths,
            budget,
            self._cut_shares(budget),
            credit=self.contract.credit,
            coverage=self.contract.coverage,
            source=self.source,
        )

    def known(self, budget: int) -> NDArray[np.bool_]:
        """(Q,) mark the questions of which the record holds what a reader sees within *budget*."""
        return self.lengths.known(budget)

    @property
    def kept(self) -> int:
        """Return how many memories of a search are judged at most: no more than were kept of it."""
        return min(self.run.manifest.limits.k, self.evidence.k)

    def ended(self, budget: int) -> EndedShares | None:
        """Say how often lists end before *budget*; ``None`` where no question was asked or no length is known."""
        trace, k = self.evidence.trace, self.kept
        totals = self.lengths.totals(self.evidence.k)
        known = self.answered & ~np.isnan(totals)
        if not known.any():
            return None
        short = totals[known] < budget
        full = np.diff(trace.starts)[known] >= k
        empty = np.where(short & full, 1 - totals[known] / budget, 0.0)
        return EndedShares(float(short.mean()), float((short & full).mean()), float(empty.mean()))

    def fits(self, budget: int | None) -> NDArray[np.float64]:
        """(H,) which share of each hit is among the judged ranks, and within *budget* where there is one."""
        near = self.evidence.trace.rank < self.evidence.k
        if budget is None:
            return near.astype(np.float64)
        left, tokens = budget - self.lengths.before, self.lengths.tokens
        share = np.divide(left, tokens, out=np.ones(len(tokens)), where=(tokens > left) & (left > 0))
        return np.where(near & self.lengths.seen(budget), share, 0.0)

    def believed(self) -> Spending:
        """Return the same hits, at the same cost, where no witness is asked about what a budget cuts."""
        return replace(self, contract=replace(self.contract, witness=Witness.NONE), witness=None)

    @cached_property
    def answered(self) -> NDArray[np.bool_]:
        """(Q,) mark the questions that the system answered, be it with an empty list."""
        outcomes, names = (self.run.questions[name].tolist() for name in ("outcome", "question"))
        valid = {outcome for outcome in set(outcomes) if Outcome(outcome).valid}
        marks = np.zeros(self.evidence.trace.n_queries, dtype=np.bool_)
        places = [
            self.gold.number.get(name, -1) for name, end in zip(names, outcomes, strict=True) if end in valid
        ]
        marks[[place for place in places if place >= 0]] = True
        return marks

    @property
    def lengths(self) -> Lengths:
        """Return what every hit costs; see :func:`memgauge.text.tokens.count_tokens`."""
        return self.count_lengths()

    def _cut_shares(self, budget: int) -> NDArray[np.float64] | None:
        """(P,) ask the witness about the beginnings of the memories that *budget* ends in."""
        if self.witness is None:
            return None
        shares = np.zeros(len(self.evidence.hits))
        cut = np.flatnonzero(self.lengths.cut(budget)[self.evidence.hits])
        hits = self.evidence.hits[cut]
        turns = self._names_of(self.evidence.codes[self.evidence.anchor[cut]] % self.evidence.members.space)
        claims = Claims(
            self.evidence.trace.memory[hits].astype(np.int64),
            [home for home, _ in turns],
            [turn for _, turn in turns],
        )
        left = (budget - self.lengths.before[hits]).astype(np.int64)
        shares[cut] = self.witness.shares_of_cut(claims, left.tolist())
        return shares

    def _names_of(self, numbers: NDArray[np.int64]) -> Sequence[tuple[str, str]]:
        names = list(self.gold.turn_number)
        return [names[number] for number in numbers.tolist()]


def counted(run: Run, gold: GoldTable, trace: Trace) -> Callable[[], Lengths]:
    """Return what counts the tokens of every hit of a trace, when it is asked the first time."""
    return cache(lambda: Lengths(trace, np.ceil(characters(run, gold) / 4)[trace.memory]))
