"""What was seen being written and removed, in an order that answers what was last so before a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.studies.production.earlier import EarlierEvents
from memgauge.studies.production.hits import UNKNOWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.hits import HitArrays

    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SeenChanges:
    """Every change of some traffic, ordered once for whatever portion of hits is looked at."""

    traffic: TrafficArrays

    @property
    def written(self) -> HitArrays:
        """Return what was written."""
        return self.traffic.written

    @cached_property
    def local_stores(self) -> Integers:
        """Return the stores in which names of memories belong to a scope.

        Known by one name that was added under two scopes with another text in each: those are two memories, so
        that a name alone tells nothing there.
        """
        traffic = self.traffic
        is_added = traffic.is_kind(TrafficKind.ADD, TrafficKind.UPSERT) & (traffic.scope != UNKNOWN)
        added = self.written.where(is_added[self.written.operation] & (self.written.text != UNKNOWN))
        _, firsts, memory = np.unique(added.memory, return_index=True, return_inverse=True)
        scope, first = traffic.scope[added.operation], firsts[memory]
        differs = (scope != scope[first]) & (added.text != added.text[first])
        stores: Integers = np.unique(traffic.store[added.operation[differs]])
        return stores

    def is_local(self, rows: Integers) -> Mask:
        """Say of operations at *rows* whether names of memories belong to a scope in their store."""
        is_local: Mask = np.isin(self.traffic.store[rows], self.local_stores)
        return is_local

    @cached_property
    def ends(self) -> Integers:
        """Return when each record of :attr:`written` was there."""
        ends: Integers = self.traffic.ended[self.written.operation]
        return ends

    @cached_property
    def writes(self) -> EarlierEvents:
        """Order :attr:`written` by memory."""
        return EarlierEvents(self.written.memory, self.ends)

    @cached_property
    def wrote(self) -> EarlierEvents:
        """Order :attr:`written` by scope and store."""
        return EarlierEvents(self.place(self.written.operation), self.ends)

    def place(self, rows: Integers) -> Integers:
        """Return a code of scope and store together, of some operations."""
        codes: Integers = self.traffic.scope[rows] ^ (self.traffic.store[rows] * 31)
        return codes

    def removed(self, memory: Integers, rows: Integers, times: Integers) -> Integers:
        """Return when memories, returned by operations at *rows*, were last removed by then; -1 where never."""
        removed_at = np.full(len(memory), -1, dtype=np.int64)
        for events, ends, keys in (
            (*self._deletions, memory),
            (*self._wipes, self.place(rows)),
            (*self._drops, self.traffic.store[rows]),
        ):
            removed_at = np.maximum(removed_at, np.append(ends, -1)[events.latest(keys, times)])
        return removed_at

    def has_removal(self, rows: Integers, times: Integers) -> Mask:
        """Say whether anything of the scopes of operations at *rows* was removed by then."""
        removed_by: Mask = np.zeros(len(rows), dtype=np.bool_)
        for events, keys in (
            (self._scope_deletions, self.place(rows)),
            (self._wipes[0], self.place(rows)),
            (self._drops[0], self.traffic.store[rows]),
        ):
            removed_by |= events.latest(keys, times) >= 0
        return removed_by

    @cached_property
    def _scope_deletions(self) -> EarlierEvents:
        rows = self.traffic.removed.operation
        return EarlierEvents(self.place(rows), self.traffic.ended[rows])

    @cached_property
    def _deletions(self) -> tuple[EarlierEvents, Integers]:
        removed = self.traffic.removed.where(~self.is_local(self.traffic.removed.operation))
        ends = self.traffic.ended[removed.operation]
        return EarlierEvents(removed.memory, ends), ends

    @cached_property
    def _wipes(self) -> tuple[EarlierEvents, Integers]:
        traffic = self.traffic
        rows = np.flatnonzero(traffic.valid & traffic.is_kind(TrafficKind.WIPE) & (traffic.scope != UNKNOWN))
        return EarlierEvents(self.place(rows), traffic.ended[rows]), traffic.ended[rows]

    @cached_property
    def _drops(self) -> tuple[EarlierEvents, Integers]:
        rows = np.flatnonzero(self.traffic.valid & self.traffic.is_kind(TrafficKind.DROP_STORE))
        return EarlierEvents(self.traffic.store[rows], self.traffic.ended[rows]), self.traffic.ended[rows]

    @cached_property
    def writers(self) -> HitArrays:
        """Return what was written by somebody who is known."""
        return self.written.where(self.traffic.scope[self.written.operation] != UNKNOWN)

    @cached_property
    def hidden(self) -> HitArrays:
        """Return what was written by nobody knows whom."""
        return self.written.where(self.traffic.scope[self.written.operation] == UNKNOWN)

    @cached_property
    def owned_texts(self) -> Integers:
        """Return the texts all of whose writers are known."""
        return np.setdiff1d(self.writers.text, np.append(self.hidden.text, UNKNOWN))
