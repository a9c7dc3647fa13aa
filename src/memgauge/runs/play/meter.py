"""What playing a conversation takes, by phase: clocks around every call, and what models were asked meanwhile.

Time and processor time of this process are read around each call, so that the harness's own work is not in them.
What child processes burn and what models are asked is settled when the phase changes, so that what goes on behind
a call that has returned counts for the phase that it was begun in.
"""

from __future__ import annotations

import resource
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from memgauge.metering import LONGEST, CostSource, ModelTally, noted, plain_tallies, tallies_since
from memgauge.runs.record.phases import PHASES, REST
from memgauge.systems.wire.children import children_cpu_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memgauge.runs.record.rows import AttemptRows, Row

    Told = Callable[[], object]
    """Returns what a system says that it asked models, by model."""

_NOTED: Final = (CostSource.COUNTED, CostSource.REPORTED)
"""Who says what was noted in this process."""


@dataclass
class PhaseClocks:
    """The clocks of one phase."""

    wall_ms: float = 0.0
    cpu_ms: float = 0.0


@dataclass
class CostMeter:
    """Measures one attempt at one conversation."""

    transparent: bool = False
    """Whether everything that the system asks models is asked through this package."""
    telling: Told | None = None
    """Asks the system what it spent, where it says that."""
    _clocks: dict[str, PhaseClocks] = field(default_factory=lambda: {phase: PhaseClocks() for phase in PHASES})
    _models: defaultdict[tuple[str, str, str], ModelTally] = field(default_factory=lambda: defaultdict(ModelTally))
    _phase: str = REST
    _told: dict[str, ModelTally] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._noted = {source: noted(source) for source in _NOTED}
        self._children = _children_ms()

    @property
    def phase(self) -> str:
        """Return the phase that what is asked of models counts for."""
        return self._phase

    @contextmanager
    def during(self, phase: str) -> Iterator[None]:
        """Count a call of the system, for one phase."""
        if phase != self._phase:
            self._settle()
            self._phase = phase
        clocks = self._clocks[phase]
        began, burnt = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            clocks.wall_ms += (time.perf_counter() - began) * 1000
            clocks.cpu_ms += (time.process_time() - burnt) * 1000

    def hear_last(self) -> None:
        """Ask the system for the last time what it spent; it is going to be closed."""
        self._settle()
        self.telling = None

    def rows(self, sheet: AttemptRows) -> list[Row]:
        """Write what every phase took so far, for the record of an attempt."""
        self._settle()
        return [
            sheet.spent(phase, clocks.wall_ms, clocks.cpu_ms, self._uses(phase), transparent=self.transparent)
            for phase, clocks in self._clocks.items()
        ]

    def _uses(self, phase: str) -> list[Row]:
        return [
            {"model": model, "source": source, **{name: n for name, n in asdict(tally).items() if n}}
            for (when, model, source), tally in sorted(self._models.items())
            if when == phase
        ]

    def _settle(self) -> None:
        """Give the phase that ends what came since it began."""
        children, self._children = self._children, _children_ms()
        self._clocks[self._phase].cpu_ms += max(self._children - children, 0.0)
        for source in _NOTED:
            before, self._noted[source] = self._noted[source], noted(source)
            self._count(self._noted[source], before, source)
        if self.telling is not None:
            before, self._told = self._told, self._told | plain_tallies(self.telling())
            self._count(self._told, before, CostSource.REPORTED)

    def _count(self, now: Mapping[str, ModelTally], before: Mapping[str, ModelTally], source: str) -> None:
        for model, tally in tallies_since(now, before).items():
            key = self._phase, model[:LONGEST], str(source)
            self._models[key] = self._models[key].plus(tally)


def _children_ms() -> float:
    """Return the processor time of all processes below this one, ended or not."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (ended.ru_utime + ended.ru_stime) * 1000 + children_cpu_ms()
