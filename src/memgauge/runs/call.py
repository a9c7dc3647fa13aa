"""The one place where foreign code is called: on a thread of its own, against a clock.

A call that does not return in time is abandoned together with its thread: Python cannot stop it, but nothing waits
for it any more. After that the instance is not used again, because nobody knows what it is still doing.
"""

from __future__ import annotations

import queue
import threading
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from memgauge.errors import CallFailed, CallTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_MESSAGE_LIMIT = 400


@dataclass(frozen=True, slots=True)
class Timed(Generic[T]):
    """A result and how long it took."""

    value: T
    ms: float


@dataclass(frozen=True, slots=True)
class _Raised:
    error: BaseException


class Caller:
    """Calls one system, one call at a time."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Timed[object]] = queue.SimpleQueue()
        self.hung = ""
        """Which call never returned; empty while all did."""
        threading.Thread(target=self._serve, name="system-under-test", daemon=True).start()

    def call(self, what: str, function: Callable[[], T], timeout_s: float) -> Timed[T]:
        """Run *function* and return its value with the milliseconds that it took.

        Raises:
            CallTimeout: It did not return within *timeout_s*; the caller is then of no further use.
            CallFailed: It raised; the message names the exception and the line.
        """
        if self.hung:
            raise CallTimeout(f"not called: {self.hung}")
        self._jobs.put(function)
        try:
            timed = self._results.get(timeout=timeout_s)
        except queue.Empty:
            self.hung = f"{what} did not return within {timeout_s:g} s"
            raise CallTimeout(self.hung) from None
        if isinstance(timed.value, _Raised):
            raise CallFailed(f"{what} raised {_describe(timed.value.error)}") from timed.value.error
        return timed  # type: ignore[return-value] # the queue carries what function returned

    def close(self) -> None:
        """Let the thread end after its current call."""
        self._jobs.put(None)

    def _serve(self) -> None:
        while (function := self._jobs.get()) is not None:
            start = self._clock()
            value: object
            try:
                value = function()
            except BaseException as error:  # noqa: BLE001 - whatever a system raises becomes a recorded outcome
                value = _Raised(error)
            self._results.put(Timed(value, (self._clock() - start) * 1000))


def _describe(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno})" if frames else ""
    text = " ".join(_text(error).split())[:_MESSAGE_LIMIT]
    return f"{type(error).__name__}: {text}{where}" if text else f"{type(error).__name__}{where}"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as worse:  # noqa: BLE001 - foreign code still: an exception's own __str__
        return f"(its message raised {type(worse).__name__})"
