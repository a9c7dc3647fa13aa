"""The one place where foreign code is called: on a thread of its own, against a clock.

A call that does not return in time is a timeout. Where it returns a little later, the instance is used again. Else
it is abandoned together with its thread: Python cannot stop it, but nothing waits for it any more. The instance is
then not used again, because nobody knows what it is still doing; it is closed from another thread, which ends a
system that runs in a process of its own.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from memgauge.errors import CallFailed, CallTimeout, ContractBreach, SystemFault, UserError
from memgauge.foreign import call_foreign, described, message_of
from memgauge.systems.protocol import Closing, implements
from memgauge.text.scrubbing import Scrubber, keys_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")
_MESSAGE_LIMIT = 400
CLOSING_S = 10.0
"""Seconds that a system may take to close."""


@dataclass(frozen=True, slots=True)
class Timed(Generic[T]):
    """A result and how long it took."""

    value: T
    ms: float


@dataclass(frozen=True, slots=True)
class _Raised:
    error: BaseException


@dataclass
class _Batch:
    """Calls that are made one after the other, and how far they are."""

    calls: Sequence[tuple[str, Callable[[], object]]]
    last: Callable[[object], bool] = lambda _: False
    """Whether a value is the last that is wanted."""
    late: Callable[[Any], object] | None = None
    """Takes the value of a call that returns when nobody waits for it any more."""
    began: float = field(default_factory=time.monotonic)
    """When the call began that is being made."""
    ended: list[Timed[object]] = field(default_factory=list)
    left: bool = False
    """Whether nobody waits for it any more."""


class Calling(Protocol):
    """Whatever calls a system."""

    @property
    def hung(self) -> str:
        """Which call never returned; empty while all did."""
        ...

    def call(self, what: str, function: Callable[[], T], timeout_s: float) -> Timed[T]:
        """Run *function* and return its value with the milliseconds that it took."""
        ...


class Caller:
    """Calls one system, one call at a time."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._jobs: queue.SimpleQueue[_Batch | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[_Batch] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._given_up = False
        self.hung = ""
        """Which call never returned; empty while all did."""
        threading.Thread(target=self._serve, name="system-under-test", daemon=True).start()

    def call(
        self, what: str, function: Callable[[], T], timeout_s: float, late: Callable[[T], object] | None = None
    ) -> Timed[T]:
        """Run *function* and return its value with the milliseconds that it took.

        Args:
            what: Names the call in errors.
            function: What is called.
            timeout_s: Seconds that it may take.
            late: Takes the value, on its thread, when it comes after all and nobody waits for it any more.

        Raises:
            CallTimeout: It did not return within *timeout_s*, and the caller is then of no further use; or the
                system says itself that its own deadline passed.
            ContractBreach: It said that what came is not what should have come.
            CallFailed: It raised anything else; the message names the exception and the line.
        """
        ended: list[Timed[T] | SystemFault] = self._made(_Batch([(what, function)], late=late), timeout_s)
        if isinstance(ended[0], SystemFault):
            raise ended[0]
        return ended[0]

    def calls(
        self,
        calls: Sequence[tuple[str, Callable[[], T]]],
        timeout_s: float,
        last: Callable[[object], bool] = lambda _: False,
    ) -> list[Timed[T] | SystemFault]:
        """Make *calls*, what each is and does, one after the other, and return how each ended.

        Handed over together they are made as they are one by one, each against the clock, without a change of
        threads in between. Those behind one that does not return are not made, nor are those behind one that
        raised or whose value is the *last* that is wanted; their ends are missing.
        """
        return self._made(_Batch(calls, last), timeout_s)

    def _made(self, batch: _Batch, timeout_s: float) -> list[Any]:
        if self.hung:
            return [CallTimeout(f"not called: {self.hung}")]
        self._jobs.put(batch)
        ended: list[object] = []
        returned = self._awaited(batch, timeout_s)
        for (what, _), timed in zip(batch.calls, returned, strict=False):
            raised = timed.value
            if isinstance(raised, _Raised):
                fault = fault_of(what, raised.error)
                fault.ms = timed.ms
                ended.append(fault)
            else:
                ended.append(timed)
        if batch.left:
            ended.append(CallTimeout(self.hung))
        return ended

    def _awaited(self, batch: _Batch, timeout_s: float) -> list[Timed[object]]:
        """Wait for the end of a batch, or for the first of its calls that does not return in time."""
        left = timeout_s
        while True:
            try:
                return self._results.get(timeout=max(left, 0.0)).ended
            except queue.Empty:
                with self._lock:
                    if not self._results.empty():  # it came at the last moment
                        return self._results.get().ended
                    left = batch.began + timeout_s - time.monotonic()
                    if left <= 0:
                        self.hung = f"{batch.calls[len(batch.ended)][0]} did not return within {timeout_s:g} s"
                        batch.left = True
                        return list(batch.ended)

    def came_back(self, within_s: float) -> bool:
        """Whether the system can be called again: no call hangs, or the one that did returns *within_s* after all.

        What it returns then is dropped; its call stays a timeout.
        """
        if not self.hung:
            return True
        if self._given_up:
            return False
        try:
            self._results.get(timeout=within_s)
        except queue.Empty:
            self._given_up = True
            return False
        self.hung = ""
        return True

    def close(self) -> None:
        """Let the thread end after its current call."""
        self._jobs.put(None)

    def _serve(self) -> None:
        while (batch := self._jobs.get()) is not None:
            for _, function in batch.calls:
                start = self._clock()
                value: object
                try:
                    value = function()
                except BaseException as error:  # noqa: BLE001 - whatever a system raises becomes a recorded outcome
                    value = _Raised(error)
                timed = Timed(value, (self._clock() - start) * 1000)
                with self._lock:
                    left = batch.left
                    batch.ended.append(timed)
                    batch.began = time.monotonic()
                    if left or isinstance(value, _Raised) or batch.last(value):
                        break
            with self._lock:
                late = batch.late if batch.left else None
                self._results.put(batch)
            if late is not None and not isinstance(value, _Raised):
                call_foreign(partial(late, value))  # nobody is left to be told


