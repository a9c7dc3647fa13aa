"""A memory made of memories: each hears everything, one is asked, and only its answer teaches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.records import Hit, Ranking, Receipt
from memgauge.registry import unknown_name
from memgauge.systems.protocol import Capabilities, Closing, Consistency, EventTime, Role, implements
from memgauge.systems.routing.context import Hearing
from memgauge.systems.routing.learners import LEARNERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from memgauge import ranges
    from memgauge.records import Memory, Scope, Turn
    from memgauge.systems.protocol import MemorySystem
    from memgauge.systems.routing.context import ShiftSigns

NOTE = "routed to "
"""How a ranking says which arm it comes from."""
PAPER = "flat+hsr+fusion"
"""The arms of ShiftBench's bandit that need no sentence vectors; with them it is ``flat+dense+hsr+fusion``."""


class MemoryRouter:
    """Routes each question to one of several memories, and learns from its own hits which is best where.

    Memories carry the name of their arm before their id. What it has learned is part of what it forgets on reset.
    """

    version = "1"

    def __init__(self, rule: str, arms: Mapping[str, MemorySystem], *, seed: int = 0) -> None:
        """Route by a learning *rule* over *arms* by name.

        Raises:
            UnknownNameError: No such rule.
            ConfigError: Fewer than two arms, a ceiling among them, or arms that take turns in different units.
        """
        if rule not in LEARNERS:
            raise unknown_name("routing rule", rule, LEARNERS)
        promises = [arm.capabilities() for arm in arms.values()]
        if len(arms) < 2:
            raise ConfigError("A router needs two different arms to choose from.", "Name them as arms=flat+hsr.")
        if any(p.role is Role.CEILING for p in promises):
            raise ConfigError("A ceiling is told the truth and cannot be an arm.", "Take systems.")
        if len({p.unit for p in promises}) > 1:
            units = ", ".join(f"{name} by {p.unit}" for name, p in zip(arms, promises, strict=True))
            raise ConfigError(f"The arms take turns in different units: {units}.", "Take arms that agree.")
        self.name = rule
        self._arms = dict(arms)
        self._promises = promises
        self._seed = seed
        self._hearing = Hearing()
        self._learner = LEARNERS[rule](len(arms), seed)
        self._pulled: tuple[ShiftSigns, int] | None = None

    def capabilities(self) -> Capabilities:
        """Promise what all arms promise."""
        arms = self._promises
        caps = [arm.k_cap for arm in arms if arm.k_cap is not None]
        return Capabilities(
            unit=arms[0].unit,
            consistency=max((arm.consistency for arm in arms), key=list(Consistency).index),
            event_time=min((arm.event_time for arm in arms), key=list(EventTime).index),
            reports_changes=all(arm.reports_changes for arm in arms),
            declares_sources=all(arm.declares_sources for arm in arms),
            k_cap=min(caps, default=None),
            read_only_search=all(arm.read_only_search for arm in arms),
            needs=tuple(dict.fromkeys(need for arm in arms for need in arm.needs)),
            interventions=(
                "told of each of its answers whether it held evidence",
                *dict.fromkeys(change for arm in arms for change in arm.interventions),
            ),
            stand_ins=tuple(dict.fromkeys(part for arm in arms for part in arm.stand_ins)),
        )

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Let every arm store *turns*."""
        self._hearing.hear([turn.session for turn in turns])
        receipts = {name: arm.ingest(turns, scope) or Receipt() for name, arm in self._arms.items()}
        if any(receipt.changes is None for receipt in receipts.values()):
            return Receipt()
        return Receipt(
            tuple(
                replace(change, memory=_named(name, change.memory))
                for name, receipt in receipts.items()
                for change in receipt.changes or ()
            )
        )

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Wait for every arm."""
        for arm in self._arms.values():
            arm.flush(scope, timeout_s)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Ask the arm that promises most."""
        context = self._hearing.ask(query)
        arm = self._learner.choose(context)
        self._pulled = context, arm
        name = list(self._arms)[arm]
        ranking = self._arms[name].search(query, scope, k, as_of)
        hits = tuple(Hit(_owned(name, hit.memory), hit.score) for hit in ranking.hits)
        return Ranking(hits, ranking.score_kind, (*ranking.notes, f"{NOTE}{name}"))

    def reward(self, value: float) -> None:
        """Learn how good the last answer was."""
        if self._pulled is not None:
            self._learner.learn(*self._pulled, value)
            self._pulled = None

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List what every arm stores."""
        for name, arm in self._arms.items():
            yield from (_owned(name, memory) for memory in arm.dump(scope))

    def reset(self) -> None:
        """Forget everything, what was learned included."""
        for arm in self._arms.values():
            arm.reset()
        self._hearing = Hearing()
        self._learner = LEARNERS[self.name](len(self._arms), self._seed)
        self._pulled = None

    def close(self) -> None:
        """Close the arms that can be closed."""
        for arm in self._arms.values():
            if implements(arm, Closing):
                arm.close()


def _named(arm: str, memory: str) -> str:
    return f"{arm}/{memory}"


def _owned(arm: str, memory: Memory) -> Memory:
    return replace(memory, id=_named(arm, memory.id), channel=arm)


def ucb(*, arms: str = PAPER, seed: ranges.Seed = 0) -> MemoryRouter:
    """Route by upper confidence bounds over *arms* (references joined by ``+``), learned context by context."""
    return MemoryRouter("ucb", _opened(arms, seed), seed=seed)


def thompson(*, arms: str = PAPER, seed: ranges.Seed = 0) -> MemoryRouter:
    """Route by Thompson sampling over *arms* (references joined by ``+``), learned context by context."""
    return MemoryRouter("thompson", _opened(arms, seed), seed=seed)


def _opened(arms: str, seed: int) -> dict[str, MemorySystem]:
    from memgauge.systems.catalogue import open_system  # the catalogue names this module

    return {ref: open_system(ref, seed=seed) for ref in arms.split("+")}
