"""The best of many parts, kept while they are looked through one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_NOTHING = -np.inf


class Best:
    """The best *k* of every query so far; of equal scores the later place comes first."""

    def __init__(self, queries: int, k: int) -> None:
        self._places = np.full((queries, k), -1, dtype=np.int64)
        self._scores = np.full((queries, k), _NOTHING, dtype=np.float32)

    def take(self, places: npt.NDArray[np.int32], scores: npt.NDArray[np.float32], before: int) -> None:
        """Look at the best of one part, padded with -1; *before* items lie ahead of it."""
        there = places >= 0
        all_places = np.hstack([self._places, np.where(there, places.astype(np.int64) + before, -1)])
        all_scores = np.hstack([self._scores, np.where(there, scores, np.float32(_NOTHING))])
        order = np.lexsort((-all_places, -all_scores), axis=1)[:, : self._places.shape[1]]
        self._places = np.take_along_axis(all_places, order, axis=1)
        self._scores = np.take_along_axis(all_scores, order, axis=1)

    @property
    def places(self) -> npt.NDArray[np.int64]:
        """Return places, padded with -1."""
        return self._places

    @property
    def scores(self) -> npt.NDArray[np.float32]:
        """Return scores, padded with 0."""
        scores: npt.NDArray[np.float32] = np.where(self._places >= 0, self._scores, np.float32(0))
        return scores
