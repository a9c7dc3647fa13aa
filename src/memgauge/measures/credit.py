"""Turn frozen rankings, lineage and evidence into gains: the only place that knows what counts as found.

A memory is a *member* of the target for a question when it descends from at least one of its evidence turns
(*anchors*) and is *credited*: has the form that the target asks for. Source: "Scoring targets", eq. 1-3; its
unreported credit rule is the parameter ``credit``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.measures.members import Members, distinct_members, ideal_cover
from memgauge.records import Coverage, Credit

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


_GOLDEN = np.uint32(0x9E3779B1)
"""2³² divided by the golden ratio, made prime: products with it lie evenly (Knuth 1998, vol. 3, §6.4)."""


def _bits(query: NDArray[np.integer]) -> NDArray[np.uint32]:
    """Return the bit that stands for each question; neighbours differ, and so do those that lie evenly apart.

    The leading bits of a product with the golden ratio name it. The last bits of the number would not do:
    questions of one conversation, which share its memories, may be every tenth, and would share half of the bits.
    """
    bits: NDArray[np.uint32] = np.left_shift(np.uint32(1), query.astype(np.uint32) * _GOLDEN >> np.uint32(27))
    return bits


@dataclass(frozen=True, eq=False)
class Trace:
    """Frozen rankings as columns: hit *i* belongs to question ``query[i]``; order is rank."""

    query: NDArray[np.int32]
    """(H,) nondecreasing, in ``0..n_queries-1``."""
    memory: NDArray[np.int32]
    """(H,) row of the memory table."""
    n_queries: int

    def __post_init__(self) -> None:
        if len(self.query) != len(self.memory):
            raise ValueError(f"{len(self.query)} queries beside {len(self.memory)} memories: one of each a hit.")
        if len(self.query) and (self.query[0] < 0 or self.query[-1] >= self.n_queries):
            raise ValueError(f"A question row lies outside 0..{self.n_queries - 1}.")
        if bool((self.query[1:] < self.query[:-1]).any()):
            raise ValueError("The hits of one question must lie together, questions in order.")

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(n_queries + 1,) where the hits of each question begin, and where the last ones end."""
        counts = np.bincount(self.query, minlength=self.n_queries)
        return np.concatenate(([0], np.cumsum(counts)))

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """(H,) the place of each hit among those of its question, from 0."""
        return np.arange(len(self.query)) - np.repeat(self.starts[:-1], np.diff(self.starts))

    @cached_property
    def bits(self) -> NDArray[np.uint32]:
        """(H,) the bit that stands for the question of each hit."""
        return _bits(self.query)


@dataclass(frozen=True, eq=False)
class Descent:
    """From which turns every memory (in one version) descends: CSR over turn numbers of the whole dataset."""

    indptr: NDArray[np.int64]
    """(M+1,)"""
    turns: NDArray[np.int32]
    """(nnz,) distinct within one memory; no two conversations share a number."""
    share: NDArray[np.float64] | None = None
    """(nnz,) how much of each turn its memory bears, 0 to 1; ``None`` believes every claim."""


@dataclass(frozen=True, eq=False)
class Anchors:
    """Evidence: turn ``turn[i]`` supports the answer to question ``query[i]``."""

    query: NDArray[np.int32]
    turn: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Judged:
    """Everything that measures know: Q questions, ranks 1..K."""

    gains: NDArray[np.float64]
    """(Q, K) gain of the hit at each rank, 0 beyond what was returned."""
    ideal: NDArray[np.float64]
    """(Q, K) gains of the best possible ranking, descending."""
    relevant: NDArray[np.float64]
    """(Q,) how much there is to find; 0 makes the question undefined."""
    anchors: NDArray[np.int32]
    """(Q,) number of evidence turns, whether or not anything descends from them."""
    returned: NDArray[np.int32]
    """(Q,) how many hits were returned, at most K."""
    covered: NDArray[np.float64]
    """(Q, K) evidence turns found for the first time at each rank; equals *gains* under ``credit=anchor``."""
    share: NDArray[np.float64] | None = None
    """(Q, K) how far the hit at each rank bears what it is credited for, 0 to 1; ``None``: wholly."""
    count_places: Callable[[], NDArray[np.float64]] | None = None
    """Gives (Q, K) the rank that the hit at each rank counts as; few measures ask. ``None``: its own."""
    budget: int | None = None
    """The tokens that ranks were cut at; ``None``: at K alone."""

    @cached_property
    def place(self) -> NDArray[np.float64] | None:
        """(Q, K) the rank that the hit at each rank counts as; ``None``: its own."""
        return None if self.count_places is None else self.count_places()

    @property
    def credited(self) -> NDArray[np.float64]:
        """(Q, K) how far the hit at each rank is a credited one: 0 or 1 where claims are believed."""
        credited = (self.gains > 0).astype(np.float64)
        return credited if self.share is None else credited * self.share

    @property
    def places(self) -> NDArray[np.float64]:
        """(K,) or (Q, K) the rank that every hit counts as."""
        return np.arange(1.0, self.depth + 1.0) if self.place is None else self.place

    @property
    def depth(self) -> int:
        """Return K."""
        return int(self.gains.shape[1])


