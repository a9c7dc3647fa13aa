"""The best of many parts, kept while they are looked through one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ties = npt.NDArray[np.uint64]
    """What decides between equal scores, one number an item: the smaller comes first."""

_NOTHING = -np.inf
_MOST = np.uint64(2**64 - 1)


class Best:
    """The best *k* of every query so far; of equal scores the smaller tie is first, then the earlier place."""

    def __init__(self, queries: int, k: int) -> None:
        self._places = np.full((queries, k), -1, dtype=np.int64)
        self._scores = np.full((queries, k), _NOTHING, dtype=np.float32)
        self._ties = np.full((queries, k), _MOST, dtype=np.uint64)

    def take(self, items: npt.NDArray[np.int32], scores: npt.NDArray[np.float32], part: IndexPart) -> None:
        """Look at the best of one part: places in it, padded with -1."""
        is_item = items >= 0
        if not is_item.any():
            return
        at = np.where(is_item, items, 0)
        places = np.hstack([self._places, np.where(is_item, part.places[at], -1)])
        values = np.hstack([self._scores, np.where(is_item, scores, np.float32(_NOTHING))])
        ties = np.hstack([self._ties, np.where(is_item, part.ties[at], _MOST)])
        order = np.lexsort((places, ties, -values), axis=1)[:, : self._places.shape[1]]
        self._places = np.take_along_axis(places, order, axis=1)
        self._scores = np.take_along_axis(values, order, axis=1)
        self._ties = np.take_along_axis(ties, order, axis=1)

    @property
    def places(self) -> npt.NDArray[np.int64]:
        """Return places, padded with -1."""
        return self._places

    @property
    def scores(self) -> npt.NDArray[np.float32]:
        """Return scores, padded with 0."""
        scores: npt.NDArray[np.float32] = np.where(self._places >= 0, self._scores, np.float32(0))
        return scores


class IndexPart:
    """The items of a part: their places in the whole, ascending, and their ties."""

    def __init__(self, places: npt.NDArray[np.int64], ties: Ties) -> None:
        self.places = places
        self.ties = ties

    @property
    def order(self) -> npt.NDArray[np.int64]:
        """Return the order in which ties are broken within the part, best first."""
        return np.argsort(self.ties, kind="stable").astype(np.int64)


def latest(before: int, count: int) -> Ties:
    """Make the ties of *count* items behind *before* others, of which the later comes first."""
    return _MOST - np.arange(before, before + count, dtype=np.uint64)
