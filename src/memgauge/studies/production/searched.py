"""What the index of a simulated service returns: the newest memories more often, as they were a little earlier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.exchange.traffic.rows import TRACEABLE
from memgauge.records import Outcome
from memgauge.studies.production.arrays import DAY_NS
from memgauge.studies.production.sealed import OUTCOMES
from memgauge.studies.production.service import ASKED, BEFORE, BEGAN_NS

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from memgauge.studies.production.population import MemoryPopulation, UserActs
    from memgauge.studies.production.service import SimulatedService

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

_SPARE: Final = 4
"""Candidates of a search beyond those it returns, which take the place of what was deleted."""
_ANSWERED: Final = 0.6
"""Share of searches with an answer in their trace."""
_TRACED: Final = 0.35
"""Share of hits that an answer repeats a run of."""
_NEAR: Final = 0.02
"""Share of hits, the first ones apart, that nearly repeat an earlier one."""


@dataclass(frozen=True, eq=False)
class SearchedLists:
    """What searches came back with."""

    outcome: Integers
    ended: Integers
    search: Integers
    """Of every record, the place of its search."""
    memory: Integers
    version: Integers
    score: Floats
    run: Floats
    likeness: Floats

    @classmethod
    def of(
        cls,
        service: SimulatedService,
        population: MemoryPopulation,
        searches: UserActs,
        queries: Integers,
        rng: Generator,
    ) -> SearchedLists:
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
        failure_codes = np.where(draw < 0.005, OUTCOMES.index(Outcome.ERROR), OUTCOMES.index(Outcome.TIMEOUT))
        length[draw < 0.006] = 0
        candidates = np.where(length > 0, length + _SPARE, 0)
        search = np.repeat(np.arange(n), candidates)
        place = np.arange(len(search)) - np.repeat(np.cumsum(candidates) - candidates, candidates)
        lag = np.minimum(rng.exponential(20e9, n), 1500e9).astype(np.int64)
        indexed = searches.began - lag
        there = BEFORE + population.born.count(searches.user, np.minimum(indexed, _ns(faults.dead_from)))
        gaps = np.cumsum(rng.geometric(0.45, (4096, ASKED + _SPARE)), axis=1)[queries[search] % 4096, place]
        memory = np.maximum(there[search] - gaps, 0) + population.first[searches.user[search]]
        removals = population.removed.count(memory, np.minimum(indexed[search], _ns(faults.undeleted_from)))
        stays = (there[search] >= gaps) & (removals == 0)
        earlier_hits = np.cumsum(stays) - stays
        rank = earlier_hits - np.repeat(
            earlier_hits[(np.cumsum(candidates) - candidates)[candidates > 0]], candidates[candidates > 0]
        )
        stays &= rank < length[search]
        search, memory, rank = search[stays], memory[stays], rank[stays]
        score = np.clip(0.8 + 0.07 * rng.standard_normal(n), 0.1, 1)[search] * 0.93**rank
        score *= 1 + faults.drift.get("score", 0) * drifted[search]
        memory = _leaked(memory, search, service, population, searches, rng)
        version = population.version(memory, np.minimum(indexed[search], _ns(faults.stale_from)))
        has_hits = np.bincount(search, minlength=n) > 0
        outcome = np.where(has_hits, OUTCOMES.index(Outcome.OK), OUTCOMES.index(Outcome.EMPTY))
        outcome = np.where(draw < 0.006, failure_codes, outcome)
        ended = searches.began + took.astype(np.int64)
        return cls(outcome, ended, search, memory, version, score, *_injected(search, rank, n, rng))


def _injected(search: Integers, rank: Integers, n: int, rng: Generator) -> tuple[Floats, Floats]:
    """Draw what answers repeat of every record, where one was recorded, and how much of it was said before it."""
    has_answer = rng.random(n)[search] < _ANSWERED
    traced = rng.random(len(search)) < _TRACED
    run_lengths = np.where(
        traced, TRACEABLE + rng.geometric(0.2, len(search)), rng.integers(0, TRACEABLE, len(search))
    )
    is_near = rng.random(len(search)) < _NEAR
    likeness = np.where(rank > 0, np.where(is_near, 0.95, 0.0), 0.0)
    return np.where(has_answer, run_lengths.astype(np.float64), np.nan), likeness


def _day(day: float | None) -> float:
    return np.inf if day is None else day


def _ns(day: float | None) -> int:
    return 2**62 if day is None else BEGAN_NS + int(day * DAY_NS)


def _leaked(
    memory: Integers,
    search: Integers,
    service: SimulatedService,
    population: MemoryPopulation,
    searches: UserActs,
    rng: Generator,
) -> Integers:
    """Put a memory of somebody else, written while somebody recorded, in the first place of some searches."""
    leaks = rng.random(len(searches.user)) < service.faults.leak
    first_places = np.flatnonzero(np.diff(search, prepend=-1) > 0)
    first_places = first_places[leaks[search[first_places]]]
    stranger = rng.integers(0, service.users, len(first_places))
    has = population.born.count(stranger, searches.began[search[first_places]] - 3600 * 10**9)
    usable = (has > 0) & (stranger != searches.user[search[first_places]])
    leaked = memory.copy()
    leaked[first_places[usable]] = (population.first[stranger] + BEFORE + has - 1)[usable]
    return leaked
