"""A service that never was: users who write, change, delete and search for weeks, with faults that are planted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.records import Outcome
from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.earlier import EarlierEvents
from memgauge.studies.production.hits import UNKNOWN, HeldHits, HitArrays
from memgauge.studies.production.population import (
    MemoryPopulation,
    UserActs,
    acts,
    followed,
    picked,
    queries_of,
)
from memgauge.studies.production.sealed import KINDS, OUTCOMES
from memgauge.studies.production.searched import SearchedLists
from memgauge.studies.production.service import ASKED, BEFORE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.production.service import SimulatedService

    Integers = NDArray[np.int64]

SERVICE: Final = "simulated 1"
"""What searches and writes are done by."""
_VERSIONS: Final = 1 << 10
"""More versions than a memory has: text codes are memory times this, and the version."""


def simulate(service: SimulatedService, seed: int) -> TrafficArrays:
    """Let *service* live; the same seed gives the same bytes."""
    rng = np.random.default_rng([20261125, seed])
    adds, updates, deletes, searches = (
        acts(service, rate, rng) for rate in (service.adds, service.updates, service.deletes, service.searches)
    )
    searches = followed(searches, (adds, updates, deletes), rng)
    queries = queries_of(searches.user, rng)
    order = np.lexsort((adds.ended, adds.user))
    adds = adds.where(order)
    per_user = BEFORE + np.bincount(adds.user, minlength=service.users)
    first = np.concatenate([[0], np.cumsum(per_user)[:-1]])
    born = EarlierEvents(adds.user, adds.ended)
    added = first[adds.user] + BEFORE + np.arange(len(adds.user)) - (first[adds.user] - BEFORE * adds.user)
    seen = np.zeros(per_user.sum(), dtype=np.bool_)
    seen[added] = True
    deleted = picked(deletes, first, born, rng)
    once = np.sort(np.unique(deleted, return_index=True)[1])
    deleted, deletes = deleted[once], deletes.where(once)
    removed = EarlierEvents(deleted, deletes.ended)
    updated = picked(updates, first, born, rng)
    alive = removed.count(updated, updates.ended) == 0
    updated, updates = updated[alive], updates.where(alive)
    population = MemoryPopulation(first, born, seen, EarlierEvents(updated, updates.ended), removed)
    changes = [
        (TrafficKind.ADD, adds, added, np.ones(len(added), dtype=np.int64)),
        (TrafficKind.UPDATE, updates, updated, population.version(updated, updates.ended)),
        (TrafficKind.DELETE, deletes, deleted, population.version(deleted, deletes.began)),
    ]
    back = SearchedLists.of(service, population, searches, queries, rng)
    return _assembled(changes, searches, back, queries)


def _assembled(
    changes: list[tuple[TrafficKind, UserActs, Integers, Integers]],
    searches: UserActs,
    back: SearchedLists,
    queries: Integers,
) -> TrafficArrays:
    """Lay operations in the order of time, with their records."""
    parts = [(kind, done) for kind, done, _, _ in changes] + [
        (TrafficKind.SEARCH, replace(searches, ended=back.ended))
    ]
    sizes = [len(done.user) for _, done in parts]
    began = np.concatenate([done.began for _, done in parts])
    order = np.argsort(began, kind="stable")
    row = np.empty(len(order), dtype=np.int64)
    row[order] = np.arange(len(order))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    kind = np.repeat([KINDS.index(kind) for kind, _ in parts], sizes)[order]
    user = np.concatenate([done.user for _, done in parts])[order]
    outcome = np.concatenate([np.full(starts[-2], OUTCOMES.index(Outcome.OK)), back.outcome])[order]
    searching, valid = kind == KINDS.index(TrafficKind.SEARCH), np.isin(outcome, (0, 1))
    memory, version = (np.concatenate([each[place] for each in changes]) for place in (2, 3))
    changed = _records(row[: starts[-2]], memory, version)
    returned = _records(row[starts[-2] + back.search], back.memory, back.version, back)
    counts = sum(np.bincount(each.operation, minlength=len(order)) for each in (changed, returned))
    tokens = np.bincount(returned.operation, returned.characters, minlength=len(order)) / 4
    constant, few = np.zeros(len(order), dtype=np.int64), np.zeros(len(order), dtype=np.int32)
    return TrafficArrays(
        kind=kind.astype(np.int8),
        outcome=outcome.astype(np.int8),
        scope=user,
        cluster=user,
        store=constant,
        shared=np.zeros(len(order), dtype=np.bool_),
        agent=few,
        dialect=few,
        service=few,
        model=few,
        began=began[order],
        ended=np.concatenate([done.ended for _, done in parts])[order],
        captured=np.ones(len(order), dtype=np.bool_),
        asked=np.where(searching, float(ASKED), np.nan),
        returned=np.where(searching & ~valid, np.nan, counts),
        query=np.concatenate([np.full(starts[-2], UNKNOWN), queries])[order],
        context=np.where(searching & valid, np.floor(tokens), np.nan),
        changes=changed,
        source=HeldHits(returned),
        spelled=lambda rows: [(f"{row:032x}", f"{row:016x}") for row in rows.tolist()],
        named=lambda column, _: SERVICE if column == "service" else "",
    )


def _records(
    operation: Integers, memory: Integers, version: Integers, back: SearchedLists | None = None
) -> HitArrays:
    """Lay records by operation and rank, with texts that their memory and version decide about."""
    order = np.argsort(operation, kind="stable")
    unknown = np.full(len(order), np.nan)
    amounts = {
        name: (unknown if back is None else getattr(back, name))[order] for name in ("score", "run", "likeness")
    }
    operation, memory, version = (each[order] for each in (operation, memory, version))
    start = np.searchsorted(operation, operation)
    text = memory * _VERSIONS + version
    mixed = text.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)  # Fibonacci hashing (Knuth)
    return HitArrays(
        operation=operation,
        rank=np.arange(len(order)) - start + 1,
        memory=memory,
        text=text,
        characters=40.0 + (mixed % np.uint64(160)).astype(np.float64),
        version=version,
        named=np.ones(len(order), dtype=np.bool_),
        **amounts,
    )
