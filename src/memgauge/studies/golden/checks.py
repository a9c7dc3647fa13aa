"""A run of the golden suite as checks: what a build server needs to stop a change, and to say why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.show import CheckOutcome, CountedCheck
from memgauge.studies.golden.words import ended, where, witnesses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.summary import GoldenReport, PlayedScenario

_SKIPPED = {"unsupported", "xfail"}
_UNREAD = "not readable"
_GATES = "gates"


def checks(report: GoldenReport) -> Iterator[CountedCheck]:
    """Yield a check a scenario, suite by suite; a soft gate that is missed is skipped, and says so."""
    for suite in report.suites:
        yield from (_check(str(suite), played) for played in report.played if played.suite == suite.id)
    for gate in report.missed:
        name = f"{gate.gate}.{gate.what}"
        yield CountedCheck(_GATES, f"golden.{_GATES}", name, CheckOutcome.FAIL, gate.why, kind=gate.gate)
    for problem in report.broken:
        name = problem.split(": ")[0]
        yield CountedCheck(_UNREAD, _UNREAD, name, CheckOutcome.ERROR, message=problem, kind="broken")


def suite_facts(report: GoldenReport) -> dict[str, dict[str, str]]:
    """Return what a build server is told of each suite."""
    return {
        str(suite): {
            "system": report.system.ref,
            "sha256": suite.sha256,
            "seed": report.seed,
            "path": suite.path,
        }
        for suite in report.suites
    }


def properties(played: PlayedScenario) -> dict[str, str]:
    """Return what a build server is told of a case besides its verdict."""
    result = played.result
    return {
        "anomaly": ",".join(result.anomalies),
        "layer": result.layer,
        "family": result.family,
        "severity": result.severity,
        "gate": result.gate,
        "provenance": played.provenance,
    }


def _check(suite: str, played: PlayedScenario) -> CountedCheck:
    result = played.result
    message = f"{ended(played)}: {result.detail}".removesuffix(": ")
    kind = detail = ""
    if result.blocks:
        ending = CheckOutcome.ERROR if result.verdict == Verdict.ERROR else CheckOutcome.FAIL
        kind = ",".join(result.anomalies) or result.verdict
        detail = "\n".join([*witnesses(played), where(played)])
    elif result.verdict == Verdict.PASS:
        ending, message = CheckOutcome.PASS, ""
    else:
        ending = CheckOutcome.SKIP
        message = message if result.verdict in _SKIPPED else f"soft gate: {message}"
    return CountedCheck(
        suite,
        f"{played.suite}.{result.family}",
        result.scenario,
        ending,
        message,
        kind,
        detail,
        facts=properties(played),
        place=(played.path, str(played.line)),
    )
