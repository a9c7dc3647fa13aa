"""Calls of the system that is asked, each with its time and its answer; what is raised is an answer too."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from memgauge.errors import ContractBreach, SystemFault, UserError
from memgauge.runs.play.call import Caller, let_go, shut
from memgauge.studies.erasure.record import MadeCall
from memgauge.systems.looked_at import MemoryLookedAt
from memgauge.systems.protocol import Closing, implements

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memgauge.systems.protocol import MemorySystem

T = TypeVar("T")
_MAY_NOT = "what it may not"
"""What came against the protocol, where nobody may read it."""


class RecordedCalls:
    """Calls one opened system on a thread of its own, against a clock, and looks at what it returns."""

    def __init__(
        self,
        opened: Callable[[], MemorySystem],
        timeout_s: float,
        now: Callable[[], datetime],
        *,
        shown: bool = False,
    ) -> None:
        """Open the system; what it returns against its protocol may be *shown* where the subject is invented.

        Raises:
            UserError: It does not exist, is not installed, or is spelt wrongly.
            SystemFault: It could not be opened, or not in time.
        """
        self._timeout_s, self._now, self._shown = timeout_s, now, shown
        self._caller = Caller()
        self._opened: MemorySystem | None = None
        try:
            self._opened = self._caller.call("opening it", opened, timeout_s, late=let_go).value
            self.system = self._caller.call("offers", partial(MemoryLookedAt, self._opened), timeout_s).value
        except SystemFault as fault:
            self.close()
            if isinstance(fault.__cause__, UserError):
                raise fault.__cause__ from None
            raise

    def ask(self, what: str, function: Callable[[], T]) -> T:
        """Make a call that nobody needs to read of later.

        Raises:
            SystemFault: It raised, did not return in time, or returned what it may not.
        """
        return self._caller.call(what, function, self._timeout_s).value

    def write_down(
        self, what: str, given: str, function: Callable[[], T], in_words: Callable[[T], str] = lambda _: "returned"
    ) -> MadeCall:
        """Make a call, and say when it was made and what came of it, in words that show no text."""
        at = self._now()
        try:
            timed = self._caller.call(what, function, self._timeout_s)
        except ContractBreach as breach:
            came = self.problem(what, breach).removeprefix(f"{what} ")
            answer = came if came.startswith("returned ") else f"returned {_MAY_NOT} ({came})"
            return MadeCall(spelled_time(at), what, given, answer, round(breach.ms, 3))
        except SystemFault as fault:
            return MadeCall(spelled_time(at), what, given, f"raised {_raised(fault)}", 0.0)
        return MadeCall(spelled_time(at), what, given, in_words(timed.value), round(timed.ms, 3))

    def problem(self, what: str, fault: SystemFault) -> str:
        """Say what a call came to, in words that show no text of a person who is there."""
        if not isinstance(fault, ContractBreach):
            return f"{_raised(fault)} in a call"
        return str(fault).removeprefix(f"{what}: ") if self._shown else f"{what} returned {_MAY_NOT}"

    def time(self) -> str:
        """Tell the time as calls are written down with it."""
        return spelled_time(self._now())

    def close(self) -> None:
        """End the system, and its thread."""
        system = self._opened
        if system is not None and implements(system, Closing):
            shut(self._caller, system.close)
        self._caller.close()


def _raised(fault: SystemFault) -> str:
    return type(fault.__cause__ or fault).__name__


def spelled_time(at: datetime) -> str:
    """Write a time to the millisecond, with its zone."""
    return at.isoformat(timespec="milliseconds")
