"""The driver: one memory under one scenario, through its ordinary protocol, against an injected clock.

What the memory raises, does not return in time, or returns against its protocol ends the scenario as an error;
nothing counts as a pass.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar

from memgauge.errors import CallFailed, ContractBreach, SystemFault
from memgauge.foreign import Raised, call_foreign
from memgauge.runs.play.call import Caller, Timed, fault_of, let_go, shut
from memgauge.studies.golden.teaching import is_taught
from memgauge.systems.looked_at import MemoryLookedAt
from memgauge.systems.protocol import Closing, Consistency, implements
from memgauge.systems.wire.written import WrittenFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Memory, Receipt, Scope, Turn
    from memgauge.records.statements import Statement
    from memgauge.systems.protocol import AuditEntry, MemorySystem, Taught

T = TypeVar("T")

BUDGET = 4_000
"""Characters of context that are asked for."""
DISTRUSTED = re.compile("quarantine|untrusted")
"""How a memory marks, in the channel of what is stored, that it does not believe it."""


@dataclass(frozen=True)
class ReturnedText:
    """One text that came back, and whether the memory itself says that it no longer holds."""

    text: str
    marked: bool = False
    memory: Memory | None = None
    """The memory that bears it; none where it was made for this reading."""


@dataclass(frozen=True)
class Returned:
    """What one call gave back, or the exception that it raised."""

    call: str
    """The method."""
    scope: Scope | None
    """Who called; ``None`` where a call is nobody's."""
    value: object
    """As it came, with whatever it has beside what the protocol names."""
    given: tuple[object, ...] = ()
    """What it was handed: what is echoed to whoever said it is no leak."""
    at: datetime | None = None
    """The time that was asked about."""
    plain: object = None
    """The same as a value of ours."""


class InlineCaller:
    """Calls on the thread of whoever calls: faster by half, for memories that are trusted to return."""

    hung = ""
    """Never set: there is no clock."""

    @staticmethod
    def call(
        what: str,
        function: Callable[[], T],
        timeout_s: float,  # noqa: ARG004 - there is no clock
        late: Callable[[T], object] | None = None,  # noqa: ARG004 - nothing is late
    ) -> Timed[T]:
        """Run *function*.

        Raises:
            SystemFault: It raised.
        """
        value = call_foreign(function)
        if isinstance(value, Raised):
            raise fault_of(what, value.error)
        return Timed(value, 0)

    def close(self) -> None:
        """Do nothing: there is no thread that could end."""


def _caller(timeout_s: float) -> Caller | InlineCaller:
    return InlineCaller() if math.isinf(timeout_s) else Caller()


