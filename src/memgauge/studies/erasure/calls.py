"""Calls of the system that is asked, each with its time and its answer; what is raised is an answer too."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from memgauge.errors import CallFailed, CallTimeout, SystemFault, UserError
from memgauge.runs.play.call import Caller, let_go, shut
from memgauge.studies.erasure.record import MadeCall
from memgauge.systems.protocol import Closing, implements

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memgauge.systems.protocol import MemorySystem

T = TypeVar("T")


class RecordedCalls:
    """Calls one opened system on a thread of its own, against a clock."""

    def __init__(self, opened: Callable[[], MemorySystem], timeout_s: float, now: Callable[[], datetime]) -> None:
        """Open the system.

        Raises:
            UserError: It does not exist, is not installed, or is spelt wrongly.
            CallFailed: It could not be opened.
            CallTimeout: It did not open in time.
        """
        self._timeout_s, self._now = timeout_s, now
        self._caller = Caller()
        try:
            self.system = self._caller.call("opening it", opened, timeout_s, late=let_go).value
        except SystemFault as fault:
            self._caller.close()
            if isinstance(fault.__cause__, UserError):
                raise fault.__cause__ from None
            raise

    def ask(self, what: str, function: Callable[[], T]) -> T:
        """Make a call that nobody needs to read of later.

        Raises:
            CallFailed: It raised.
            CallTimeout: It did not return in time.
        """
        return self._caller.call(what, function, self._timeout_s).value

    def write_down(
        self, what: str, given: str, function: Callable[[], T], said: Callable[[T], str] = lambda _: "returned"
    ) -> MadeCall:
        """Make a call, and say when it was made and what came of it, in words that show no text."""
        at = self._now()
        try:
            timed = self._caller.call(what, function, self._timeout_s)
        except (CallFailed, CallTimeout) as fault:
            raised = type(fault.__cause__ or fault).__name__
            return MadeCall(spelled_time(at), what, given, f"raised {raised}", 0.0)
        return MadeCall(spelled_time(at), what, given, said(timed.value), round(timed.ms, 3))

    def time(self) -> str:
        """Tell the time as calls are written down with it."""
        return spelled_time(self._now())

    def close(self) -> None:
        """End the system, and its thread."""
        system = self.system
        if implements(system, Closing):
            shut(self._caller, system.close)
        self._caller.close()


def spelled_time(at: datetime) -> str:
    """Write a time to the millisecond, with its zone."""
    return at.isoformat(timespec="milliseconds")
