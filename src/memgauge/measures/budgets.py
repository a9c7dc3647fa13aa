"""What of a ranking a reader sees who pays for tokens: everything in the order returned, the last memory cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import median
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.measures.credit import credit_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from memgauge.measures.credit import EvidenceHits, Judged, Trace
    from memgauge.records import Coverage, Credit

TOKENS_A_RANK: Final = 50
"""Tokens that count as one rank where a measure discounts: a hit counts at the rank of its last token.

So a system gains nothing by cutting its memories into other sizes. Turns of chats have 30 to 60 tokens.
"""


DECLARED: Final = 2_000
"""Tokens that a board ranks within, unless its conversations are short or somebody names another budget."""
LEAST: Final = 50
PART: Final = 8
"""A budget that ranks holds at most one of so many parts of the usual conversation: else it would hold all."""


def budget_for(conversations: Iterable[int]) -> int:
    """Return the budget for conversations of so many tokens: :data:`DECLARED`, halved until it is a small part.

    That is at most an eighth of the median, or, in the shortest conversations, what is left above :data:`LEAST`.
    """
    lengths, budget = list(conversations), DECLARED
    usual = median(lengths) if lengths else DECLARED * PART
    while budget * PART > usual and budget // 2 >= LEAST:
        budget //= 2
    return budget


@dataclass(frozen=True, eq=False)
class Lengths:
    """How many tokens the hits of a trace cost, in the order returned."""

    trace: Trace
    tokens: NDArray[np.float64]
    """(H,) NaN where the record does not hold the text."""

    @cached_property
    def through(self) -> NDArray[np.float64]:
        """(H,) tokens of a question's hits up to and with this one; NaN from the first unknown length on."""
        is_unknown = np.isnan(self.tokens)
        sums, gaps = np.cumsum(np.where(is_unknown, 0.0, self.tokens)), np.cumsum(is_unknown)
        starts, sizes = self.trace.starts[:-1], np.diff(self.trace.starts)
        sums_before, holes = np.concatenate(([0.0], sums))[starts], np.concatenate(([0], gaps))[starts]
        sums -= np.repeat(sums_before, sizes)
        sums[gaps > np.repeat(holes, sizes)] = np.nan
        return sums

    @cached_property
    def before(self) -> NDArray[np.float64]:
        """(H,) tokens of the hits above; NaN after an unknown length."""
        is_first = np.zeros(len(self.tokens), dtype=np.bool_)
        starts = self.trace.starts[:-1]
        is_first[starts[np.diff(self.trace.starts) > 0]] = True
        shifted = np.zeros(len(self.tokens))
        shifted[1:] = self.through[:-1]
        return np.where(is_first, 0.0, shifted)

    def seen(self, budget: int) -> NDArray[np.bool_]:
        """(H,) mark the hits of which something lies within *budget*; one without any text costs nothing."""
        return np.asarray((self.before < budget) | (self.through <= budget), dtype=np.bool_)

    def cut(self, budget: int) -> NDArray[np.bool_]:
        """(H,) mark the hits that *budget* ends in."""
        return np.asarray((self.before < budget) & (self.through > budget), dtype=np.bool_)

    def known(self, budget: int) -> NDArray[np.bool_]:
        """(Q,) mark the questions of which it is known what lies within *budget*."""
        unsure = np.isnan(self.through) & (self.before < budget)
        return np.asarray(
            np.bincount(self.trace.query[unsure], minlength=self.trace.n_queries) == 0, dtype=np.bool_
        )

    def totals(self, k: int) -> NDArray[np.float64]:
        """(Q,) tokens of the first *k* hits of every question; NaN where unknown."""
        within_k = self.trace.rank < k
        sums = np.bincount(self.trace.query[within_k], self.tokens[within_k], minlength=self.trace.n_queries)
        return np.asarray(sums, dtype=np.float64)


def within(
    hits: EvidenceHits,
    lengths: Lengths,
    budget: int,
    cut_share: NDArray[np.float64] | None,
    *,
    credit: Credit,
    coverage: Coverage,
    source: EvidenceHits | None = None,
) -> Judged:
    """Credit what of the hits lies within *budget* tokens.

    *lengths* are of all hits of the same trace. *cut_share* is (P,): of each pair of *hits*, how much of the
    anchor the hit bears when it is cut at the budget, read only where it is; ``None``: a hit that does not fit
    bears nothing. *source* is the same with every form credited, where *credit* asks for it.
    """
    shortened = _shortened(hits, lengths, budget, cut_share)
    judged = credit_of(shortened, credit, coverage, source=source or hits)
    is_seen = lengths.seen(budget) & (lengths.trace.rank < hits.k)
    returned_counts = np.bincount(hits.trace.query[is_seen], minlength=hits.trace.n_queries).astype(np.int32)
    places = partial(_places, hits, lengths, budget)
    return replace(judged, count_places=places, returned=returned_counts, budget=budget)


def _places(hits: EvidenceHits, lengths: Lengths, budget: int) -> NDArray[np.float64]:
    """(Q, K) count each hit at the rank of its last token within *budget*."""
    is_seen = lengths.seen(budget) & (lengths.trace.rank < hits.k)
    place = np.ones(hits.trace.n_queries * hits.k)
    cells = hits.trace.query[is_seen].astype(np.int64) * hits.k + lengths.trace.rank[is_seen]
    place[cells] = np.fmax(np.minimum(lengths.through[is_seen], budget) / TOKENS_A_RANK, 1.0)
    return place.reshape(-1, hits.k)


def _shortened(
    hits: EvidenceHits, lengths: Lengths, budget: int, cut_share: NDArray[np.float64] | None
) -> EvidenceHits:
    """Leave out what lies beyond *budget*, and weigh anew what is cut."""
    share = np.ones(len(hits.hits)) if hits.share is None else hits.share
    is_cut = lengths.cut(budget)[hits.hits]
    share = np.where(is_cut, 0.0 if cut_share is None else cut_share, share)
    share = np.where(lengths.seen(budget)[hits.hits], share, 0.0)
    keep = share > 0
    partial = hits.share is not None or cut_share is not None
    return replace(
        hits,
        hits=hits.hits[keep],
        anchor=hits.anchor[keep],
        rank=hits.rank[keep],
        share=share[keep] if partial else None,
    )