class Driver:
    """Calls one memory; every call is timed out and every exception recorded by the caller.

    An infinite time is no time: calls are then made on the same thread.
    """

    def __init__(
        self, system: MemorySystem, *, timeout_s: float = 30, caller: Caller | InlineCaller | None = None
    ) -> None:
        """Learn what *system* offers and promises.

        Raises:
            SystemFault: It does not say so as the protocol wants it.
        """
        self.system = system
        self.timeout_s = timeout_s
        self.witness: Callable[[Returned], object] | None = None
        """Is shown what every call gave back."""
        self.footprint = WrittenFiles()
        """What is written while it is driven, and from when it was opened."""
        self.times: dict[str, list[float]] = {}
        """Milliseconds of every call that returned, by method; a method that was called is there."""
        self._caller = caller or _caller(timeout_s)
        self._looked_at = self._caller.call("offers", lambda: MemoryLookedAt(system), timeout_s).value
        self.offers = frozenset(self._looked_at.offers())
        promises = self._caller.call("capabilities", self._looked_at.capabilities, timeout_s).value
        self.immediate = promises.consistency is Consistency.IMMEDIATE
        """Whether the memory says that what is written is settled once the call returned."""
        self._taught = self._caller.call("capabilities", lambda: _taught(system), timeout_s).value

    @classmethod
    def opening(cls, factory: Callable[[], MemorySystem], *, timeout_s: float = 30) -> Self:
        """Open a memory on the thread on which it will be called.

        Raises:
            SystemFault: It could not be opened, did not open in time, or does not say what it promises.
        """
        caller, footprint = _caller(timeout_s), WrittenFiles()
        system: MemorySystem | None = None
        try:
            system = caller.call("opening it", factory, timeout_s, late=let_go).value
            driver = cls(system, timeout_s=timeout_s, caller=caller)
        except SystemFault:
            _end(system, caller)
            raise
        driver.footprint = footprint
        return driver

    def close(self) -> None:
        """Close the memory, where it can be closed, and let its thread end."""
        _end(self.system, self._caller)

    def reset(self) -> None:
        """Begin with nothing."""
        self._call("reset", self._looked_at.reset)

    def write(
        self,
        turn: Turn,
        scope: Scope,
        meaning: Sequence[Statement],
        *,
        expires_at: datetime | None = None,
        trusted: bool = True,
    ) -> Receipt:
        """Hand over a turn; a reference memory is told what it means first."""
        self._teach(turn, meaning, trusted=trusted)
        memory = self._looked_at
        if expires_at is not None and "expiring" in self.offers:
            return self._call(
                "ingest_expiring", lambda: memory.ingest_expiring(turn, scope, expires_at), scope, turn
            )
        return self._call("ingest", lambda: memory.ingest([turn], scope), scope, turn)

    def write_all(self, turns: Sequence[tuple[Turn, Sequence[Statement], bool]], scope: Scope) -> Receipt:
        """Hand over several turns in one call; a reference memory is told what each of them means first."""
        for turn, meaning, trusted in turns:
            self._teach(turn, meaning, trusted=trusted)
        handed = [turn for turn, _, _ in turns]
        return self._call("ingest", lambda: self._looked_at.ingest(handed, scope), scope, *handed)

    def flush(self, scope: Scope) -> None:
        """Wait until everything written is searchable."""
        self._call("flush", lambda: self._looked_at.flush(scope, self.timeout_s), scope)

    def recall(self, query: str, scope: Scope, k: int, as_of: datetime) -> list[ReturnedText]:
        """Search."""
        ranking = self._call(
            "search", lambda: self._looked_at.search(query, scope, k, as_of), scope, query, at=as_of
        )
        return [_seen(hit.memory, as_of) for hit in ranking.hits]

    def listed(self, scope: Scope) -> list[Memory]:
        """List everything stored under a scope."""
        return self._call("dump", lambda: self._looked_at.dump(scope), scope)

    def context(self, query: str, scope: Scope, budget: int = BUDGET) -> list[ReturnedText] | None:
        """Return the text that a model would be shown; ``None`` where the memory makes none."""
        if "assembling" not in self.offers:
            return None
        text = self._call("context", lambda: self._looked_at.context(query, scope, budget), scope, query)
        return [ReturnedText(text)]

    def answer(self, query: str, scope: Scope, as_of: datetime) -> list[ReturnedText] | None:
        """Return its answer; ``None`` where it does not answer by itself."""
        if "answering" not in self.offers:
            return None
        text = self._call("ask", lambda: self._looked_at.ask(query, scope, as_of), scope, query, at=as_of)
        return [ReturnedText(text)]

    def erase_scope(self, scope: Scope) -> None:
        """Erase everything under a scope; the runner has checked that this is offered, as for all below."""
        self._call("erase", lambda: self._looked_at.erase(scope), scope)

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Delete memories by id."""
        return self._call("delete", lambda: self._looked_at.delete(memories, scope), scope, memories)

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory."""
        return self._call("update", lambda: self._looked_at.update(memory, text, scope), scope, memory, text)

    def maintain(self, now: datetime) -> None:
        """Let the memory tidy up, where it does."""
        if "expiring" in self.offers:
            self._call("sweep", lambda: self._looked_at.sweep(now))

    def restart(self) -> None:
        """Close and open again."""
        self._call("reopen", self._looked_at.reopen)

    def declared(self) -> list[Path]:
        """Name the files and folders that the memory says it keeps things in."""
        if "durable" not in self.offers:
            return []
        return list(self._call("storage_paths", self._looked_at.storage_paths))

    def files(self) -> list[Path]:
        """Name the files of the store, and whatever else was written, those that are there."""
        declared = self.declared()
        below = (path.rglob("*") if path.is_dir() else [path] for path in declared)
        files = [file for files in below for file in files if file.is_file()]
        return list(dict.fromkeys([*files, *self.footprint.files(declared)]))

    def history(self, memory: str, scope: Scope) -> Sequence[AuditEntry]:
        """Return what happened to one memory."""
        return self._call("history", lambda: self._looked_at.history(memory, scope), scope, memory)

    def _teach(self, turn: Turn, meaning: Sequence[Statement], *, trusted: bool) -> None:
        taught = self._taught
        if taught is not None:
            self._caller.call("teach", lambda: taught.teach(turn.id, meaning, trusted=trusted), self.timeout_s)

    def _call(
        self,
        what: str,
        function: Callable[[], T],
        scope: Scope | None = None,
        *given: object,
        at: datetime | None = None,
    ) -> T:
        try:
            times = self.times.setdefault(what, [])
            timed = self._caller.call(what, function, self.timeout_s)
            times.append(timed.ms)
            value = timed.value
        except (CallFailed, ContractBreach) as error:
            self._show(Returned(what, scope, error.__cause__ or error, given, at))
            raise
        self._show(Returned(what, scope, self._looked_at.came, given, at, value))
        return value

    def _show(self, returned: Returned) -> None:
        if self.witness is not None:
            self.witness(returned)


def _taught(system: MemorySystem) -> Taught | None:
    return system if is_taught(system) else None


def _end(system: MemorySystem | None, caller: Caller | InlineCaller) -> None:
    """Close a memory, where it was opened and can be closed, and let its thread end."""
    if system is not None and implements(system, Closing):
        shut(caller, system.close)
    caller.close()


def _seen(memory: Memory, at: datetime) -> ReturnedText:
    return ReturnedText(memory.text, is_over(memory, at), memory)


def is_over(memory: Memory, at: datetime) -> bool:
    """Whether a memory says itself that it no longer holds at a time, which has no zone in a conversation."""
    return memory.valid_to is not None and memory.valid_to.replace(tzinfo=None) <= at
