"""A service that never was: users who write, change, delete and search for weeks, with faults that are planted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.records import Outcome
from memgauge.studies.production.arrays import DAY_NS, KINDS, OUTCOMES, UNKNOWN, HitArrays, TrafficArrays
from memgauge.studies.production.earlier import EarlierEvents

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

BEGAN_NS: Final = 1_788_220_800 * 10**9
"""A Tuesday, at midnight."""
ASKED: Final = 10
BEFORE: Final = 40
"""Memories of every user that were written before anybody recorded."""
_SPARE: Final = 4
"""Candidates of a search beyond those it returns, which take the place of what was deleted."""
_VERSIONS: Final = 1 << 10
"""More versions than a memory has: text codes are memory times this, and the version."""


@dataclass(frozen=True)
class PlantedFaults:
    """What goes wrong, and from which day on; ``None`` and 0 are healthy."""

    leak: float = 0.0
    """Share of searches that return a memory of somebody else."""
    stale_from: float | None = None
    """Changes are not indexed from then on."""
    dead_from: float | None = None
    """Nothing new is indexed from then on."""
    silent_from: float | None = None
    """Nothing is returned from then on."""
    undeleted_from: float | None = None
    """What is deleted is returned from then on."""
    drift: dict[str, float] = field(default_factory=dict)
    """By how much ``score``, ``latency`` or ``length`` changes, a little every day of the second half."""


@dataclass(frozen=True)
class SimulatedService:
    """How large the service is, and how often a user does something a day."""

    users: int = 10_000
    days: int = 56
    searches: float = 0.25
    adds: float = 0.08
    updates: float = 0.03
    deletes: float = 0.01
    faults: PlantedFaults = field(default_factory=PlantedFaults)


@dataclass(frozen=True, eq=False)
class _Events:
    """Something that users do: who, and when it begins and ends."""

    user: Integers
    began: Integers
    ended: Integers

    def where(self, mask: NDArray[np.bool_] | Integers) -> _Events:
        """Keep some."""
        return _Events(self.user[mask], self.began[mask], self.ended[mask])


@dataclass(frozen=True, eq=False)
class _Store:
    """All memories that there ever are, by user and birth, and what becomes of them."""

    first: Integers
    """By user, the number of the oldest memory."""
    born: EarlierEvents
    """Births by user, what was there before not counted."""
    seen: NDArray[np.bool_]
    """Whether a memory was written while somebody recorded."""
    changed: EarlierEvents
    removed: EarlierEvents
    owner: Integers


def simulate(service: SimulatedService, seed: int) -> TrafficArrays:
    """Let *service* live; the same seed gives the same bytes."""
    rng = np.random.default_rng([20261125, seed])
    adds, updates, deletes, searches = (
        _events(service, rate, rng) for rate in (service.adds, service.updates, service.deletes, service.searches)
    )
    searches = _followed(searches, (adds, updates, deletes), rng)
    queries = _queries(searches.user, rng)
    order = np.lexsort((adds.ended, adds.user))
    adds = _Events(adds.user[order], adds.began[order], adds.ended[order])
    per_user = BEFORE + np.bincount(adds.user, minlength=service.users)
    first = np.concatenate([[0], np.cumsum(per_user)[:-1]])
    born = EarlierEvents(adds.user, adds.ended)
    owner = np.repeat(np.arange(service.users), per_user)
    added = first[adds.user] + BEFORE + np.arange(len(adds.user)) - (first[adds.user] - BEFORE * adds.user)
    seen = np.zeros(len(owner), dtype=np.bool_)
    seen[added] = True
    deleted = _picked(deletes, first, born, rng)
    once = np.sort(np.unique(deleted, return_index=True)[1])
    deleted, deletes = deleted[once], deletes.where(once)
    removed = EarlierEvents(deleted, deletes.ended)
    updated = _picked(updates, first, born, rng)
    alive = removed.count(updated, updates.ended) == 0
    updated, updates = updated[alive], updates.where(alive)
    store = _Store(first, born, seen, EarlierEvents(updated, updates.ended), removed, owner)
    changes = [
        (TrafficKind.ADD, adds, added, np.ones(len(added), dtype=np.int64)),
        (TrafficKind.UPDATE, updates, updated, _version(store, updated, updates.ended)),
        (TrafficKind.DELETE, deletes, deleted, _version(store, deleted, deletes.began)),
    ]
    return _assembled(changes, searches, _Returned.of(service, store, searches, queries, rng), queries)


def _none() -> Integers:
    return np.zeros(0, dtype=np.int64)


def _events(service: SimulatedService, rate: float, rng: Generator) -> _Events:
    """Draw who does something when: fewer at weekends, more by day, some users more than others."""
    weekday = np.where(np.arange(service.days) % 7 >= 5, 0.6, 1.0)
    busy = rng.poisson(service.users * rate * weekday * np.exp(0.02 * rng.standard_normal(service.days)))
    day = np.repeat(np.arange(service.days), busy)
    eager = rng.gamma(2.0, size=service.users)
    user = rng.choice(service.users, len(day), p=eager / eager.sum())
    began = BEGAN_NS + day * DAY_NS + (rng.beta(2.5, 2.0, len(day)) * (DAY_NS - 1)).astype(np.int64)
    took = (2e7 * np.exp(0.4 * rng.standard_normal(len(day)))).astype(np.int64)
    order = np.argsort(began, kind="stable")
    return _Events(user[order], began[order], (began + took)[order])


def _followed(searches: _Events, changes: tuple[_Events, ...], rng: Generator) -> _Events:
    """Let a third of all changes be followed by a search within minutes, when an index may lag behind them."""
    user, ended = (np.concatenate([getattr(each, name) for each in changes]) for name in ("user", "ended"))
    soon = rng.random(len(user)) < 1 / 3
    began = ended[soon] + (180e9 * rng.standard_exponential(int(soon.sum()))).astype(np.int64)
    users, begins = np.concatenate([searches.user, user[soon]]), np.concatenate([searches.began, began])
    order = np.argsort(begins, kind="stable")
    return _Events(users[order], begins[order], begins[order])


def _picked(events: _Events, first: Integers, born: EarlierEvents, rng: Generator) -> Integers:
    """Choose, for every event, a memory that its user has by then, the newest ones more often."""
    there = BEFORE + born.count(events.user, events.began - 10**9)
    memory: Integers = first[events.user] + np.maximum(there - rng.geometric(0.15, len(there)), 0)
    return memory


def _version(store: _Store, memory: Integers, until: Integers) -> Integers:
    return store.seen[memory] + store.changed.count(memory, until)


@dataclass(frozen=True, eq=False)
class _Returned:
    """What searches came back with."""

    outcome: Integers
    ended: Integers
    search: Integers
    """Of every record, the place of its search."""
    memory: Integers
    version: Integers
    score: Floats

    @classmethod
    def of(
        cls, service: SimulatedService, store: _Store, searches: _Events, queries: Integers, rng: Generator
    ) -> _Returned:
        """Search: the newest memories more often than older ones, as they were a little earlier."""
        faults, n = service.faults, len(searches.user)
        day = (searches.began - BEGAN_NS) / DAY_NS
        drifted = np.clip(day / service.days * 2 - 1, 0, 1)
        shock = np.exp(0.01 * rng.standard_normal(service.days))[day.astype(np.int64)]
        took = 4e7 * np.exp(0.5 * rng.standard_normal(n)) * shock * (1 + faults.drift.get("latency", 0) * drifted)
        length = 1 + rng.binomial(ASKED - 1, 0.4 * (1 + faults.drift.get("length", 0) * drifted))
        length[rng.random(n) < 0.03] = 0
        length[day >= _day(faults.silent_from)] = 0
        draw = rng.random(n)
        failed = np.where(draw < 0.005, OUTCOMES.index(Outcome.ERROR), OUTCOMES.index(Outcome.TIMEOUT))
        length[draw < 0.006] = 0
        tried = np.where(length > 0, length + _SPARE, 0)
        search = np.repeat(np.arange(n), tried)
        place = np.arange(len(search)) - np.repeat(np.cumsum(tried) - tried, tried)
        lag = np.minimum(rng.exponential(20e9, n), 1500e9).astype(np.int64)
        indexed = searches.began - lag
        there = BEFORE + store.born.count(searches.user, np.minimum(indexed, _ns(faults.dead_from)))
        gaps = np.cumsum(rng.geometric(0.45, (4096, ASKED + _SPARE)), axis=1)[queries[search] % 4096, place]
        memory = np.maximum(there[search] - gaps, 0) + store.first[searches.user[search]]
        gone = store.removed.count(memory, np.minimum(indexed[search], _ns(faults.undeleted_from)))
        stays = (there[search] >= gaps) & (gone == 0)
        before = np.cumsum(stays) - stays
        rank = before - np.repeat(before[(np.cumsum(tried) - tried)[tried > 0]], tried[tried > 0])
        stays &= rank < length[search]
        search, memory, rank = search[stays], memory[stays], rank[stays]
        score = np.clip(0.8 + 0.07 * rng.standard_normal(n), 0.1, 1)[search] * 0.93**rank
        score *= 1 + faults.drift.get("score", 0) * drifted[search]
        memory = _leaked(memory, search, service, store, searches, rng)
        version = _version(store, memory, np.minimum(indexed[search], _ns(faults.stale_from)))
        answered = np.bincount(search, minlength=n) > 0
        outcome = np.where(answered, OUTCOMES.index(Outcome.OK), OUTCOMES.index(Outcome.EMPTY))
        outcome = np.where(draw < 0.006, failed, outcome)
        return cls(outcome, searches.began + took.astype(np.int64), search, memory, version, score)


def _day(day: float | None) -> float:
    return np.inf if day is None else day


def _ns(day: float | None) -> int:
    return 2**62 if day is None else BEGAN_NS + int(day * DAY_NS)


def _leaked(
    memory: Integers, search: Integers, service: SimulatedService, store: _Store, searches: _Events, rng: Generator
) -> Integers:
    """Put a memory of somebody else, written while somebody recorded, in the first place of some searches."""
    chosen = rng.random(len(searches.user)) < service.faults.leak
    first = np.flatnonzero(np.diff(search, prepend=-1) > 0)
    first = first[chosen[search[first]]]
    stranger = rng.integers(0, service.users, len(first))
    has = store.born.count(stranger, searches.began[search[first]] - 3600 * 10**9)
    usable = (has > 0) & (stranger != searches.user[search[first]])
    leaked = memory.copy()
    leaked[first[usable]] = (store.first[stranger] + BEFORE + has - 1)[usable]
    return leaked


def _assembled(
    changes: list[tuple[TrafficKind, _Events, Integers, Integers]],
    searches: _Events,
    back: _Returned,
    queries: Integers,
) -> TrafficArrays:
    """Lay operations in the order of time, with their records."""
    parts = [(kind, events) for kind, events, _, _ in changes] + [
        (TrafficKind.SEARCH, replace(searches, ended=back.ended))
    ]
    sizes = [len(events.user) for _, events in parts]
    began = np.concatenate([events.began for _, events in parts])
    order = np.argsort(began, kind="stable")
    row = np.empty(len(order), dtype=np.int64)
    row[order] = np.arange(len(order))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    memory = np.concatenate([*(each[2] for each in changes), back.memory])
    version = np.concatenate([*(each[3] for each in changes), back.version])
    operation = np.concatenate([row[: starts[-2]], row[starts[-2] + back.search]])
    score = np.concatenate([np.full(starts[-2], np.nan), back.score])
    by_row = np.argsort(operation, kind="stable")
    operation, memory, version, score = (each[by_row] for each in (operation, memory, version, score))
    counts = np.bincount(operation, minlength=len(order))
    text = memory * _VERSIONS + version
    mixed = text.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)  # Fibonacci hashing (Knuth)
    characters = 40.0 + (mixed % np.uint64(160)).astype(np.float64)
    kind = np.repeat([KINDS.index(kind) for kind, _ in parts], sizes)[order]
    user = np.concatenate([events.user for _, events in parts])[order]
    outcome = np.concatenate([np.full(starts[-2], OUTCOMES.index(Outcome.OK)), back.outcome])[order]
    searching, valid = kind == KINDS.index(TrafficKind.SEARCH), np.isin(outcome, (0, 1))
    tokens = np.bincount(operation, characters, minlength=len(order)) / 4
    constant = np.zeros(len(order), dtype=np.int64)
    return TrafficArrays(
        kind=kind,
        outcome=outcome,
        scope=user,
        cluster=user,
        store=constant,
        shared=np.zeros(len(order), dtype=np.bool_),
        agent=constant,
        dialect=constant,
        began=began[order],
        ended=np.concatenate([events.ended for _, events in parts])[order],
        captured=np.ones(len(order), dtype=np.bool_),
        asked=np.where(searching, float(ASKED), np.nan),
        returned=np.where(searching & ~valid, np.nan, counts),
        query=np.concatenate([np.full(starts[-2], UNKNOWN), queries])[order],
        context=np.where(searching & valid, np.floor(tokens), np.nan),
        records=HitArrays(
            operation=operation,
            rank=np.arange(len(operation)) - np.repeat(np.cumsum(counts) - counts, counts) + 1,
            memory=memory,
            text=text,
            characters=characters,
            score=score,
            version=version,
            named=np.ones(len(operation), dtype=np.bool_),
        ),
        spelled=lambda rows: [(f"{row:032x}", f"{row:016x}") for row in rows.tolist()],
    )


def _queries(user: Integers, rng: Generator) -> Integers:
    """Ask one of four things that a user always asks, or something new."""
    usual = user * 4 + rng.integers(0, 4, len(user))
    return np.where(rng.random(len(user)) < 0.15, usual, 2**40 + np.arange(len(user)))


def planted(names: Collection[str], weeks: int) -> PlantedFaults:
    """Make faults of their names, which begin behind the middle of so many *weeks*; a leak is 1 search of 1,000.

    Raises:
        ConfigError: There is no such fault.
    """
    from memgauge.errors import ConfigError

    begins = 7 * weeks * 0.6
    ways: dict[str, dict[str, Any]] = {
        "leak": {"leak": 1e-3},
        "stale": {"stale_from": begins},
        "undeleted": {"undeleted_from": begins},
        "dead": {"dead_from": begins},
        "silent": {"silent_from": begins},
        "drift": {"drift": {"score": -0.07}},
    }
    unknown = next((name for name in names if name not in ways), None)
    if unknown is not None:
        raise ConfigError(f"There is no fault {unknown!r}.", f"Take one of {', '.join(ways)}.")
    return PlantedFaults(**{field: value for name in names for field, value in ways[name].items()})
