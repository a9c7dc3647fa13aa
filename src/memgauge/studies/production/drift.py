"""Drift in production: what left where it was, in which week, who saw it first, and what else changed then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.results import ResultKind, result
from memgauge.stats import Interval
from memgauge.stats.clusters import Clusters, difference_of_parts
from memgauge.studies.production.arrays import DAY_NS
from memgauge.studies.production.columns import HealthUnit, MeasuredColumn, MeasureSpec, Summary
from memgauge.studies.production.confounders import NewVersion, arrivals, beside
from memgauge.studies.production.daily import BASELINE, WEEK, DailyChart, daily
from memgauge.studies.production.faults import LAST
from memgauge.studies.production.health import FirstWitness, witness
from memgauge.studies.production.measures import TrafficMeasures
from memgauge.studies.production.mix import MixWeek, mixes
from memgauge.studies.production.totals import joined, summed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.production.arrays import Integers, TrafficArrays

CHARTED: Final = ("empty", "length", "context", "top", "near list", "untraced")
"""Measures of :class:`TrafficMeasures` that are charted as they are, beside three of their own."""
STATED: Final = 0.002
"""Share of services that never change in which any chart gives an alarm within eight weeks, at most."""
BY_CHANCE: Final = 0.005
"""Share of weeks in which something without a chart is said to have changed and has not, at most."""


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
    beside: tuple[str, ...] = ()
    """What else changed in these weeks, which it may be the doing of."""


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

    began_ns: int
    weeks: int
    """Whole ones."""
    lines: tuple[DriftLine, ...]
    alarms: tuple[TrafficAlarm, ...]
    mixes: tuple[MixWeek, ...]
    came: tuple[NewVersion, ...]
    """Services, models and agents that came after the first week."""
    services: tuple[str, ...]
    stated: float

    @property
    def moved_unseen(self) -> list[DriftLine]:
        """Return what changed by more than chance in the last week, and no chart could follow."""
        uncharted = [line for line in self.lines if line.chart.chart is None]
        return [line for line in uncharted if _excludes_zero(line.change, len(uncharted))]

    @property
    def is_blind(self) -> bool:
        """Whether no alarm would say nothing: no chart could be drawn, or what has none changed."""
        return bool(self.moved_unseen) or not any(line.chart.chart for line in self.lines)


def _excludes_zero(change: Interval, among: int) -> bool:
    """Whether a change is no chance *among* so many that are looked at every week (Bonferroni)."""
    if change.mean is None or change.low is None or change.high is None:
        return False
    wider = NormalDist().inv_cdf(1 - BY_CHANCE / among / 2) / NormalDist().inv_cdf(0.975)
    return (
        not change.mean - wider * (change.mean - change.low)
        <= 0
        <= change.mean + wider * (change.high - change.mean)
    )


DRIFT: Final = ResultKind("production drift", 2, TrafficDrift, "memgauge study production drift FOLDER --json")


def charted(measures: TrafficMeasures) -> Iterator[MeasuredColumn]:
    """Yield the columns that are charted, each when it is wanted, for all cases of one are held at a time."""
    traffic = measures.traffic
    searches = np.flatnonzero(traffic.searches)
    spec = MeasureSpec(
        "failed", "service", "searches that failed or were given up", "searches", "no search was recorded"
    )
    yield MeasuredColumn(spec, (~traffic.valid[searches]).astype(np.float64), searches)
    succeeded = searches[traffic.valid[searches]]
    spec = MeasureSpec(
        "latency", "service", "logarithm of a search's ms", "searches that succeeded", "no search succeeded",
        Summary.MEAN, HealthUnit.PLAIN,
    )  # fmt: skip
    yield MeasuredColumn(
        spec, np.log(np.maximum(traffic.ended[succeeded] - traffic.began[succeeded], 1) / 1e6), succeeded
    )
    for columns in (measures.returned(), measures.in_lists(), measures.repeating(), measures.used()):
        yield from joined(column for column in columns if column.spec.key in CHARTED)
    yield measures.fresh()


def alarms(traffic: TrafficArrays) -> tuple[TrafficAlarm, ...]:
    """Return every alarm: faults, of which one case is enough, and charts that left their limits."""
    measures = TrafficMeasures(traffic)
    departures = (alarm for column, chart in _followed(measures) for alarm in _left(traffic, column, chart))
    return (*_faults(measures), *departures)


def drift(traffic: TrafficArrays, services: tuple[str, ...] = ()) -> TrafficDrift:
    """Say everything that changed."""
    measures, weeks = TrafficMeasures(traffic), _whole_days(traffic) // WEEK
    lines: list[DriftLine] = []
    departures: list[TrafficAlarm] = []
    for column, chart in _followed(measures):
        lines.append(_line(traffic, column, chart, weeks))
        departures += _left(traffic, column, chart)
    versions, weekly_mixes = arrivals(traffic, weeks), mixes(traffic, weeks)
    all_alarms = tuple(
        replace(alarm, beside=beside(range(min(alarm.since, alarm.week), alarm.week + 1), versions, weekly_mixes))
        for alarm in (*_faults(measures), *departures)
    )
    return TrafficDrift(traffic.start, weeks, tuple(lines), all_alarms, weekly_mixes, versions, services, STATED)


def _followed(measures: TrafficMeasures) -> Iterator[tuple[MeasuredColumn, DailyChart]]:
    """Yield every column that is charted with its chart."""
    day, days = measures.traffic.day, _whole_days(measures.traffic)
    for column in charted(measures):
        yield column, daily(column, day, days)


def _whole_days(traffic: TrafficArrays) -> int:
    """Count whole days; a last day of which a quarter is missing is none."""
    if not len(traffic.began):
        return 0
    return (int(traffic.began[-1]) - traffic.start + DAY_NS // 4) // DAY_NS


def _faults(measures: TrafficMeasures) -> Iterator[TrafficAlarm]:
    """Yield what is wrong however seldom it is."""
    for totals in summed(measures.traffic, measures.faulty(LAST)):
        if totals.spec.fault and totals.first is not None:
            first_witness = witness(measures.traffic, totals.first)
            says = f"{totals.cases:,} of {totals.n:,} {totals.spec.of}"
            yield TrafficAlarm(
                totals.spec.key, totals.spec.name, first_witness.week, first_witness.week, first_witness, says
            )


def _left(traffic: TrafficArrays, column: MeasuredColumn, chart: DailyChart) -> Iterator[TrafficAlarm]:
    """Yield an alarm where a chart left its limits."""
    if chart.chart is None or chart.left is None:
        return
    day, side = chart.left
    usual, now = chart.chart.centre, chart.values[chart.days.index(day)]
    first_witness = witness(traffic, changed_at(column, traffic.day[column.rows], (usual, now), day))
    says = f"{'rose' if side > 0 else 'fell'} from {usual:.3g} to {now:.3g} on day {day + 1}"
    yield TrafficAlarm(chart.key, chart.name, day // WEEK + 1, first_witness.week, first_witness, says)


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
        reason = f"needs more than {BASELINE} whole weeks" if len(week) else column.spec.why_none
        return DriftLine(chart, usual, values, Interval(None, None, None, 0, reason))
    clusters = Clusters.of(traffic.cluster[column.rows])
    change = difference_of_parts(column.values, clusters, week == weeks - 1, week < BASELINE)
    return DriftLine(chart, usual, values, change)
