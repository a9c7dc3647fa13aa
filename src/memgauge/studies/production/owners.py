"""Whose an update or a deletion is that names a memory by its id, and no scope."""

from __future__ import annotations

from dataclasses import replace
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


def with_owners(traffic: TrafficArrays) -> TrafficArrays:
    """Give updates and deletions by id the scope of the memory that they name, where its writer was seen.

    An update moves no memory to somebody else. One that names memories of several scopes stays nobody's.
    """
    is_by_id = traffic.is_kind(TrafficKind.UPDATE, TrafficKind.DELETE) & (traffic.scope == UNKNOWN)
    named_records = traffic.changes.where(is_by_id[traffic.changes.operation])
    if not len(named_records.operation):
        return traffic
    writers = _writers(traffic, named_records)
    scopes = np.append(traffic.scope, UNKNOWN)[writers]
    rows, first_places, place = np.unique(named_records.operation, return_index=True, return_inverse=True)
    has_several = np.zeros(len(rows), dtype=np.bool_)
    np.logical_or.at(has_several, place, scopes != scopes[first_places][place])
    is_owned = ~has_several & (scopes[first_places] != UNKNOWN)
    scope, cluster = traffic.scope.copy(), traffic.cluster.copy()
    scope[rows[is_owned]] = scopes[first_places][is_owned]
    cluster[rows[is_owned]] = traffic.cluster[writers[first_places][is_owned]]
    return replace(traffic, scope=scope, cluster=cluster)


def _writers(traffic: TrafficArrays, records: HitArrays) -> Integers:
    """Return the rows of the last writes by then, else of any later one, whose scope is known; -1 without one."""
    known_writes = traffic.written.where(traffic.scope[traffic.written.operation] != UNKNOWN)
    writes = EarlierEvents(known_writes.memory, traffic.ended[known_writes.operation])
    places = writes.latest(records.memory, traffic.ended[records.operation])
    any_time = np.full(len(places), np.iinfo(np.int64).max)
    places = np.where(places < 0, writes.latest(records.memory, any_time), places)
    rows: Integers = np.append(known_writes.operation, -1)[places]
    return rows
