"""The tables of a golden run and of its past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Kind, Table
from memgauge.show.safety import name_line, visible
from memgauge.studies.golden.past import ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.studies.golden.past import PastRun
    from memgauge.studies.golden.summary import GoldenReport

_NOTHING = Cell("")


def family_table(report: GoldenReport) -> Table:
    """Return how scenarios ended, family by family; ways that none ended in are left out."""
    shown = [verdict for verdict in ORDER if report.counts[verdict]]
    return Table.of(
        "families",
        "Families",
        (
            Column("family", Kind.TEXT),
            Column("n", Kind.COUNT),
            *(Column(verdict, Kind.COUNT) for verdict in shown),
            Column("anomalies", Kind.PROSE),
        ),
        list(_families(report, shown)),
    )


def _families(report: GoldenReport, shown: Sequence[str]) -> Iterator[tuple[Cell | str | int, ...]]:
    for family in sorted({played.result.family for played in report.played}):
        here = [played.result for played in report.played if played.result.family == family]
        anomalies = dict.fromkeys(str(anomaly) for ended in here for anomaly in ended.anomalies)
        counts = [sum(ended.verdict == verdict for ended in here) or _NOTHING for verdict in shown]
        yield visible(family), len(here), *counts, " ".join(anomalies)


def past_table(pasts: Mapping[str, Sequence[PastRun]], *, brief: bool = True) -> Table:
    """Return every run of every memory, oldest first."""
    return Table.of(
        "runs",
        "Runs",
        (
            Column("memory", Kind.TEXT),
            "run",
            "at",
            "build",
            Column("passed", Kind.NUMBER),
            Column("cases judged", Kind.COUNT),
            "suites",
        ),
        [
            (
                visible(name),
                Cell(run.id, "baseline" if run.baseline else ""),
                visible(run.at),
                Cell(run.build and name_line(run.build), visible(run.fingerprint[:12])),
                run.rate,
                run.judged,
                visible(", ".join(run.suites)),
            )
            for name, runs in pasts.items()
            for run in runs
        ],
        "Passed: share of the judged cases that passed at all their layers.",
        brief=brief,
    )
