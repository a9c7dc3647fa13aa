"""A run of suites as it is kept: every scenario, what follows from them, and the past of the memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.studies.golden.drift import Drift
from memgauge.studies.golden.drift import drift as drift_of
from memgauge.studies.golden.past import PastRun, past_of
from memgauge.studies.golden.summary import GoldenReport, SuiteVerdict

if TYPE_CHECKING:
    from memgauge.studies.golden.history import History


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
    if history is None:
        return GoldenOutcome(report.verdict, report)
    return GoldenOutcome(report.verdict, report, past_of(history), drift_of(history))