def opened_on(caller: Caller, opening: Callable[[], T], timeout_s: float) -> T:
    """Open a system on the thread on which it will be called: some, as connections of sqlite3, bear no other.

    Raises:
        UserError: It does not exist, is not installed, or is spelt wrongly.
        SystemFault: It could not be opened, or not in time.
    """
    try:
        return caller.call("opening it", opening, timeout_s, late=let_go).value
    except SystemFault as fault:
        if isinstance(fault.__cause__, UserError):
            raise fault.__cause__ from None
        raise


def let_go(system: object) -> None:
    """Close *system*, here and now, where it can be closed; what it raises is passed on."""
    if implements(system, Closing):
        system.close()


def let_go_on(caller: Caller, system: object) -> None:
    """Close *system*, where it can be closed, on the thread that it was called on, and let that thread end."""
    if implements(system, Closing):
        shut(caller, system.close)
    caller.close()


def shut(caller: Calling, close: Callable[[], None]) -> None:
    """Close a system on the thread that it was called on, or on another where that one hangs.

    What it says of that is dropped: everything that it showed is known by now, and closing cannot change it.
    """
    fresh = Caller() if caller.hung else None
    used: Calling = fresh or caller
    with contextlib.suppress(SystemFault):
        used.call("close", close, CLOSING_S)
    if fresh is not None:
        fresh.close()


def fault_of(what: str, error: BaseException) -> SystemFault:
    """Name what was raised; a system that is called through a wire tells itself what became of its call."""
    fault = _fault(what, error)
    fault.__cause__ = error
    return fault


def _fault(what: str, error: BaseException) -> SystemFault:
    if isinstance(error, ContractBreach):
        breach = message_of(error)
        named = breach if breach.startswith(f"{what} ") else f"{what}: {breach}"
        return ContractBreach(_shown(named)[: 3 * _MESSAGE_LIMIT])
    if isinstance(error, CallTimeout):
        return CallTimeout(_shown(f"{what}: {message_of(error)}"))
    if isinstance(error, SystemFault):
        return CallFailed(_shown(f"{what}: {message_of(error)}")[: 3 * _MESSAGE_LIMIT])
    return CallFailed(f"{what} raised {described(error, _MESSAGE_LIMIT, _shown)}")


def _shown(text: str) -> str:
    """Take keys of this process out of what foreign code says."""
    return Scrubber(keys_of(os.environ)).error(text)
