"""Run every probe on a fresh system, and report how each ended."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.systems.conformance.bench import Bench
from memgauge.systems.conformance.optional import OPTIONAL
from memgauge.systems.conformance.probes import REQUIRED

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.systems.conformance.bench import Finding, Probe
    from memgauge.systems.protocol import MemorySystem


@dataclass(frozen=True, slots=True)
class Check:
    """How one probe ended."""

    name: str
    verdict: Verdict
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Report:
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


def check(factory: Callable[[], MemorySystem], *, timeout_s: float = 120) -> Report:
    """Put every probe to a fresh system.

    Args:
        factory: Opens a system; called once for each probe, in a thread of its own, and reset before use.
        timeout_s: For one probe. After one that did not return, no other is started.
    """
    checks: list[Check] = []
    hung = ""
    for name, probe in {**REQUIRED, **OPTIONAL}.items():
        if hung:
            checks.append(Check(name, Verdict.ERROR, f"not run, because {hung!r} did not return"))
            continue
        finding = _within(timeout_s, factory, probe)
        if finding is None:
            hung = name
            finding = (Verdict.ERROR, f"did not return within {timeout_s:g} s")
        checks.append(Check(name, *finding))
    return Report(tuple(checks))


def _within(timeout_s: float, factory: Callable[[], MemorySystem], probe: Probe) -> Finding | None:
    """Run one probe in a thread that may be left behind; ``None`` when it did not return."""
    findings: list[Finding] = []
    thread = threading.Thread(target=lambda: findings.append(_run(factory, probe)), daemon=True)
    thread.start()
    thread.join(timeout_s)
    return findings[0] if findings else None


def _run(factory: Callable[[], MemorySystem], probe: Probe) -> Finding:
    try:
        return probe(Bench(factory()))
    except Exception as error:  # noqa: BLE001 - foreign code may raise anything; the verdict says what it was
        return Verdict.ERROR, f"{type(error).__name__}: {error}"
