"""Exact top-k in a total order: score first, then a stated tie rule.

A float32 score and the rank of its item in the tie order fit into one 64-bit key. Keys are distinct, so plain
sorting gives the one right answer, ties at the k-th place included. Scores are computed in float64 and rounded to
float32 before they are compared: sums that differ only by the order of their additions tie, as they should.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Order = npt.NDArray[np.int64]
    """Item indices in the order in which ties are broken, best first."""
    Keys = npt.NDArray[np.uint64]
    """Scores and, below them, the rank in the tie order; 0 is no key."""

_SIGN = np.uint32(0x80000000)
_LOW = np.uint64(0xFFFFFFFF)
_SCORE = np.uint64(32)
_LEAST = np.float32(2.0**-149)
"""The least score above zero."""
_GROUPS = 8
"""Groups of items for each one that is wanted: the more, the fewer others reach the k-th of their maxima."""
_BLOCK = 1 << 17
"""Scores handled at once: what fits into the second-level cache."""


def latest_first(n: int) -> Order:
    """Break ties in favour of the later item."""
    return np.arange(n - 1, -1, -1, dtype=np.int64)


def by_hash(ids: Iterable[str]) -> Order:
    """Break ties by a hash of the id: independent of the position and of every label."""
    return np.argsort(hash_keys(ids), kind="stable").astype(np.int64)


def hash_keys(ids: Iterable[str]) -> npt.NDArray[np.uint64]:
    """Hash each id to 64 bits (BLAKE2b), the same in every process."""
    digests = b"".join(hashlib.blake2b(_bytes(name), digest_size=8).digest() for name in ids)
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def top_k(
    scores: npt.NDArray[np.floating], k: int, order: Order, *, positive: bool = False
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return the best *k* items of every row.

    Args:
        scores: Finite, shape (queries, items).
        k: How many to return.
        order: Breaks ties; a permutation of the items.
        positive: Drop items whose score is not above zero.

    Returns:
        Item indices padded with -1, and their scores padded with 0, both of shape (queries, min(k, items)).
    """
    rows, items = scores.shape
    k = max(0, min(k, items))
    indices, values = np.zeros((rows, k), np.int32), np.zeros((rows, k), np.float32)
    step = max(1, _BLOCK // max(items, 1))
    place = places(order)
    for start in range(0, rows if k else 0, step):
        block = slice(start, start + step)
        singles = np.asarray(scores[block], dtype=np.float32)
        threshold = reached_by(singles, k)
        near = singles >= (np.maximum(threshold, _LEAST) if positive else threshold)
        cells = np.flatnonzero(near)
        row, item = np.divmod(cells, items)
        near_keys = keys(singles.take(cells), place.take(item))
        indices[block], values[block] = best(padded(near_keys, row, len(singles), k), k, order)
    return indices, values


def places(order: Order) -> Keys:
    """Return for each item its rank in the tie order, higher for what wins a tie."""
    place = np.empty(len(order), dtype=np.uint64)
    place[order] = np.arange(len(order) - 1, -1, -1, dtype=np.uint64)
    return place


def reached_by(scores: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.float32]:
    """Return for each row, (rows, 1), a score that at least *k* of its items reach, and few others.

    It is the k-th largest maximum of groups of items, which lie interleaved, since neighbours are often alike.
    """
    rows, items = scores.shape
    deep = max(1, items // (_GROUPS * k))
    wide = items // deep
    groups = scores if deep == 1 else scores[:, : deep * wide].reshape(rows, deep, wide).max(axis=1)
    threshold: npt.NDArray[np.float32] = np.partition(groups, wide - k, axis=1)[:, wide - k, None]
    return threshold


def keys(scores: npt.NDArray[np.float32], place: Keys) -> Keys:
    """Put scores above places; a greater key is a better item."""
    bits = (scores + np.float32(0)).view(np.uint32)  # -0 is a plain zero
    ascending = np.where(bits & _SIGN, ~bits, bits | _SIGN)  # order of the floats as unsigned integers
    return ascending.astype(np.uint64) << _SCORE | place


def padded(cells: Keys, row: npt.NDArray[np.int64], rows: int, k: int) -> Keys:
    """Lay what belongs to the same row side by side, *k* wide at least, and fill up with 0; rows ascend."""
    starts = np.searchsorted(row, np.arange(rows + 1))
    table = np.zeros((rows, max(k, int(np.diff(starts).max(initial=0)))), dtype=np.uint64)
    table[row, np.arange(len(cells)) - starts[row]] = cells
    return table


def best(table: Keys, k: int, order: Order) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return the items of the *k* largest keys of every row and their scores, as :func:`top_k` does."""
    cells = table.shape[1]
    candidates = np.partition(table, cells - k, axis=1)[:, cells - k :] if cells > 2 * k else table
    largest = np.sort(candidates, axis=1)[:, : -k - 1 : -1]
    ascending = (largest >> _SCORE).astype(np.uint32)
    scores = np.where(ascending & _SIGN, ascending ^ _SIGN, ~ascending).view(np.float32)
    items = order.astype(np.int32)[::-1].take((largest & _LOW).astype(np.int64))
    if not (is_item := largest > 0).all():
        items, scores = np.where(is_item, items, np.int32(-1)), np.where(is_item, scores, np.float32(0))
    return items, scores
