"""Run every probe on a fresh system, and report how each ended."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.foreign import Raised, call_foreign
from memgauge.records import Verdict
from memgauge.results import result
from memgauge.systems.conformance.bench import Bench
from memgauge.systems.conformance.honest import HONEST
from memgauge.systems.conformance.optional import OPTIONAL
from memgauge.systems.conformance.probes import REQUIRED
from memgauge.systems.protocol import Closing, implements

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.systems.conformance.bench import Finding, Probe
    from memgauge.systems.protocol import MemorySystem


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


def check(factory: Callable[[], MemorySystem], *, timeout_s: float = 120) -> ConformanceReport:
    """Put every probe to a fresh system.

    Args:
        factory: Opens a system; called once for each probe, in a thread of its own, and reset before use. What
            can be closed is closed after its probe, or from here when that did not return.
        timeout_s: For one probe. After one that did not return, no other is started.
    """
    checks: list[Check] = []
    hung = ""
    for name, probe in {**REQUIRED, **HONEST, **OPTIONAL}.items():
        if hung:
            checks.append(Check(name, Verdict.ERROR, f"not run, because {hung!r} did not return"))
            continue
        finding = _within(timeout_s, factory, probe)
        if finding is None:
            hung = name
            finding = (Verdict.ERROR, f"did not return within {timeout_s:g} s")
        checks.append(Check(name, *finding))
    return ConformanceReport(tuple(checks))


def _within(timeout_s: float, factory: Callable[[], MemorySystem], probe: Probe) -> Finding | None:
    """Run one probe in a thread that may be left behind; ``None`` when it did not return."""
    trial = _Trial(factory, probe)
    thread = threading.Thread(target=trial.run, daemon=True)
    thread.start()
    thread.join(timeout_s)
    if not trial.findings:
        threading.Thread(target=trial.let_go, daemon=True).start()  # it may not return either
        return None
    return trial.findings[0]


@dataclass
class _Trial:
    """One probe on one system."""

    factory: Callable[[], MemorySystem]
    probe: Probe
    findings: list[Finding] = field(default_factory=list)
    opened: list[MemorySystem] = field(default_factory=list)

    def run(self) -> None:
        """Open, probe and close."""
        finding = call_foreign(self._probed)
        worse = self.let_go()
        self.findings.append(worse or ((Verdict.ERROR, str(finding)) if isinstance(finding, Raised) else finding))

    def _probed(self) -> Finding:
        self.opened.append(self.factory())
        return self.probe(Bench(self.opened[0]))

    def let_go(self) -> Finding | None:
        """Close the system where it can be closed, and say what it raised."""
        system = self.opened.pop() if self.opened else None
        if system is None or not implements(system, Closing):
            return None
        closed = call_foreign(system.close)
        return (Verdict.ERROR, f"closing it raised {closed}") if isinstance(closed, Raised) else None
