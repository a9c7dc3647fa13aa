"""The driver: one memory under one scenario, through its ordinary protocol, against an injected clock.

What the memory raises, or does not return in time, ends the scenario as an error; nothing counts as a pass.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar

from memgauge.errors import CallFailed, CallTimeout
from memgauge.foreign import Raised, call_foreign
from memgauge.records import Receipt
from memgauge.runs.play.call import Caller, Timed, let_go, shut
from memgauge.studies.golden.teaching import is_taught
from memgauge.systems.protocol import (
    Answering,
    Assembling,
    Auditable,
    Closing,
    Consistency,
    Durable,
    Erasable,
    Expiring,
    Mutable,
    implements,
    supported,
)
from memgauge.systems.wire.written import WrittenFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Memory, Ranking, Scope, Turn
    from memgauge.records.statements import Statement
    from memgauge.systems.protocol import AuditEntry, MemorySystem

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
    given: tuple[object, ...] = ()
    """What it was handed: what is echoed to whoever said it is no leak."""
    at: datetime | None = None
    """The time that was asked about."""


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
            CallFailed: It raised.
        """
        value = call_foreign(function)
        if isinstance(value, Raised):
            raise CallFailed(f"{what} raised {value}") from value.error
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
        self.system = system
        self.timeout_s = timeout_s
        self.offers = frozenset(supported(system))
        self.witness: Callable[[Returned], object] | None = None
        """Is shown what every call gave back."""
        self.footprint = WrittenFiles()
        """What is written while it is driven, and from when it was opened."""
        self.times: dict[str, list[float]] = {}
        """Milliseconds of every call that returned, by method; a method that was called is there."""
        self._caller = caller or _caller(timeout_s)

    @classmethod
    def opening(cls, factory: Callable[[], MemorySystem], *, timeout_s: float = 30) -> Self:
        """Open a memory on the thread on which it will be called.

        Raises:
            CallFailed: It could not be opened.
            CallTimeout: It did not open in time.
        """
        caller, footprint = _caller(timeout_s), WrittenFiles()
        try:
            system = caller.call("opening it", factory, timeout_s, late=let_go).value
        except (CallFailed, CallTimeout):
            caller.close()
            raise
        driver = cls(system, timeout_s=timeout_s, caller=caller)
        driver.footprint = footprint
        return driver

    @property
    def immediate(self) -> bool:
        """Whether the memory says that what is written is settled once the call returned."""
        return self.system.capabilities().consistency is Consistency.IMMEDIATE

    def close(self) -> None:
        """Close the memory, where it can be closed, and let its thread end."""
        system = self.system
        if implements(system, Closing):
            shut(self._caller, system.close)
        self._caller.close()

    def reset(self) -> None:
        """Begin with nothing."""
        self._call("reset", self.system.reset)

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
        if is_taught(self.system):
            self.system.teach(turn.id, meaning, trusted=trusted)
        if expires_at is not None and implements(self.system, Expiring):
            expiring = self.system
            return self._call(
                "ingest_expiring", lambda: expiring.ingest_expiring(turn, scope, expires_at), scope, turn
            )
        return self._call("ingest", lambda: self.system.ingest([turn], scope) or Receipt(), scope, turn)

    def write_all(self, turns: Sequence[tuple[Turn, Sequence[Statement], bool]], scope: Scope) -> Receipt:
        """Hand over several turns in one call; a reference memory is told what each of them means first."""
        for turn, meaning, trusted in turns:
            if is_taught(self.system):
                self.system.teach(turn.id, meaning, trusted=trusted)
        handed = [turn for turn, _, _ in turns]
        return self._call("ingest", lambda: self.system.ingest(handed, scope) or Receipt(), scope, *handed)

    def flush(self, scope: Scope) -> None:
        """Wait until everything written is searchable."""
        self._call("flush", lambda: self.system.flush(scope, self.timeout_s), scope)

    def recall(self, query: str, scope: Scope, k: int, as_of: datetime) -> list[ReturnedText]:
        """Search."""
        ranking: Ranking = self._call(
            "search", lambda: self.system.search(query, scope, k, as_of), scope, query, at=as_of
        )
        return [_seen(hit.memory, as_of) for hit in ranking.hits]

    def listed(self, scope: Scope) -> list[Memory]:
        """List everything stored under a scope."""
        return self._call("dump", lambda: list(self.system.dump(scope)), scope)

    def context(self, query: str, scope: Scope, budget: int = BUDGET) -> list[ReturnedText] | None:
        """Return the text that a model would be shown; ``None`` where the memory makes none."""
        if not implements(self.system, Assembling):
            return None
        assembling = self.system
        return [
            ReturnedText(self._call("context", lambda: assembling.context(query, scope, budget), scope, query))
        ]

    def answer(self, query: str, scope: Scope, as_of: datetime) -> list[ReturnedText] | None:
        """Return its answer; ``None`` where it does not answer by itself."""
        if not implements(self.system, Answering):
            return None
        answering = self.system
        text = self._call("ask", lambda: answering.ask(query, scope, as_of), scope, query, at=as_of)
        return [ReturnedText(text)]

    def erase_scope(self, scope: Scope) -> None:
        """Erase everything under a scope."""
        assert implements(self.system, Erasable)  # noqa: S101 - the runner has checked what it requires
        erasable = self.system
        self._call("erase", lambda: erasable.erase(scope), scope)

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Delete memories by id."""
        assert implements(self.system, Mutable)  # noqa: S101 - the runner has checked what it requires
        mutable = self.system
        return self._call("delete", lambda: mutable.delete(memories, scope), scope, memories)

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory."""
        assert implements(self.system, Mutable)  # noqa: S101 - the runner has checked what it requires
        mutable = self.system
        return self._call("update", lambda: mutable.update(memory, text, scope), scope, memory, text)

    def maintain(self, now: datetime) -> None:
        """Let the memory tidy up, where it does."""
        if implements(self.system, Expiring):
            expiring = self.system
            self._call("sweep", lambda: expiring.sweep(now))

    def restart(self) -> None:
        """Close and open again."""
        assert implements(self.system, Durable)  # noqa: S101 - the runner has checked what it requires
        self._call("reopen", self.system.reopen)

    def declared(self) -> list[Path]:
        """Name the files and folders that the memory says it keeps things in."""
        if not implements(self.system, Durable):
            return []
        durable = self.system
        return self._call("storage_paths", lambda: list(durable.storage_paths()))

    def files(self) -> list[Path]:
        """Name the files of the store, and whatever else was written, those that are there."""
        declared = self.declared()
        below = (path.rglob("*") if path.is_dir() else [path] for path in declared)
        files = [file for files in below for file in files if file.is_file()]
        return list(dict.fromkeys([*files, *self.footprint.files(declared)]))

    def history(self, memory: str, scope: Scope) -> list[AuditEntry]:
        """Return what happened to one memory."""
        assert implements(self.system, Auditable)  # noqa: S101 - the runner has checked what it requires
        auditable = self.system
        return self._call("history", lambda: list(auditable.history(memory, scope)), scope, memory)

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
        except CallFailed as error:
            self._show(Returned(what, scope, error.__cause__ or error, given, at))
            raise
        self._show(Returned(what, scope, value, given, at))
        return value

    def _show(self, returned: Returned) -> None:
        if self.witness is not None:
            self.witness(returned)


def _seen(memory: Memory, at: datetime) -> ReturnedText:
    return ReturnedText(memory.text, memory.valid_to is not None and memory.valid_to <= at, memory)
