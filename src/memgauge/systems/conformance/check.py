"""Run every probe on a fresh system, and report how each ended."""

from __future__ import annotations

import math
import re
import threading
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.errors import ContractBreach, ModelError, TemporaryError
from memgauge.foreign import Raised, call_foreign, line_of
from memgauge.records import Verdict
from memgauge.records.outcomes import NOT_MADE
from memgauge.results import result
from memgauge.systems.conformance.bench import Bench, MemoryOnBench
from memgauge.systems.conformance.honest import HONEST
from memgauge.systems.conformance.optional import OPTIONAL
from memgauge.systems.conformance.probes import REQUIRED
from memgauge.systems.protocol import Closing, implements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.systems.conformance.bench import Finding, Probe
    from memgauge.systems.protocol import MemorySystem

PROBES: Final = {**REQUIRED, **HONEST, **OPTIONAL}
"""Every probe, in the order in which they are made."""
HUNG: Final = "did not return within"
_PART: Final = 0.25
"""Part of a check's time that a call which hangs is out for, at least."""
SLOW: Final = "was not over within"
"""Of a check whose calls all return, and which has more of them than its time holds."""
"""How the detail of a probe begins after which no other is made."""
_NO_MODEL: Final = re.compile(rf"(?:{ModelError.__name__}|{TemporaryError.__name__}): ")
_OURS: Final = Path(__file__).parents[2]


@result
@dataclass(frozen=True, slots=True)
class Check:
    """How one probe ended."""

    name: str
    verdict: Verdict
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """How all probes ended, in order."""

    checks: tuple[Check, ...]

    @property
    def conforms(self) -> bool:
        """Whether nothing failed and nothing raised; what is unsupported or vacuous does not count against it."""
        return not self.broken

    @property
    def broken(self) -> tuple[Check, ...]:
        """The checks that failed or raised."""
        return tuple(check for check in self.checks if check.verdict in {Verdict.FAIL, Verdict.ERROR})


def without_model(check: Check) -> bool:
    """Whether a check failed for want of a model, which is no promise of the memory's."""
    return bool(_NO_MODEL.match(check.detail))


def check(factory: Callable[[], MemorySystem], *, timeout_s: float = 120) -> ConformanceReport:
    """Put every probe to a fresh system; see :func:`checks`."""
    return ConformanceReport(tuple(checks(factory, timeout_s=timeout_s)))


def checks(factory: Callable[[], MemorySystem], *, timeout_s: float = 120) -> Iterator[Check]:
    """Put every probe to a fresh system, and yield how each ended as it ends.

    *factory* is called once for each probe, in a thread of its own, and what it opens is reset before use. What
    can be closed is closed after its probe, or from here when that did not return. After one that did not return
    within *timeout_s*, no other is started.
    """
    for name, probe in PROBES.items():
        trial = _Trial(factory, probe)
        finding = _within(timeout_s, trial)
        if finding is None:
            slow = trial.is_slow(timeout_s)
            yield hung(name, timeout_s, trial.place, slow=slow)
            yield from not_run(name, "took too long" if slow else "did not return")
            return
        verdict, detail = finding
        yield Check(name, verdict, line_of(detail))


def hung(name: str, timeout_s: float, place: str = "", *, slow: bool = False) -> Check:
    """Say that a probe did not return, at which *place*, and how many checks that leaves unmade."""
    rest = len(PROBES) - 1 - list(PROBES).index(name)
    left = "; the 1 check after it was not made" if rest == 1 else f"; the {rest} checks after it were not made"
    return Check(name, Verdict.ERROR, f"{SLOW if slow else HUNG} {timeout_s:g} s{place}{left if rest else ''}")


def not_run(last: str, why: str) -> Iterator[Check]:
    """Yield the checks after the *last* one, which ended all."""
    names = list(PROBES)
    for name in names[names.index(last) + 1 :]:
        yield Check(name, Verdict.ERROR, f"{NOT_MADE} {last!r} {why}")


def _within(timeout_s: float, trial: _Trial) -> Finding | None:
    """Run one probe in a thread that may be left behind; ``None`` where it did not return in time.

    What it finds later, as when closing lets go of what it waited for, counts no more.
    """
    thread = threading.Thread(target=trial.run, daemon=True)
    thread.start()
    thread.join(timeout_s)
    finding = next(iter(trial.findings), None)
    if finding is None:
        trial.leave()
    return finding


@dataclass
class _Trial:
    """One probe on one system."""

    factory: Callable[[], MemorySystem]
    probe: Probe
    findings: list[Finding] = field(default_factory=list)
    opened: list[MemorySystem] = field(default_factory=list)
    looked_at: MemoryOnBench | None = None
    place: str = ""
    """Which call had not returned when it was left behind, and for how long it was out."""
    out_s: float = math.inf
    """For how long it was; for ever where no call of it is known."""

    def is_slow(self, timeout_s: float) -> bool:
        """Whether calls return and there are too many: the last was out for a small part of the time."""
        return self.out_s < timeout_s * _PART

    def leave(self) -> None:
        """Note where it is, and close the system on a thread that may not return either."""
        at = self.looked_at.at if self.looked_at else "opening it"
        if self.looked_at and at:
            self.out_s = time.monotonic() - self.looked_at.since
            at = f"{at}, which was called {self.out_s:.1f} s before"
        self.place = f" (it was at {at})" if at else ""
        threading.Thread(target=self.let_go, daemon=True).start()

    def run(self) -> None:
        """Open, probe and close."""
        finding = call_foreign(self._probed)
        worse = self.let_go()
        self.findings.append(
            worse or ((Verdict.ERROR, _raised(finding)) if isinstance(finding, Raised) else finding)
        )

    def _probed(self) -> Finding:
        self.opened.append(self.factory())
        self.looked_at = MemoryOnBench(self.opened[0])
        return self.probe(Bench(self.looked_at))

    def let_go(self) -> Finding | None:
        """Close the system where it can be closed, and say what it raised."""
        system = self.opened.pop() if self.opened else None
        if system is None or not implements(system, Closing):
            return None
        closed = call_foreign(system.close)
        return (Verdict.ERROR, f"closing it raised {closed}") if isinstance(closed, Raised) else None


def _raised(raised: Raised) -> str:
    """Say what was raised, and at which line of code that is not ours; a breach is a sentence of ours."""
    if isinstance(raised.error, ContractBreach):
        return str(raised.error)
    frames = traceback.extract_tb(raised.error.__traceback__)
    theirs = [frame for frame in frames if not Path(frame.filename).is_relative_to(_OURS)]
    return f"{raised} ({Path(theirs[-1].filename).name}:{theirs[-1].lineno})" if theirs else str(raised)
