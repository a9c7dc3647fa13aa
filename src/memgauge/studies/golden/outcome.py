"""A run of suites as it is kept: every scenario, what follows from them, and the past of the memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.studies.golden.drift import Drift
from memgauge.studies.golden.drift import drift as drift_of
from memgauge.studies.golden.past import ORDER, PastRun, past_of
from memgauge.studies.golden.summary import GoldenReport, Negatives, Program

if TYPE_CHECKING:
    from memgauge.studies.golden.history import History


@result
@dataclass(frozen=True)
class SuiteVerdict:
    """What follows from all scenarios, for programs that gate on it."""

    valid: bool | None
    """Whether the memory is what it should be; ``None`` where something could not be judged."""
    let_through: bool
    """Whether no hard gate was missed, every scenario could be read, and something passed."""
    counts: Mapping[str, int]
    """Scenarios by verdict."""
    ids: Mapping[str, tuple[str, ...]]
    """By verdict other than a pass: the scenarios."""
    anomalies: tuple[str, ...]
    weakest: str | None
    """The weakest promise that is broken."""
    also: tuple[str, ...]
    """What the memory also is not."""
    negatives: tuple[Negatives, ...]
    families: Mapping[str, int]
    protocols: tuple[str, ...]
    """Optional protocols of the memory that a scenario used."""
    steps: Mapping[str, int]
    programs: tuple[Program, ...]
    """The smallest that shows each anomaly."""


@result
@dataclass(frozen=True)
class GoldenOutcome:
    """One run, with what it means and what came before."""

    verdict: SuiteVerdict
    report: GoldenReport
    past: tuple[PastRun, ...] = ()
    """Every run of the memory's history, this one included, oldest first; empty where none is kept."""
    drift: Drift | None = None
    """What changed since the baseline; ``None`` where no history is kept."""


def outcome(report: GoldenReport, history: History | None = None) -> GoldenOutcome:
    """Sum up a run; *history* is of this memory, this run included."""
    verdict = _verdict(report)
    if history is None:
        return GoldenOutcome(verdict, report)
    return GoldenOutcome(verdict, report, past_of(history), drift_of(history))


def _verdict(report: GoldenReport) -> SuiteVerdict:
    weakest, also = report.models
    ids = {
        verdict: tuple(played.result.scenario for played in report.played if played.result.verdict == verdict)
        for verdict in ORDER[1:]
    }
    return SuiteVerdict(
        report.valid,
        report.let_through,
        {verdict: report.counts[verdict] for verdict in ORDER},
        ids,
        tuple(map(str, report.anomalies)),
        None if weakest is None else str(weakest),
        tuple(map(str, also)),
        report.negatives,
        dict(Counter(played.result.family for played in report.played)),
        report.exercised,
        report.steps,
        report.programs,
    )
