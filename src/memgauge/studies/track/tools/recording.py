"""Calls that leave a row, whoever makes them, one at a time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from memgauge.errors import MemgaugeError
from memgauge.studies.track.play.trajectory import Call
from memgauge.studies.track.tools.router import ToolFailed, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memgauge.studies.track.tools.router import ToolRouter


@dataclass
class InstanceProgress:
    """Where the work on an instance stands."""

    seq: int = 0
    """The number of the next row."""
    question: str = ""
    """What is being answered."""
    turn: int = 0
    lock: Lock = field(default_factory=Lock, repr=False, compare=False)
    """Held while a call is made: the world has one order of things."""


class Recorder:
    """Makes calls and hands the row of each to *keep*, whether it worked or not."""

    def __init__(
        self,
        router: ToolRouter,
        now: Callable[[], datetime],
        keep: Callable[[Call], object],
        *,
        progress: InstanceProgress | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._router = router
        self._now = now
        self._keep = keep
        self._clock = clock
        self.progress = progress or InstanceProgress()

    def over(self, router: ToolRouter) -> Recorder:
        """Return a recorder of another table whose rows are numbered and kept with these."""
        return Recorder(router, self._now, self._keep, progress=self.progress, clock=self._clock)

    def call(self, name: str, arguments: Any) -> ToolResult:
        """Make one call and keep its row.

        Raises:
            ToolFailed: It did not work; the row says so.
        """
        _, outcome = self.attempt(name, arguments)
        if isinstance(outcome, ToolFailed):
            raise outcome
        return outcome

    def attempt(self, name: str, arguments: Any) -> tuple[Call, ToolResult | ToolFailed]:
        """Make one call and keep its row, whatever becomes of it; *arguments* that are no object stay a text."""
        tool = self._router.tools.get(name)
        with self.progress.lock:
            at = self._now().isoformat()
            start = self._clock()
            outcome = self._outcome(name, arguments)
            result = ToolResult(str(outcome)) if isinstance(outcome, ToolFailed) else outcome
            row = Call(
                seq=self.progress.seq,
                question=self.progress.question,
                turn=self.progress.turn,
                at=at,
                tool=name,
                platform=tool.platform if tool else None,
                effect=tool.effect if tool else None,
                arguments=arguments,
                ok=result is outcome,
                error="" if result is outcome else result.text,
                text=result.shown,
                events=result.events,
                touched=result.touched,
                exit_code=result.exit_code,
                ms=(self._clock() - start) * 1000,
            )
            self._keep(row)
            self.progress.seq += 1
        return row, outcome

    def _outcome(self, name: str, arguments: Any) -> ToolResult | ToolFailed:
        if isinstance(arguments, str):
            return ToolFailed("invalid_json", f"{name}: the arguments are no JSON object")
        try:
            return self._router.call(name, arguments)
        except ToolFailed as failed:
            return failed
        except (MemgaugeError, OSError) as fault:
            return ToolFailed("internal_error", f"{name} did not work: {fault}")
