"""Play a plan: threads that begin together, each on a connection of its own, and ticks that order their calls."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from itertools import count
from random import Random
from typing import TYPE_CHECKING, TypeVar

from memgauge.errors import CallTimeout, ContractBreach
from memgauge.foreign import Raised, call_foreign
from memgauge.records import Scope, Turn
from memgauge.records.statements import Statement
from memgauge.studies.golden.driver import is_over
from memgauge.studies.golden.races.operations import (
    RaceDelete,
    RaceErase,
    RaceLook,
    RaceReopen,
    RaceUpdate,
    RaceWrite,
)
from memgauge.studies.golden.races.record import RaceCall, RaceHistory
from memgauge.studies.golden.scene import EPOCH
from memgauge.studies.golden.teaching import is_taught
from memgauge.studies.golden.tokens import found_in, token
from memgauge.systems.looked_at import MemoryLookedAt
from memgauge.systems.protocol import Consistency, Durable, Erasable, Mutable, implements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Memory
    from memgauge.studies.golden.races.operations import RaceOperation, RacePlan
    from memgauge.systems.protocol import MemorySystem

T = TypeVar("T")

_AT_MOST = 50
"""Hits that a search asks for: more than a race ever writes."""
_LAG_S = 0.002
"""The longest that a thread waits before a call, every other time, in every other history: windows differ."""


@dataclass
class RaceStage:
    """The memory that plans are played on, through one connection a thread."""

    connections: Sequence[MemorySystem]
    timeout_s: float = 30
    pause: Callable[[], None] = lambda: None
    """Called at the border of every call, where threads may be made to change."""
    _played: Iterator[int] = field(default_factory=count, repr=False)

    def play(self, plan: RacePlan, seed: str) -> RaceHistory:
        """Play *plan* as users that nobody else is, and return what was called.

        Raises:
            CallTimeout: A thread did not come back in time.
            ContractBreach: A call returned what the protocol forbids, which is no refusal.
        """
        named = f"{seed}-{next(self._played)}"
        settles = MemoryLookedAt(self.connections[0]).capabilities().consistency is Consistency.FLUSH
        performance = _Performance(self, plan, named, settles=settles)
        performance.run()
        calls = sorted(performance.calls, key=lambda call: call.begun)
        return RaceHistory(plan, tuple(calls), settles)


class _Performance:
    """One plan while it is played."""

    def __init__(self, stage: RaceStage, plan: RacePlan, named: str, *, settles: bool) -> None:
        self._stage = stage
        self._plan = plan
        self._named = named
        self._lags = Random(named).random() < 0.5  # noqa: S311 - an order that can be repeated, not a secret
        self._settles = settles
        self._clock = count(1)  # a step of it is one call into C, which no thread interrupts
        self._values = {name: token(named, name) for name in plan.tokens()}
        self._ids: dict[str, str] = {}
        """The id of every memory that was there before threads began, by its token."""
        self._breaches: list[ContractBreach] = []
        self.calls: list[RaceCall] = []

    def run(self) -> None:
        """Play what comes first, then every phase, and look when all is done."""
        self._threads(self._set_up)
        for phase in self._plan.phases:
            start = threading.Barrier(len(phase)) if len(phase) > 1 else None
            self._threads(*(partial(self._lane, number, lane, start) for number, lane in enumerate(phase, 1)))
            self._threads(self._look)
            if self._plan.reopens:
                self._threads(self._reopen)

    def _threads(self, *targets: Callable[[], None]) -> None:
        """Run *targets* on threads of their own, which nobody waits for that hang."""
        threads = [threading.Thread(target=target, daemon=True) for target in targets]
        for thread in threads:
            thread.start()
        until = time.monotonic() + self._stage.timeout_s
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        if any(thread.is_alive() for thread in threads):
            raise CallTimeout(f"a race did not end within {self._stage.timeout_s:g} s")
        if self._breaches:
            raise self._breaches[0]

    def _set_up(self) -> None:
        self._lane(0, self._plan.setup)
        for user, _ in dict.fromkeys(self._plan.tokens().values()) if self._plan.setup else ():
            scope = self._scope(user)
            memories = self._called(lambda scope=scope: self._memory(0).dump(scope))  # type: ignore[misc]
            for memory in [] if isinstance(memories, Raised) else memories:
                for name in self._names(memory):
                    self._ids.setdefault(name, memory.id)

    def _look(self) -> None:
        self._lane(0, self._plan.looks(), last=True)

    def _reopen(self) -> None:
        self._lane(0, (RaceReopen(),))
        self._look()

    def _lane(
        self,
        lane: int,
        operations: Iterable[RaceOperation],
        start: threading.Barrier | None = None,
        *,
        last: bool = False,
    ) -> None:
        dice = Random(f"{self._named}/{lane}")  # noqa: S311 - an order that can be repeated, not a secret
        if start is not None:
            start.wait(self._stage.timeout_s)
        system = self._memory(lane)
        for operation in operations:
            if self._lags and start is not None and dice.random() < 0.5:
                time.sleep(dice.random() * _LAG_S)
            self._stage.pause()
            begun = next(self._clock)
            outcome = self._called(lambda now=begun, what=operation: self._do(what, system, now))  # type: ignore[misc]
            self._stage.pause()
            ended, raised = next(self._clock), str(outcome) if isinstance(outcome, Raised) else ""
            shown, removed = ((), 0) if isinstance(outcome, Raised) else outcome
            self.calls.append(RaceCall(lane, operation, begun, ended, raised, shown, removed, last))

    def _memory(self, lane: int) -> MemoryLookedAt:
        """Return what a lane calls, and looks at by itself."""
        connections = self._stage.connections
        return MemoryLookedAt(connections[max(lane - 1, 0) % len(connections)])

    def _called(self, call: Callable[[], T]) -> T | Raised:
        """Call the memory; what it may refuse is a value, and what it may not return ends the play."""
        outcome = call_foreign(call)
        if isinstance(outcome, Raised) and isinstance(outcome.error, ContractBreach):
            self._breaches.append(outcome.error)
        return outcome

    def _do(self, operation: RaceOperation, system: MemoryLookedAt, begun: int) -> tuple[tuple[str, ...], int]:
        """Call the memory, and wait until what was written can be read."""
        result = self._perform(operation, system, EPOCH + timedelta(seconds=begun))
        if self._settles and not isinstance(operation, RaceLook | RaceReopen):
            system.flush(self._scope(operation.user), self._stage.timeout_s)
        return result

    def _perform(
        self, operation: RaceOperation, system: MemoryLookedAt, at: datetime
    ) -> tuple[tuple[str, ...], int]:
        match operation:
            case RaceLook():
                return self._shown(operation, system, at), 0
            case RaceWrite():
                system.ingest(list(self._turns(operation, system, at)), self._scope(operation.user))
            case RaceUpdate() if implements(system, Mutable):
                text = self._text(operation.slot, operation.token)
                system.update(self._id(operation.memory), text, self._scope(operation.user))
            case RaceDelete() if implements(system, Mutable):
                return (), system.delete([self._id(operation.memory)], self._scope(operation.user))
            case RaceErase() if implements(system, Erasable):
                system.erase(self._scope(operation.user))
            case RaceReopen() if implements(system, Durable):
                system.reopen()
            case _:
                raise NotImplementedError(operation)
        return (), 0

    def _turns(self, operation: RaceWrite, system: MemoryLookedAt, at: datetime) -> Iterator[Turn]:
        """Yield the turns of a write; a reference memory is told what they mean first."""
        for turn in operation.turns:
            key = f"{self._named}-{turn.id}"
            if is_taught(system.itself):
                system.itself.teach(key, (Statement(turn.slot, self._values[turn.token]),), trusted=True)
            yield Turn(key, operation.user, self._text(turn.slot, turn.token), "s0", at)

    def _shown(self, look: RaceLook, system: MemoryLookedAt, at: datetime) -> tuple[str, ...]:
        """Look, and name the tokens that came back in what holds."""
        scope = self._scope(look.user)
        if look.slot:
            memories = [hit.memory for hit in system.search(f"What is my {look.slot}?", scope, _AT_MOST, at).hits]
        else:
            memories = system.dump(scope)
        holding = (memory for memory in memories if not is_over(memory, at))
        return tuple(name for memory in holding for name in self._names(memory))

    def _names(self, memory: Memory) -> list[str]:
        """Name the tokens that a memory holds."""
        held = found_in(memory.text, self._values.values())
        return [name for name, value in self._values.items() if value in held]

    def _text(self, slot: str, name: str) -> str:
        return f"My {slot} is {self._values[name]}."

    def _scope(self, user: str) -> Scope:
        return Scope(f"{user}-{self._named}")

    def _id(self, name: str) -> str:
        return self._ids.get(name, f"none-{name}")
