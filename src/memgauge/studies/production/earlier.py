"""What was the last thing that happened to something before a time, asked for many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


class EarlierEvents:
    """Events that have a key (a memory, a scope) and a time."""

    def __init__(self, keys: Integers, times: Integers) -> None:
        """Sort events by key and time; events that are equal in both keep their order."""
        self._order = np.lexsort((times, keys))
        self._keys, coded = np.unique(keys, return_inverse=True)
        self._times, ranks = np.unique(times, return_inverse=True)
        self._width = len(self._times) + 1
        self._sorted = (coded * self._width + ranks)[self._order]
        self._first = np.searchsorted(self._sorted, np.arange(len(self._keys)) * self._width)

    def count(self, keys: Integers, times: Integers) -> Integers:
        """Count, for every asked key and time, its events up to then."""
        if not len(self._keys):
            return np.zeros(len(keys), dtype=np.int64)
        key_places, until = self._until(keys, times)
        counts: Integers = np.where(key_places >= 0, until - self._first[key_places], 0)
        return counts

    def latest(self, keys: Integers, times: Integers) -> Integers:
        """Return, for every asked key and time, the place of its last event up to then; -1 without one."""
        if not len(self._keys):
            return np.full(len(keys), -1, dtype=np.int64)
        key_places, until = self._until(keys, times)
        has_earlier = (key_places >= 0) & (until > self._first[key_places])
        places: Integers = np.where(has_earlier, self._order[np.maximum(until - 1, 0)], -1)
        return places

    def _until(self, keys: Integers, times: Integers) -> tuple[Integers, Integers]:
        """Return the codes of keys (-1 where unknown), and where in the order the asked times are."""
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        key_places = np.where(self._keys[place] == keys, place, -1)
        ranks = np.searchsorted(self._times, times, side="right")
        until = np.searchsorted(self._sorted, np.maximum(key_places, 0) * self._width + ranks)
        return key_places, until
