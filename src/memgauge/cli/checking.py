"""Conformance checks as they end, for whoever waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.frame.console import working
from memgauge.records import Verdict
from memgauge.records.outcomes import NOT_MADE
from memgauge.show import CheckOutcome, CountedCheck
from memgauge.show.numbers import in_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memgauge.runs.play.conforming import Examined
    from memgauge.runs.record.manifest import SystemPart
    from memgauge.systems.conformance import Check


def checked(
    system: SystemPart,
    *,
    tell: Callable[[str], None],
    probe_s: float,
    going_on: Callable[[Check], bool] = lambda _: True,
) -> Examined:
    """Check a system, and *tell* every check as it ends; *going_on* says after each whether that is enough."""
    from memgauge.runs.play.conforming import examine

    with working("checking what it promises") as now:

        def heard(check: Check) -> bool:
            if not check.detail.startswith(NOT_MADE):
                tell(line(check))
            now(f"checked: {check.name}")
            return going_on(check)

        return examine(system, heard, probe_s=probe_s)


def line(check: Check) -> str:
    """Say how a check ended."""
    return f"  {check.verdict:<11} {check.name}{': ' if check.detail else ''}{check.detail}"


def made(examined: Examined) -> Iterator[str]:
    """Say how each check ended that was made."""
    return (line(check) for check in examined.checks if not check.detail.startswith(NOT_MADE))


def counted(ref: str, checks: Iterable[Check]) -> Iterator[CountedCheck]:
    """Count every check."""
    for check in checks:
        ended = CheckOutcome.of(check.verdict)
        yield CountedCheck("conformance", ref, check.name, ended, check.detail, str(check.verdict))


def heading(ref: str, examined: Examined) -> str:
    """Say how all checks ended."""
    left = sum(check.detail.startswith(NOT_MADE) for check in examined.checks)
    bad, made = len(examined.broken) - left, len(examined.checks) - left
    rest = f", and {left} more could not be made" if left else ""
    vacuous = [check.name for check in examined.checks if check.verdict is Verdict.VACUOUS]
    unseen = f", as far as could be seen; what could not: {', '.join(vacuous)}" if vacuous else ""
    return f"{ref}: {f'{bad} of {made} checks failed{rest}' if bad else f'conforms{unseen}'}"


def cost(examined: Examined) -> Iterator[str]:
    """Say what a check cost, and what was reached for, where somebody counts."""
    used = examined.used
    if used is None:
        return
    calls = sum(cost["calls"] for cost in used["methods"].values())
    cpu = sum(cost["cpu_ms"] for cost in used["methods"].values())
    stored = "" if used["stored"] is None else f", {in_bytes(used['stored'])} stored"
    memory = f"{used['peak_rss'] / 1e6:.0f} MB of memory{stored}"
    yield f"  {calls} calls of {used['starts']} opened systems: {cpu / 1000:.1f} s of CPU, {memory}"
    for address, times in sorted(used["outside"].items()):
        yield f"  reached for {address}, {times} times"
    for path in dict.fromkeys(used["strayed"]):
        yield f"  wrote outside its folder: {path}"