@dataclass(frozen=True, eq=False)
class EvidenceHits:
    """Which hits descend from evidence under one target, however often that is to be credited."""

    trace: Trace
    k: int
    members: Members
    whole: bool
    """Whether every form is credited, so that an anchor without a member was forgotten."""
    codes: NDArray[np.int64]
    """(A,) every (question, anchor) once, ascending: question * space + turn."""
    hits: NDArray[np.int64]
    """(P,) the hit of each pair of a hit and an anchor that it descends from, ascending."""
    anchor: NDArray[np.int64]
    """(P,) its row in *codes*."""
    rank: NDArray[np.int64]
    """(P,) from 0, below *k*."""
    share: NDArray[np.float64] | None = None
    """(P,) how much of its anchor the hit bears, above 0; ``None``: all of it."""

    @cached_property
    def query(self) -> NDArray[np.int64]:
        """(A,) the question of each anchor."""
        return self.codes // self.members.space

    @cached_property
    def stored(self) -> NDArray[np.bool_]:
        """(A,) whether any member descends from each anchor."""
        return self.members.stored[self.codes % self.members.space]

    @cached_property
    def covered(self) -> NDArray[np.float64]:
        """(Q, K) anchors found for the first time at each rank."""
        return self.first(self.anchor)

    @cached_property
    def missing(self) -> NDArray[np.int64]:
        """(Q,) anchors that were forgotten: they still count, so that dropping evidence cannot raise a score."""
        forgotten_queries = self.query[~self.stored] if self.whole else self.query[:0]
        return np.bincount(forgotten_queries, minlength=self.trace.n_queries)

    @cached_property
    def findable(self) -> NDArray[np.int64]:
        """(Q,) anchors with a member, and those that were forgotten."""
        return np.bincount(self.query[self.stored], minlength=self.trace.n_queries) + self.missing

    def first(self, group: NDArray[np.int64], weight: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Add up, at each (question, rank), the groups seen there first, each with the weight of its pair.

        Where hits bear their anchors in part, a later hit of a group adds what it bears beyond the earlier ones.
        """
        if self.share is None:
            pairs = np.unique(group, return_index=True)[1]
            pair_gains = np.ones(len(pairs)) if weight is None else weight[pairs]
        else:
            pairs = np.argsort(group, kind="stable")
            pair_gains = _risen(group[pairs], self.share[pairs])
            pair_gains = pair_gains if weight is None else pair_gains * weight[pairs]
        size = self.trace.n_queries * self.k
        sums: NDArray[np.float64] = np.bincount(self._cells(pairs), pair_gains, minlength=size).astype(
            np.float64, copy=False
        )
        return sums.reshape(self.trace.n_queries, self.k)

    @cached_property
    def borne(self) -> NDArray[np.float64] | None:
        """(Q, K) how far the hit at each rank bears the anchor that it bears best; ``None``: wholly."""
        if self.share is None:
            return None
        largest_shares = np.zeros(self.trace.n_queries * self.k)
        np.maximum.at(largest_shares, self._cells(np.arange(len(self.hits))), self.share)
        return largest_shares.reshape(self.trace.n_queries, self.k)

    def _cells(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.trace.query[self.hits[pairs]].astype(np.int64) * self.k + self.rank[pairs]

    @cached_property
    def cover(self) -> NDArray[np.float64]:
        """(Q, K) gains of the best ranking when each anchor is credited once."""
        ideal = _ones(self.findable, self.k)
        for row, cover in ideal_cover(self.members, self.codes):
            best_gains = [*cover, *[1] * int(self.missing[row])][: self.k]
            ideal[row] = 0.0
            ideal[row, : len(best_gains)] = best_gains
        return ideal


def find(
    trace: Trace, descent: Descent, anchors: Anchors, *, k: int, credited: NDArray[np.bool_] | None = None
) -> EvidenceHits:
    """Find among the first *k* hits of every question those that are *credited* and descend from its anchors.

    *credited* is (M,), the memories of the credited form; ``None`` credits every form.

    Raises:
        ConfigError: *k* is not positive.
    """
    if k < 1:
        raise ConfigError(f"Cannot judge the first {k} hits.", "Ask for at least 1.")
    members = Members.of(descent.indptr, descent.turns, credited, anchors.turn, descent.share)
    codes = _distinct(anchors.query.astype(np.int64) * members.space + anchors.turn)
    hits, anchor, place = _join(trace, members, codes)
    rank = hits - trace.starts[trace.query[hits]]
    within_k = rank < k
    if members.share is None:
        return EvidenceHits(
            trace, k, members, credited is None, codes, hits[within_k], anchor[within_k], rank[within_k]
        )
    within_k &= members.share[place] > 0
    share = members.share[place[within_k]]
    return EvidenceHits(
        trace, k, members, credited is None, codes, hits[within_k], anchor[within_k], rank[within_k], share
    )


def credit_of(
    hits: EvidenceHits, credit: Credit, coverage: Coverage = Coverage.ANY, *, source: EvidenceHits
) -> Judged:
    """Credit what was found.

    Under ``anchor`` an anchor is credited once, at the first hit that descends from it; under ``id`` every
    member of the target earns 1, once, however often it is returned; ``anchor-cn`` divides the gains of
    ``anchor`` by what *source*, the same ranking with every form credited, could earn; under ``size-matched``
    each of an anchor's n members earns 1/n, the expected credit if only one of them, nobody knows which, were
    the target.

    What there is to find (``relevant``) decides whether forgetting pays. Where every form is credited, an anchor
    from which nothing in the memory table descends still counts, so that dropping evidence can never raise a
    score. Otherwise only anchors with a member count: a store without that form is undefined there, as in the
    paper. Under ``coverage=all`` a question is undefined unless all of its anchors have a member (or were
    forgotten). A version of a memory is a member of its own.
    """
    gains, ideal, relevant = hits.covered, hits.cover, hits.findable
    n = hits.trace.n_queries
    if credit is Credit.ID:
        size = max(len(hits.members.width), 1)
        gains = hits.first(hits.trace.query[hits.hits].astype(np.int64) * size + hits.trace.memory[hits.hits])
        relevant = distinct_members(hits.members, hits.codes, n) + hits.missing
        ideal = _ones(relevant, hits.k)
    elif credit is Credit.ANCHOR_CN:
        relevant, ideal = np.where(relevant > 0, source.findable, 0), source.cover
    elif credit is Credit.SIZE_MATCHED:
        pairs = hits.trace.memory[hits.hits].astype(np.int64) * max(len(hits.codes), 1) + hits.anchor
        share = 1.0 / np.maximum(hits.members.sizes[hits.codes % hits.members.space], 1)
        gains = hits.first(pairs, share[hits.anchor])
    total = np.bincount(hits.query, minlength=n)
    if coverage is Coverage.ALL:
        relevant = np.where(hits.findable == total, relevant, 0)
    if coverage is Coverage.ALL or credit is Credit.ANCHOR_CN:
        ideal = ideal * (relevant > 0)[:, None]
    returned_counts = np.minimum(np.diff(hits.trace.starts), hits.k).astype(np.int32)
    return Judged(
        gains,
        ideal,
        relevant.astype(np.float64),
        total.astype(np.int32),
        returned_counts,
        hits.covered,
        hits.borne,
    )


def judge(
    trace: Trace,
    descent: Descent,
    anchors: Anchors,
    *,
    k: int,
    credited: NDArray[np.bool_] | None = None,
    credit: Credit,
    coverage: Coverage = Coverage.ANY,
) -> Judged:
    """Find and credit the first *k* hits of every question; see :func:`credit_of`.

    Raises:
        ConfigError: *k* is not positive.
    """
    hits = find(trace, descent, anchors, k=k, credited=credited)
    source = hits
    if credit is Credit.ANCHOR_CN and not hits.whole:
        source = find(trace, descent, anchors, k=k)
    return credit_of(hits, credit, coverage, source=source)


def _distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return every number once, ascending; sorting does it in memory order, where hashing leaves the cache."""
    sorted_numbers = np.sort(numbers)
    distinct: NDArray[np.int64] = sorted_numbers[np.diff(sorted_numbers, prepend=-1) != 0]
    return distinct


def _join(
    trace: Trace, members: Members, codes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Pair every hit with every anchor that it descends from: (hit, row in *codes*, place in the members)."""
    hits = _near(trace, members, codes)
    memory = trace.memory.take(hits)
    hits, places = members.expand(hits, memory, members.width.take(memory))
    pair_codes = trace.query.take(hits) * np.int64(members.space) + members.turns.take(places)
    rows = np.searchsorted(codes, pair_codes)
    match = codes[np.minimum(rows, len(codes) - 1)] == pair_codes
    return hits[match], rows[match], places[match]


def _near(trace: Trace, members: Members, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return all hits that descend from an anchor of their question, and few others.

    Of the questions that a memory is evidence for, one bit in 32 is kept: it rules most hits out at once.
    """
    query, turn = np.divmod(codes, members.space)
    by_turn = np.zeros(members.space, dtype=np.uint32)
    np.bitwise_or.at(by_turn, turn, _bits(query))
    return np.flatnonzero(members.either(by_turn).take(trace.memory) & trace.bits != 0)


def _risen(group: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much each share rises above all earlier ones of its group; groups lie together."""
    is_first = np.ones(len(group), dtype=np.bool_)
    is_first[1:] = group[1:] != group[:-1]
    risen = np.where(is_first, share, 0.0)
    several = np.flatnonzero(~is_first)
    best_share = 0.0
    for place in several.tolist():
        best_share = share[place - 1] if is_first[place - 1] else best_share
        risen[place] = max(share[place] - best_share, 0.0)
        best_share = max(best_share, share[place])
    return risen


def _ones(count: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Return rows of *count* ones, cut at *k*."""
    capped = np.minimum(count, k)
    ones: NDArray[np.float64] = np.tri(int(capped.max(initial=0)) + 1, k, -1).take(capped, axis=0)
    return ones
