"""The past of a memory, run by run: what tables and charts over time are made of, without its cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.results import result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.history import History, HistoryRun

ORDER = ("pass", "fail", "flaky", "vacuous", "error", "unsupported", "xfail")
"""Verdicts in the order in which they are shown."""


@result
@dataclass(frozen=True)
class PastRun:
    """One run of a history."""

    id: str
    at: str
    build: str
    fingerprint: str
    suites: tuple[str, ...]
    baseline: bool
    """Whether it was accepted as the one that later runs are compared with."""
    rate: float | None
    """Share of judged cases that passed."""
    judged: int
    verdicts: Mapping[str, int]
    """Cases by how they ended, by the worst of their layers."""
    layers: Mapping[str, float]
    """Share of cases that pass at each layer."""


def past_of(history: History) -> tuple[PastRun, ...]:
    """Sum up every run, oldest first."""
    baseline = history.baseline.id if history.baseline else ""
    return tuple(_summed(run, baseline) for run in history.runs)


def _summed(run: HistoryRun, baseline: str) -> PastRun:
    rate, judged = run.rate()
    first = run.rows[0]
    return PastRun(
        run.id,
        first.at,
        first.build,
        first.fingerprint,
        run.suites,
        run.id == baseline,
        rate,
        judged,
        dict(Counter(_verdicts(run))),
        dict(_layers(run)),
    )


def _verdicts(run: HistoryRun) -> Iterator[str]:
    """Yield one verdict a case: the worst of its layers."""
    for verdicts in run.verdicts().values():
        yield next((verdict for verdict in ORDER[1:] if verdict in verdicts), ORDER[0])


def _layers(run: HistoryRun) -> Iterator[tuple[str, float]]:
    for name in sorted({row.layer for row in run.rows}):
        here = [
            row.verdict == Verdict.PASS
            for row in run.rows
            if row.layer == name and row.verdict != Verdict.UNSUPPORTED
        ]
        if here:
            yield name, sum(here) / len(here)
