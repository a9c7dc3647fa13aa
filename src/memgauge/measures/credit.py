"""Turn frozen rankings, lineage and evidence into gains: the only place that knows what counts as found.

A memory is a *member* of the target for a question when it descends from at least one of its evidence turns
(*anchors*) and has the credited form: ``raw`` as measured, ``canonical`` everything else, ``source`` either.
Source: "Scoring targets", eq. 1-3; its unreported credit rule is the parameter ``credit``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.measures.members import Members, distinct_members, ideal_cover
from memgauge.records import Credit, Target

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


@dataclass(frozen=True, eq=False)
class Descent:
    """From which turns every memory (in one version) descends: CSR over turn numbers of the whole dataset."""

    indptr: NDArray[np.int64]
    """(M+1,)"""
    turns: NDArray[np.int32]
    """(nnz,) distinct within one memory; no two conversations share a number."""
    raw: NDArray[np.bool_]
    """(M,) whether the memory is a turn word for word, as measured."""


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

    @property
    def depth(self) -> int:
        """Return K."""
        return int(self.gains.shape[1])


def judge(trace: Trace, descent: Descent, anchors: Anchors, *, k: int, target: Target, credit: Credit) -> Judged:
    """Credit the first *k* hits of every question.

    Under ``credit=anchor`` an anchor is credited once, at the first hit that descends from it; under ``credit=id``
    every member of the target earns 1, once, however often it is returned.

    What there is to find (``relevant``) decides whether forgetting pays. Under ``target=source`` an anchor from
    which nothing in the memory table descends still counts (one gain of 1), so that dropping evidence can never
    raise a score. Under ``raw`` and ``canonical`` only anchors with a member count: a store without that form is
    undefined there, as in the paper. Under ``id`` a version of a memory is a member of its own.

    Args:
        trace: The rankings.
        descent: The lineage of every row of the memory table.
        anchors: The evidence of every question.
        k: Ranks to look at.
        target: The credited form.
        credit: How often an anchor earns credit.

    Raises:
        ConfigError: *k* is not positive.
    """
    if k < 1:
        raise ConfigError(f"Cannot judge the first {k} hits.", "Ask for at least 1.")
    n = trace.n_queries
    members = Members.of(descent.indptr, descent.turns, _credited(descent.raw, target), anchors.turn)
    codes = np.unique(anchors.query.astype(np.int64) * members.space + anchors.turn)
    hits, found = _join(trace, members, codes)
    starts = np.searchsorted(trace.query, np.arange(n + 1, dtype=np.int32))
    rank = hits - starts[trace.query[hits]]
    hits, found, rank = (column[rank < k] for column in (hits, found, rank))
    covered = _first_per(found, hits, rank, trace.query, shape=(n, k))
    query_of = codes // members.space
    stored = members.stored[codes % members.space]
    total = np.bincount(query_of, minlength=n)
    forgotten = query_of[~stored] if target is Target.SOURCE else query_of[:0]
    missing = np.bincount(forgotten, minlength=n)
    if credit is Credit.ID:
        identity = trace.query[hits].astype(np.int64) * len(descent.raw) + trace.memory[hits]
        gains = _first_per(np.unique(identity, return_inverse=True)[1], hits, rank, trace.query, shape=(n, k))
        relevant = distinct_members(members, codes, n) + missing
        ideal = _ones(relevant, k)
    else:
        gains = covered
        relevant = np.bincount(query_of[stored], minlength=n) + missing
        ideal = _ones(relevant, k)
        for row, cover in ideal_cover(members, codes):
            best = [*cover, *[1] * int(missing[row])][:k]
            ideal[row] = 0.0
            ideal[row, : len(best)] = best
    returned = np.minimum(np.diff(starts), k).astype(np.int32)
    return Judged(gains, ideal, relevant.astype(np.float64), total.astype(np.int32), returned, covered)


def _credited(raw: NDArray[np.bool_], target: Target) -> NDArray[np.bool_]:
    """Mark the memories that have the credited form."""
    if target is Target.SOURCE:
        return np.ones_like(raw)
    return raw if target is Target.RAW else ~raw


def _join(trace: Trace, members: Members, codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair every hit with every anchor that it descends from: (hit, row in *codes*), hits ascending."""
    width = members.width[trace.memory]
    hits = np.flatnonzero(width)
    hits, turns = members.expand(hits, trace.memory[hits], width[hits])
    wanted = trace.query[hits].astype(np.int64) * members.space + turns
    rows = np.searchsorted(codes, wanted)
    match = codes[np.minimum(rows, len(codes) - 1)] == wanted
    return hits[match], rows[match]


def _first_per(
    group: NDArray[np.int64],
    hits: NDArray[np.int64],
    rank: NDArray[np.int64],
    query: NDArray[np.int32],
    *,
    shape: tuple[int, int],
) -> NDArray[np.float64]:
    """Count, at each (question, rank), the groups that are seen there first; *hits* must ascend."""
    first = np.unique(group, return_index=True)[1]
    cells = query[hits[first]].astype(np.int64) * shape[1] + rank[first]
    return np.bincount(cells, minlength=shape[0] * shape[1]).astype(np.float64).reshape(shape)


def _ones(count: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Return rows of *count* ones, cut at *k*."""
    return (np.arange(k) < count[:, None]).astype(np.float64)
