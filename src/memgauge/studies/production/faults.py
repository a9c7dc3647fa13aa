"""What should never be returned: old versions, what was deleted, and what belongs to somebody else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.studies.production.hits import UNKNOWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.hits import HitArrays
    from memgauge.studies.production.seen import SeenChanges

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
    """Hits beside what was written and removed before them; masks are over :attr:`hits`."""

    changes: SeenChanges
    hits: HitArrays

    @property
    def traffic(self) -> TrafficArrays:
        """Return whose hits they are."""
        return self.changes.traffic

    @cached_property
    def _everything(self) -> Integers:
        return np.arange(len(self.hits.memory))

    def _asked(self, places: Integers, grace: int) -> Integers:
        times: Integers = self.traffic.began[self.hits.operation[places]] - grace
        return times

    def _last_write(self, places: Integers, times: Integers) -> Integers:
        """Return the place of the last write by then of some hits' memories; -1 where there was none."""
        return self.changes.writes.latest(self.hits.memory[places], times)

    @cached_property
    def _current(self) -> Integers:
        return self._last_write(self._everything, self._asked(self._everything, 0))

    @cached_property
    def versioned(self) -> Mask:
        """Say of which hits it is known whether they are stale: both texts were recorded."""
        texts = np.append(self.changes.written.text, UNKNOWN)
        both = (self.hits.version > 0) & (self._current >= 0) & (texts[self._current] != UNKNOWN)
        mask: Mask = both & ~self._local
        return mask

    def stale(self, grace: int) -> Mask:
        """Say which hits are of a version that another had replaced *grace* nanoseconds before.

        What is stale behind a grace is stale without one, so that only those are looked at again.
        """
        versions = np.append(self.changes.written.version, 0)
        mask: Mask = self.versioned & (versions[self._current] > self.hits.version)
        if grace:
            places = np.flatnonzero(mask)
            last_writes = self._last_write(places, self._asked(places, grace))
            mask[places] = versions[last_writes] > self.hits.version[places]
        return mask

    def replaced(self, grace: int) -> Mask:
        """Say of which hits another version was there *grace* nanoseconds before, so that they could be stale."""
        versions = np.append(self.changes.written.version, 0)
        last_writes = self._last_write(self._everything, self._asked(self._everything, grace))
        mask: Mask = self.versioned & (versions[last_writes] > 1)
        return mask

    def after_removal(self, grace: int) -> Mask:
        """Say before which hits something of their scope was removed, so that they could be of it."""
        asked = self._asked(self._everything, grace)
        mask: Mask = self.changes.has_removal(self.hits.operation, asked) | (
            self._removed(self._everything, grace) >= 0
        )
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
        removed_at = self._removed(places, grace) if grace else self._removal[places]
        later_writes = self._last_write(places, self.traffic.ended[self.hits.operation[places]])
        ends = np.append(self.changes.ends, -1)
        mask[places] = (removed_at >= 0) & (ends[later_writes] < removed_at)
        return mask

    def _removed(self, places: Integers, grace: int) -> Integers:
        """Return when some hits were last removed by then; -1 where they never were."""
        memory, rows = self.hits.memory[places], self.hits.operation[places]
        return self.changes.removed(memory, rows, self._asked(places, grace))

    @cached_property
    def owned(self) -> Mask:
        """Say of which hits it is known who wrote them, and who asked, in stores that are not shared."""
        return self._open & (self._by_name | self._by_text)

    @cached_property
    def leaked(self) -> Mask:
        """Say which hits were written in other scopes only.

        By the name of the memory; by its text where no write of that name was seen and the text is long.
        """
        wrote = self.changes.writers
        scope, scopes = self.traffic.scope[self.hits.operation], self.traffic.scope[wrote.operation]
        strange = self._by_name & ~_in_pairs(self.hits.memory, scope, wrote.memory, scopes)
        copied = self._by_text & ~_in_pairs(self.hits.text, scope, wrote.text, scopes)
        mask: Mask = self._open & (strange | copied)
        return mask

    @cached_property
    def _open(self) -> Mask:
        at = self.hits.operation
        mask: Mask = (self.traffic.scope[at] != UNKNOWN) & ~self.traffic.shared[at]
        return mask

    @cached_property
    def _by_name(self) -> Mask:
        """Say of which hits every write that was seen has a scope."""
        everybody = np.isin(self.hits.memory, self.changes.writers.memory) & ~self._local
        return everybody & ~np.isin(self.hits.memory, self.changes.hidden.memory)

    @cached_property
    def _local(self) -> Mask:
        """Say of which hits the name belongs to a scope: it tells neither whose they are nor which version."""
        return self.changes.is_local(self.hits.operation)

    @cached_property
    def _by_text(self) -> Mask:
        unnamed = self._local | ~np.isin(self.hits.memory, self.changes.written.memory)
        is_long = self.hits.characters >= LONG
        mask: Mask = unnamed & is_long & np.isin(self.hits.text, self.changes.owned_texts)
        return mask


def _in_pairs(firsts: Integers, seconds: Integers, of_firsts: Integers, of_seconds: Integers) -> Mask:
    """Say which pairs are among other pairs."""
    pairs = np.stack([np.concatenate([firsts, of_firsts]), np.concatenate([seconds, of_seconds])])
    left, right = (np.unique(each, return_inverse=True)[1] for each in pairs)
    codes = left * (int(right.max(initial=0)) + 1) + right
    among: Mask = np.isin(codes[: len(firsts)], codes[len(firsts) :])
    return among
