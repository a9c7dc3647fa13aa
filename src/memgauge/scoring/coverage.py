"""How much of a conversation was returned: distinct turns, not characters, and only as far as texts bear them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from memgauge.scoring.witness import Claims, WordWitness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun


class ReturnedShares(NamedTuple):
    """Mean shares of the distinct turns of a conversation that what was returned holds, over questions."""

    borne: float
    """As far as the words of the texts bear them."""
    claimed: float
    """As systems say."""


def coverage(judged: JudgedRun, budget: int | None = None) -> ReturnedShares | None:
    """Count the turns that the judged ranks hold, or, with a *budget* of tokens, those that lie within it.

    A memory that the budget ends in counts for the share of its tokens that fits; one of unknown length counts for
    nothing. ``None`` where no question was answered, or the gold does not know the conversations.
    """
    spending = judged.spending
    run, gold, trace = judged.run, spending.gold, spending.evidence.trace
    sizes = gold.conversations.sizes
    turns = np.array([sizes[q.conversation].turns if q.conversation in sizes else 0 for q in gold.questions])
    answered = spending.answered & (turns > 0)
    if not answered.any():
        return None
    fits = spending.fits(budget)
    hits = np.flatnonzero((fits > 0) & answered[trace.query])
    claims, indptr, number = _claims(run)
    words = spending.witness if isinstance(spending.witness, WordWitness) else WordWitness(run, gold)
    shares = _shares(words, claims, np.unique(trace.memory[hits]))
    hit, claim = _expanded(indptr, trace.memory[hits])
    query, part, space = trace.query[hits][hit], fits[hits][hit], 1 + number.max(initial=0)
    codes, group = np.unique(query.astype(np.int64) * space + number[claim], return_inverse=True)

    def mean(share: NDArray[np.float64]) -> float:
        most = np.zeros(len(codes))
        np.maximum.at(most, group, share)
        held = np.bincount(codes // space, most, minlength=len(turns))
        return float((held[answered] / turns[answered]).mean())

    return ReturnedShares(mean(shares[claim] * part), mean(part))


def _claims(run: Run) -> tuple[Claims, NDArray[np.int64], NDArray[np.int64]]:
    """Take every claim of a run: itself, where those of each memory begin, and a number for its turn."""
    sources = run.sources
    memory = sources["memory"].astype(np.int64)
    homes, turns = sources["conversation"].tolist(), sources["turn"].tolist()
    numbers: dict[tuple[str, str], int] = {}
    number = [numbers.setdefault(turn, len(numbers)) for turn in zip(homes, turns, strict=True)]
    indptr = np.concatenate(([0], np.cumsum(np.bincount(memory, minlength=run.stored))))
    return Claims(memory, homes, turns), indptr, np.array(number, dtype=np.int64)


def _shares(words: WordWitness, claims: Claims, used: NDArray[np.int32]) -> NDArray[np.float64]:
    """Read the texts of the memories that were *used*."""
    shares = np.zeros(len(claims.memory))
    places = np.flatnonzero(np.isin(claims.memory, used) & ~words.copies[claims.memory])
    shares[words.copies[claims.memory]] = 1.0
    chosen = Claims(
        claims.memory[places],
        [claims.conversation[place] for place in places.tolist()],
        [claims.turn[place] for place in places.tolist()],
    )
    shares[places] = words.shares(chosen)[0]
    return shares


def _expanded(
    indptr: NDArray[np.int64], memories: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Repeat every place of *memories* once a claim: (place, claim)."""
    width = np.diff(indptr)[memories]
    ends = np.cumsum(width)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - width, width)
    return np.repeat(np.arange(len(memories)), width), np.repeat(indptr[memories], width) + within
