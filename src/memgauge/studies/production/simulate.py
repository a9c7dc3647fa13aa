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
    first_memory = np.concatenate([[0], np.cumsum(per_user)[:-1]])
    born = EarlierEvents(adds.user, adds.ended)
    added_memories = (
        first_memory[adds.user]
        + BEFORE
        + np.arange(len(adds.user))
        - (first_memory[adds.user] - BEFORE * adds.user)
    )
    is_added = np.zeros(per_user.sum(), dtype=np.bool_)
    is_added[added_memories] = True
    deleted_memories = picked(deletes, first_memory, born, rng)
    first_deletes = np.sort(np.unique(deleted_memories, return_index=True)[1])
    deleted_memories, deletes = deleted_memories[first_deletes], deletes.where(first_deletes)
    removals = EarlierEvents(deleted_memories, deletes.ended)
    updated_memories = picked(updates, first_memory, born, rng)
    alive = removals.count(updated_memories, updates.ended) == 0
    updated_memories, updates = updated_memories[alive], updates.where(alive)
    population = MemoryPopulation(
        first_memory, born, is_added, EarlierEvents(updated_memories, updates.ended), removals
    )
    changes = [
        (TrafficKind.ADD, adds, added_memories, np.ones(len(added_memories), dtype=np.int64)),
        (TrafficKind.UPDATE, updates, updated_memories, population.version(updated_memories, updates.ended)),
        (TrafficKind.DELETE, deletes, deleted_memories, population.version(deleted_memories, deletes.began)),
    ]
    searched = SearchedLists.of(service, population, searches, queries, rng)
    return _assembled(changes, searches, searched, queries)


def _assembled(
    changes: list[tuple[TrafficKind, UserActs, Integers, Integers]],
    searches: UserActs,
    searched: SearchedLists,
    queries: Integers,
) -> TrafficArrays:
    """Lay operations in the order of time, with their records."""
    parts = [(kind, user_acts) for kind, user_acts, _, _ in changes] + [
        (TrafficKind.SEARCH, replace(searches, ended=searched.ended))
    ]
    sizes = [len(user_acts.user) for _, user_acts in parts]
    began = np.concatenate([user_acts.began for _, user_acts in parts])
    order = np.argsort(began, kind="stable")
    row = np.empty(len(order), dtype=np.int64)
    row[order] = np.arange(len(order))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    kind = np.repeat([KINDS.index(kind) for kind, _ in parts], sizes)[order]
    user = np.concatenate([user_acts.user for _, user_acts in parts])[order]
    outcome = np.concatenate([np.full(starts[-2], OUTCOMES.index(Outcome.OK)), searched.outcome])[order]
    searching, is_valid = kind == KINDS.index(TrafficKind.SEARCH), np.isin(outcome, (0, 1))
    memory, version = (np.concatenate([change[place] for change in changes]) for place in (2, 3))
    change_records = _records(row[: starts[-2]], memory, version)
    returned_records = _records(row[starts[-2] + searched.search], searched.memory, searched.version, searched)
    counts = sum(
        np.bincount(records.operation, minlength=len(order)) for records in (change_records, returned_records)
    )
    tokens = np.bincount(returned_records.operation, returned_records.characters, minlength=len(order)) / 4
    zeros, small_zeros = np.zeros(len(order), dtype=np.int64), np.zeros(len(order), dtype=np.int32)
    return TrafficArrays(
        kind=kind.astype(np.int8),
        outcome=outcome.astype(np.int8),
        scope=user,
        cluster=user,
        store=zeros,
        shared=np.zeros(len(order), dtype=np.bool_),
        agent=small_zeros,
        dialect=small_zeros,
        service=small_zeros,
        model=small_zeros,
        began=began[order],
        ended=np.concatenate([user_acts.ended for _, user_acts in parts])[order],
        captured=np.ones(len(order), dtype=np.bool_),
        asked=np.where(searching, float(ASKED), np.nan),
        returned=np.where(searching & ~is_valid, np.nan, counts),
        query=np.concatenate([np.full(starts[-2], UNKNOWN), queries])[order],
        context=np.where(searching & is_valid, np.floor(tokens), np.nan),
        changes=change_records,
        source=HeldHits(returned_records),
        spelled=lambda rows: [(f"{row:032x}", f"{row:016x}") for row in rows.tolist()],
        named=lambda column, _: SERVICE if column == "service" else "",
    )


def _records(
    operation: Integers, memory: Integers, version: Integers, searched: SearchedLists | None = None
) -> HitArrays:
    """Lay records by operation and rank, with texts that their memory and version decide about."""
    order = np.argsort(operation, kind="stable")
    unknowns = np.full(len(order), np.nan)
    amounts = {
        name: (unknowns if searched is None else getattr(searched, name))[order]
        for name in ("score", "run", "likeness")
    }
    operation, memory, version = (column[order] for column in (operation, memory, version))
    start = np.searchsorted(operation, operation)
    text = memory * _VERSIONS + version
    hashes = text.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)  # Fibonacci hashing (Knuth)
    return HitArrays(
        operation=operation,
        rank=np.arange(len(order)) - start + 1,
        memory=memory,
        text=text,
        characters=40.0 + (hashes % np.uint64(160)).astype(np.float64),
        version=version,
        named=np.ones(len(order), dtype=np.bool_),
        **amounts,
    )
