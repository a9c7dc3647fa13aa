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

_SIGN = np.uint32(0x80000000)
_LOW = np.uint64(0xFFFFFFFF)
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
    place = np.empty(items, dtype=np.uint64)
    place[order] = np.arange(items - 1, -1, -1, dtype=np.uint64)
    for start in range(0, rows if k else 0, step):
        block = slice(start, start + step)
        rounded = np.asarray(scores[block], dtype=np.float32) + np.float32(0)  # makes -0 a plain zero
        best = _largest(_keys(rounded, k, place, positive), k)
        top = order[(np.uint64(items - 1) - (best & _LOW)).astype(np.int64)]
        indices[block], values[block] = top, np.take_along_axis(rounded, top, axis=1)
        if positive:
            dropped = best == 0
            indices[block][dropped], values[block][dropped] = -1, 0
    return indices, values


def _keys(
    rounded: npt.NDArray[np.float32], k: int, place: npt.NDArray[np.uint64], positive: bool
) -> npt.NDArray[np.uint64]:
    """Return the keys of what can be among the best *k* of each row, padded with 0, which is no key.

    Few items reach the k-th best score, so only these get keys; *place* is higher for what wins a tie.
    """
    rows, items = rounded.shape
    least = (
        np.partition(rounded, items - k, axis=1)[:, items - k, None] if k < items else rounded.min(axis=1)[:, None]
    )
    near = rounded >= least
    if positive:
        near &= rounded > 0
    cells = np.flatnonzero(near)
    row = cells // items
    starts = np.searchsorted(row, np.arange(rows + 1))
    keys = np.zeros((rows, max(k, int(np.diff(starts).max()))), dtype=np.uint64)
    bits = rounded.ravel()[cells].view(np.uint32)
    ascending = np.where(bits & _SIGN, ~bits, bits | _SIGN)  # order of the floats as unsigned integers
    keys[row, np.arange(len(cells)) - starts[row]] = (
        ascending.astype(np.uint64) << np.uint64(32) | place[cells - row * items]
    )
    return keys


def _largest(keys: npt.NDArray[np.uint64], k: int) -> npt.NDArray[np.uint64]:
    """Return the *k* largest keys of every row, largest first."""
    items = keys.shape[1]
    if k < items:
        keys.partition(items - k, axis=1)
    best = np.sort(keys[:, items - k :], axis=1)
    return best[:, ::-1]
