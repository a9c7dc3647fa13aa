"""What should never be returned: old versions, what was deleted, and what belongs to somebody else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.studies.production.arrays import UNKNOWN
from memgauge.studies.production.earlier import EarlierEvents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import HitArrays, TrafficArrays

    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]

GRACES: Final = {"0": 0, "1 s": 10**9, "60 s": 60 * 10**9, "1 h": 3600 * 10**9}
"""How long an index may lag behind: what is late is a curve, and only its end is a fault."""
LAST: Final = "1 h"
"""The grace behind which it is a fault."""
LONG: Final = 40
"""Characters from which on a text is nobody else's by chance."""


@dataclass(frozen=True, eq=False)
class ReturnFaults:
    """Every hit of every search beside what was written and removed before it; masks are over :attr:`hits`."""

    traffic: TrafficArrays

    @cached_property
    def hits(self) -> HitArrays:
        """Return what was returned."""
        return self.traffic.hits

    @cached_property
    def written(self) -> HitArrays:
        """Return what was written."""
        return self.traffic.written

    @cached_property
    def _writes(self) -> EarlierEvents:
        return EarlierEvents(self.written.memory, self.traffic.ended[self.written.operation])

    @cached_property
    def _everything(self) -> Integers:
        return np.arange(len(self.hits.memory))

    def _asked(self, places: Integers, grace: int) -> Integers:
        times: Integers = self.traffic.began[self.hits.operation[places]] - grace
        return times

    def _last_write(self, places: Integers, times: Integers) -> Integers:
        """Return the place of the last write by then of some hits' memories; -1 where there was none."""
        return self._writes.latest(self.hits.memory[places], times)

    @cached_property
    def _current(self) -> Integers:
        return self._last_write(self._everything, self._asked(self._everything, 0))

    @cached_property
    def versioned(self) -> Mask:
        """Say of which hits it is known whether they are stale: both texts were recorded."""
        texts = np.append(self.written.text, UNKNOWN)
        mask: Mask = (self.hits.version > 0) & (self._current >= 0) & (texts[self._current] != UNKNOWN)
        return mask

    def stale(self, grace: int) -> Mask:
        """Say which hits are of a version that another had replaced *grace* nanoseconds before.

        What is stale behind a grace is stale without one, so that only those are looked at again.
        """
        versions = np.append(self.written.version, 0)
        mask: Mask = self.versioned & (versions[self._current] > self.hits.version)
        if grace:
            places = np.flatnonzero(mask)
            last = self._last_write(places, self._asked(places, grace))
            mask[places] = versions[last] > self.hits.version[places]
        return mask

    @cached_property
    def traced(self) -> Mask:
        """Say of which hits a write or the removal was seen."""
        mask: Mask = (self._current >= 0) | (self._removal >= 0)
        return mask

    @cached_property
    def _removal(self) -> Integers:
        return self._removed(self._everything, 0)

    def deleted(self, grace: int) -> Mask:
        """Say which hits were deleted or wiped *grace* nanoseconds before, and not written again since."""
        mask = self._removal >= 0
        places = np.flatnonzero(mask)
        removed = self._removed(places, grace) if grace else self._removal[places]
        again = self._last_write(places, self.traffic.ended[self.hits.operation[places]])
        ends = np.append(self.traffic.ended[self.written.operation], -1)
        mask[places] = (removed >= 0) & (ends[again] < removed)
        return mask

    def _removed(self, places: Integers, grace: int) -> Integers:
        """Return when some hits were last removed by then; -1 where they never were."""
        traffic, asked = self.traffic, self._asked(places, grace)
        memory, at = self.hits.memory[places], self.hits.operation[places]
        last = np.full(len(places), -1, dtype=np.int64)
        gone = traffic.valid & traffic.is_kind(TrafficKind.DELETE)
        deletes = traffic.records.where(gone[traffic.records.operation])
        wipes = np.flatnonzero(traffic.valid & traffic.is_kind(TrafficKind.WIPE) & (traffic.scope != UNKNOWN))
        drops = np.flatnonzero(traffic.valid & traffic.is_kind(TrafficKind.DROP_STORE))
        for keys, rows, wanted in (
            (deletes.memory, deletes.operation, memory),
            (traffic.place[wipes], wipes, traffic.place[at]),
            (traffic.store[drops], drops, traffic.store[at]),
        ):
            ends = traffic.ended[rows]
            latest = EarlierEvents(keys, ends).latest(wanted, asked)
            last = np.maximum(last, np.append(ends, -1)[latest])
        return last

    @cached_property
    def owned(self) -> Mask:
        """Say of which hits it is known who wrote them, and who asked, in stores that are not shared."""
        return self._open & (self._by_name | self._by_text)

    @cached_property
    def leaked(self) -> Mask:
        """Say which hits were written in other scopes only.

        By the name of the memory; by its text where no write of that name was seen and the text is long.
        """
        wrote = self._writers
        scope = self.traffic.scope[self.hits.operation]
        strange = self._by_name & ~_in_pairs(self.hits.memory, scope, wrote.memory, self._scopes(wrote))
        copied = self._by_text & ~_in_pairs(self.hits.text, scope, wrote.text, self._scopes(wrote))
        mask: Mask = self._open & (strange | copied)
        return mask

    @cached_property
    def _open(self) -> Mask:
        at = self.hits.operation
        mask: Mask = (self.traffic.scope[at] != UNKNOWN) & ~self.traffic.shared[at]
        return mask

    @cached_property
    def _writers(self) -> HitArrays:
        return self.written.where(self.traffic.scope[self.written.operation] != UNKNOWN)

    def _scopes(self, records: HitArrays) -> Integers:
        scopes: Integers = self.traffic.scope[records.operation]
        return scopes

    @cached_property
    def _by_name(self) -> Mask:
        """Say of which hits every write that was seen has a scope."""
        everybody = np.isin(self.hits.memory, self._writers.memory)
        hidden = self.written.memory[self.traffic.scope[self.written.operation] == UNKNOWN]
        return everybody & ~np.isin(self.hits.memory, hidden)

    @cached_property
    def _by_text(self) -> Mask:
        unnamed = ~np.isin(self.hits.memory, self.written.memory)
        hidden = self.written.text[self.traffic.scope[self.written.operation] == UNKNOWN]
        texts = np.setdiff1d(self._writers.text, np.append(hidden, UNKNOWN))
        mask: Mask = unnamed & (self.hits.characters >= LONG) & np.isin(self.hits.text, texts)
        return mask


def _in_pairs(firsts: Integers, seconds: Integers, of_firsts: Integers, of_seconds: Integers) -> Mask:
    """Say which pairs are among other pairs."""
    pairs = np.stack([np.concatenate([firsts, of_firsts]), np.concatenate([seconds, of_seconds])])
    left, right = (np.unique(each, return_inverse=True)[1] for each in pairs)
    codes = left * (int(right.max(initial=0)) + 1) + right
    among: Mask = np.isin(codes[: len(firsts)], codes[len(firsts) :])
    return among
