"""Who lives in a simulated service: what users do and when, and the memories that there ever are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.studies.production.arrays import DAY_NS
from memgauge.studies.production.service import BEFORE, BEGAN_NS

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from memgauge.studies.production.earlier import EarlierEvents
    from memgauge.studies.production.service import SimulatedService

    Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class UserActs:
    """Something that users do: who, and when it begins and ends."""

    user: Integers
    began: Integers
    ended: Integers

    def where(self, mask: NDArray[np.bool_] | Integers) -> UserActs:
        """Keep some."""
        return UserActs(self.user[mask], self.began[mask], self.ended[mask])


@dataclass(frozen=True, eq=False)
class MemoryPopulation:
    """All memories that there ever are, by user and birth, and what becomes of them."""

    first: Integers
    """By user, the number of the oldest memory."""
    born: EarlierEvents
    """Births by user, what was there before not counted."""
    seen: NDArray[np.bool_]
    """Whether a memory was written while somebody recorded."""
    changed: EarlierEvents
    removed: EarlierEvents

    def version(self, memory: Integers, until: Integers) -> Integers:
        """Return the version that memories have by then; 0 where nobody saw them being written."""
        return self.seen[memory] + self.changed.count(memory, until)


def acts(service: SimulatedService, rate: float, rng: Generator) -> UserActs:
    """Draw who does something when: fewer at weekends, more by day, some users more than others."""
    weekday = np.where(np.arange(service.days) % 7 >= 5, 0.6, 1.0)
    busy = rng.poisson(service.users * rate * weekday * np.exp(0.02 * rng.standard_normal(service.days)))
    day = np.repeat(np.arange(service.days), busy)
    eager = rng.gamma(2.0, size=service.users)
    user = rng.choice(service.users, len(day), p=eager / eager.sum())
    began = BEGAN_NS + day * DAY_NS + (rng.beta(2.5, 2.0, len(day)) * (DAY_NS - 1)).astype(np.int64)
    took = (2e7 * np.exp(0.4 * rng.standard_normal(len(day)))).astype(np.int64)
    order = np.argsort(began, kind="stable")
    return UserActs(user[order], began[order], (began + took)[order])


def followed(searches: UserActs, changes: tuple[UserActs, ...], rng: Generator) -> UserActs:
    """Let a third of all changes be followed by a search within minutes, when an index may lag behind them."""
    user, ended = (np.concatenate([getattr(change, name) for change in changes]) for name in ("user", "ended"))
    soon = rng.random(len(user)) < 1 / 3
    began = ended[soon] + (180e9 * rng.standard_exponential(int(soon.sum()))).astype(np.int64)
    users, begins = np.concatenate([searches.user, user[soon]]), np.concatenate([searches.began, began])
    order = np.argsort(begins, kind="stable")
    return UserActs(users[order], begins[order], begins[order])


def picked(events: UserActs, first: Integers, born: EarlierEvents, rng: Generator) -> Integers:
    """Choose, for every event, a memory that its user has by then, the newest ones more often."""
    there = BEFORE + born.count(events.user, events.began - 10**9)
    memory: Integers = first[events.user] + np.maximum(there - rng.geometric(0.15, len(there)), 0)
    return memory


def queries_of(user: Integers, rng: Generator) -> Integers:
    """Ask one of four things that a user always asks, or something new."""
    usual = user * 4 + rng.integers(0, 4, len(user))
    return np.where(rng.random(len(user)) < 0.15, usual, 2**40 + np.arange(len(user)))
