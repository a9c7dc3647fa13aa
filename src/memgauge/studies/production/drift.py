"""Drift in production: what left where it was, in which week, who saw it first, and what else changed then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.results import ResultKind, result
from memgauge.stats import Interval
from memgauge.stats.clusters import Clusters, difference_of_parts
from memgauge.studies.production.arrays import DAY_NS
from memgauge.studies.production.columns import HealthUnit, MeasuredColumn, MeasureSpec, Summary
from memgauge.studies.production.daily import BASELINE, WEEK, DailyChart, daily
from memgauge.studies.production.faults import LAST
from memgauge.studies.production.health import FirstWitness, witness
from memgauge.studies.production.measures import TrafficMeasures
from memgauge.studies.production.mix import MixWeek, mixes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.production.arrays import Integers, TrafficArrays

CHARTED: Final = ("empty", "length", "context", "top")
"""Measures of :class:`TrafficMeasures` that are charted as they are, beside three of their own."""
STATED: Final = 0.002
"""Share of services that never change in which any chart gives an alarm within eight weeks, at most."""


@result
@dataclass(frozen=True)
class TrafficAlarm:
    """Something that somebody should look at."""

    key: str
    name: str
    week: int
    """In which it was noticed, from 1."""
    since: int
    """The week in which it began, as far as can be told."""
    first: FirstWitness
    says: str


@result
@dataclass(frozen=True)
class DriftLine:
    """A measure by week, and the last week beside the baseline."""

    chart: DailyChart
    usual: float | None
    """In the weeks of the baseline."""
    weeks: tuple[float | None, ...]
    change: Interval
    """The last whole week less the baseline, clustered by scope."""


@result
@dataclass(frozen=True)
class TrafficDrift:
    """What changed over the weeks."""

    weeks: int
    """Whole ones."""
    lines: tuple[DriftLine, ...]
    alarms: tuple[TrafficAlarm, ...]
    mixes: tuple[MixWeek, ...]
    services: tuple[str, ...]
    stated: float


DRIFT: Final = ResultKind("production drift", 1, TrafficDrift, "memgauge study production drift FOLDER --json")


def charted(measures: TrafficMeasures) -> list[MeasuredColumn]:
    """Return the columns that are charted."""
    traffic = measures.traffic
    columns = {column.spec.key: column for column in measures.charted() if column.spec.key in CHARTED}
    tried = np.flatnonzero(traffic.searches)
    spec = MeasureSpec("failed", "service", "searches that failed", "searches", "no search was recorded")
    failed = MeasuredColumn(spec, (~traffic.valid[tried]).astype(np.float64), tried, traffic.cluster[tried])
    done = tried[traffic.valid[tried]]
    spec = MeasureSpec(
        "latency", "service", "logarithm of a search's ms", "searches that succeeded", "no search succeeded",
        Summary.MEAN, HealthUnit.PLAIN,
    )  # fmt: skip
    took = np.log(np.maximum(traffic.ended[done] - traffic.began[done], 1) / 1e6)
    latency = MeasuredColumn(spec, took, done, traffic.cluster[done])
    return [failed, latency, *columns.values(), measures.fresh()]


def alarms(traffic: TrafficArrays) -> tuple[TrafficAlarm, ...]:
    """Return every alarm: faults, of which one case is enough, and charts that left their limits."""
    measures = TrafficMeasures(traffic)
    columns = charted(measures)
    return (*_faults(measures), *_left(traffic, columns, _charts(traffic, columns)))


def drift(traffic: TrafficArrays, services: tuple[str, ...] = ()) -> TrafficDrift:
    """Say everything that changed."""
    measures = TrafficMeasures(traffic)
    columns = charted(measures)
    charts = _charts(traffic, columns)
    weeks = _whole_days(traffic) // WEEK
    lines = tuple(_line(traffic, column, chart, weeks) for column, chart in zip(columns, charts, strict=True))
    seen = (*_faults(measures), *_left(traffic, columns, charts))
    return TrafficDrift(weeks, lines, seen, mixes(traffic, weeks), services, STATED)


def _whole_days(traffic: TrafficArrays) -> int:
    """Count whole days; a last day of which a quarter is missing is none."""
    if not len(traffic.began):
        return 0
    return (int(traffic.began[-1]) - traffic.start + DAY_NS // 4) // DAY_NS


def _charts(traffic: TrafficArrays, columns: list[MeasuredColumn]) -> list[DailyChart]:
    day, days = traffic.day, _whole_days(traffic)
    return [daily(_within(column, day, days), day, days) for column in columns]


def _within(column: MeasuredColumn, day: Integers, days: int) -> MeasuredColumn:
    inside = day[column.rows] < days
    return replace(
        column, values=column.values[inside], rows=column.rows[inside], clusters=column.clusters[inside]
    )


def _faults(measures: TrafficMeasures) -> Iterator[TrafficAlarm]:
    """Yield what is wrong however seldom it is."""
    for column in measures.faulty(LAST):
        row = column.first
        if column.spec.fault and row is not None:
            first, cases = witness(measures.traffic, row), int((column.values > 0).sum())
            says = f"{cases:,} of {len(column.values):,} {column.spec.of}"
            yield TrafficAlarm(column.spec.key, column.spec.name, first.week, first.week, first, says)


def _left(
    traffic: TrafficArrays, columns: list[MeasuredColumn], charts: list[DailyChart]
) -> Iterator[TrafficAlarm]:
    """Yield charts that left their limits."""
    for column, chart in zip(columns, charts, strict=True):
        if chart.chart is None or chart.left is None:
            continue
        day, side = chart.left
        usual, now = chart.chart.centre, chart.values[chart.days.index(day)]
        first = witness(traffic, changed_at(column, traffic.day[column.rows], (usual, now), day))
        says = f"{'rose' if side > 0 else 'fell'} from {usual:.3g} to {now:.3g} on day {day + 1}"
        yield TrafficAlarm(chart.key, chart.name, day // WEEK + 1, first.week, first, says)


def changed_at(column: MeasuredColumn, day: Integers, levels: tuple[float, float], last: int) -> int:
    """Return the row of the first case after a change from the first of two *levels* to the second.

    Page's estimate (1954): what a case lies beyond the middle of both levels is added up, case after case, and the
    change is behind the least sum.
    """
    usual, now = levels
    among = np.flatnonzero((day >= BASELINE * WEEK) & (day <= last))
    beyond = (column.values[among] - (usual + now) / 2) * np.sign(now - usual)
    sums = np.concatenate([[0.0], np.cumsum(beyond)])
    start = int(np.argmin(sums[:-1]))
    return int(column.rows[among[start]])


def _line(traffic: TrafficArrays, column: MeasuredColumn, chart: DailyChart, weeks: int) -> DriftLine:
    week = traffic.day[column.rows] // WEEK
    counts = np.bincount(week, minlength=weeks)[:weeks]
    sums = np.bincount(week, column.values, minlength=weeks)[:weeks]
    values = tuple(float(s / n) if n else None for s, n in zip(sums, counts, strict=True))
    base = int(counts[:BASELINE].sum())
    usual = float(sums[:BASELINE].sum()) / base if base else None
    if weeks <= BASELINE or not len(week):
        return DriftLine(
            chart, usual, values, Interval(None, None, None, 0, f"needs more than {BASELINE} whole weeks")
        )
    change = difference_of_parts(column.values, Clusters.of(column.clusters), week == weeks - 1, week < BASELINE)
    return DriftLine(chart, usual, values, change)
