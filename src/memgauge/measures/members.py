"""Which memories could earn credit for which question, and how little a perfect ranking needs of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Members:
    """The lineage that can matter: memories of the credited form, reduced to turns that are evidence at all.

    Most hits of most rankings descend from no evidence turn of any question, so this reduction comes first and
    the joins behind it touch a small part of the trace.
    """

    width: NDArray[np.int64]
    """(M,) evidence turns per memory; 0 for a memory of another form."""
    turns: NDArray[np.int32]
    """Those turns, memory by memory."""
    sizes: NDArray[np.int64]
    """By turn number: how many members descend from it."""
    share: NDArray[np.float64] | None = None
    """How much of each of those turns its memory bears; ``None`` where claims are believed."""

    @classmethod
    def of(
        cls,
        indptr: NDArray[np.int64],
        turns: NDArray[np.int32],
        credited: NDArray[np.bool_] | None,
        evidence: NDArray[np.int32],
        share: NDArray[np.float64] | None = None,
    ) -> Members:
        """Reduce a lineage to its *credited* memories, or to all, and to *evidence* turns.

        A memory that claims a turn without bearing it stays a member: bearing a turn worse never pays.
        """
        space = 1 + max(turns.max(initial=0), evidence.max(initial=0))
        is_evidence = np.zeros(space, dtype=np.bool_)
        is_evidence[evidence] = True
        memory = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        keep = is_evidence.take(turns)
        places = np.flatnonzero(keep if credited is None else keep & credited.take(memory))
        member_turns = turns.take(places)
        widths = np.bincount(memory.take(places), minlength=len(indptr) - 1)
        return cls(
            widths,
            member_turns,
            np.bincount(member_turns, minlength=space),
            None if share is None else share.take(places),
        )

    @property
    def space(self) -> int:
        """Return a number greater than every turn number."""
        return len(self.sizes)

    @cached_property
    def stored(self) -> NDArray[np.bool_]:
        """By turn number: whether any member descends from it."""
        return self.sizes > 0

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the turns of each memory begin."""
        return np.cumsum(self.width) - self.width

    def expand(
        self, keys: NDArray[np.int64], memories: NDArray[np.int32], widths: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Repeat each key once per evidence turn of its memory: (key, place in *turns*), keys in order."""
        starts = self.starts[memories]
        if widths.max(initial=0) <= 1:
            return keys, starts
        return np.repeat(keys, widths), np.repeat(starts, widths) + _within(widths)

    def either(self, by_turn: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return for each memory the bits that any of its turns has; 0 for one without evidence."""
        bits, nonempty = np.zeros(len(self.width), dtype=np.uint32), np.flatnonzero(self.width)
        if len(nonempty):
            bits[nonempty] = np.bitwise_or.reduceat(by_turn[self.turns], self.starts[nonempty])
        return bits

    def pairs(self, codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pair every anchor with every member that descends from it: (row in *codes*, memory)."""
        memory = np.repeat(np.arange(len(self.width)), self.width)
        order = np.argsort(self.turns, kind="stable")
        count = np.bincount(self.turns, minlength=self.space)
        turn = codes % self.space
        width = count[turn]
        starts = (np.cumsum(count) - count)[turn]
        rows = np.repeat(np.arange(len(codes)), width)
        return rows, memory[order[np.repeat(starts, width) + _within(width)]]


def distinct_members(members: Members, codes: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Count the members of each question, one that descends from two of its anchors once."""
    rows, memory = members.pairs(codes)
    query = codes[rows] // members.space
    size = max(len(members.width), 1)
    return np.bincount(np.unique(query * size + memory) // size, minlength=n)


def ideal_cover(members: Members, codes: NDArray[np.int64]) -> Iterator[tuple[int, list[int]]]:
    """Yield, where one member descends from several anchors of a question, the gains of a greedy cover.

    For every other question the best ranking simply gains 1 per anchor. Greedy is the usual approximation of the
    best cover, not always the best: measures that divide by it are capped at 1.
    """
    if members.width.max(initial=0) <= 1:
        return
    rows, memory = members.pairs(codes)
    query = codes[rows] // members.space
    pair, count = np.unique(query * len(members.width) + memory, return_counts=True)
    several = np.unique(pair[count > 1] // len(members.width))
    is_several = np.isin(query, several)
    masks: dict[int, dict[int, int]] = {int(q): {} for q in several}
    first_codes = np.searchsorted(codes, several * members.space)
    offset = dict(zip(several.tolist(), first_codes.tolist(), strict=True))
    columns = (query[is_several].tolist(), rows[is_several].tolist(), memory[is_several].tolist())
    for q, row, m in zip(*columns, strict=True):
        masks[q][m] = masks[q].get(m, 0) | 1 << (row - offset[q])
    for q, by_memory in masks.items():
        yield q, _greedy(sorted(set(by_memory.values())))


def _greedy(sets: list[int]) -> list[int]:
    """Return how many new elements each step of a greedy cover by bit sets adds."""
    gains = []
    while sets:
        largest_set = max(sets, key=int.bit_count)
        gains.append(largest_set.bit_count())
        sets = [uncovered for s in sets if (uncovered := s & ~largest_set)]
    return gains


def _within(widths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0..width-1 for each width, end to end."""
    ends = np.cumsum(widths)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - widths, widths)
