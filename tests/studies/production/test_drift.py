"""What drift says of traffic of which it cannot say anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.stats import Interval
from memgauge.studies.production.columns import MeasuredColumn, MeasureSpec
from memgauge.studies.production.daily import daily, outside, watched
from memgauge.studies.production.drift import DriftLine, TrafficDrift, drift
from memgauge.studies.production.measures import TrafficMeasures
from memgauge.studies.production.totals import summed
from support.recorded import faults, operation

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

BASE = "a baseline needs 3 whole weeks and a day after them"


@pytest.mark.parametrize("hours", [1, 60, 24 * 15])
def test_short_traffic_lacks_weeks_and_not_searches(tmp_path: Path, hours: int) -> None:
    """Whatever was recorded is not said to be missing; what was not is said to be."""
    traffic = faults(
        tmp_path,
        operation("add", 0, "ada", ("m", "old")),
        operation("search", 0.5, "ada", ("m", "old")),
        operation("search", hours, "bob"),
    ).traffic
    lines = {line.chart.key: line for line in drift(traffic).lines}
    for key in ("failed", "latency", "empty", "length"):
        assert lines[key].chart.reason == BASE, key
        assert lines[key].change.reason == "needs more than 3 whole weeks", key
    assert lines["top"].chart.reason == lines["top"].change.reason == "no list has scores"


def test_a_last_day_that_is_not_whole_is_said_to_hold_all_cases() -> None:
    """A measure that began on it has cases, and no chart."""
    spec = MeasureSpec("x", "lists", "x", "cases", "no case was recorded")
    column = MeasuredColumn(spec, np.ones(30), np.arange(30))
    assert daily(column, np.full(30, 28), 28).reason == "all cases lie behind the last whole day"


def test_scores_beyond_all_measure_are_summed_up(tmp_path: Path) -> None:
    """Whatever a memory calls a score, health and drift are told, without a warning."""
    searched, records = operation("search", 1, "ada", ("m", "old"), ("n", "new"))
    scored = tuple(
        record._replace(score=score) for record, score in zip(records, (1.7e308, -1.7e308), strict=True)
    )
    traffic = faults(tmp_path, *[(searched, scored)] * 3).traffic
    columns = {column.spec.key: column for column in TrafficMeasures(traffic).in_lists()}
    assert [columns[key].values.max() for key in ("top", "gap", "outside")] == [1e140, 2e140, 1.0]
    assert all(
        np.isfinite(total.mean) for total in summed(traffic, TrafficMeasures(traffic).in_lists()) if total.n
    )


def column_of(rates: list[float], cases: int) -> tuple[MeasuredColumn, NDArray[np.int64]]:
    """Return a share with so many cases a day, and the day of each."""
    spec = MeasureSpec("failed", "service", "failed", "searches", "none")
    values = np.concatenate([np.arange(cases) < round(rate * cases) for rate in rates]).astype(np.float64)
    return MeasuredColumn(spec, values, np.arange(len(values))), np.repeat(np.arange(len(rates)), cases)


@pytest.mark.parametrize("outages", [(), (10,), (3, 18)])
def test_a_day_of_outage_is_not_what_is_usual(outages: tuple[int, ...]) -> None:
    """Failures that rise later are seen as soon as without it."""
    rates = [1.0 if day in outages else 0.01 + day % 2 / 100 if day < 35 else 0.2 for day in range(56)]
    chart = daily(*column_of(rates, 100), 56)
    assert chart.left is not None
    assert chart.left[0] in range(35, 42)


def test_three_days_of_outage_are_usual() -> None:
    """Of so many nobody can say that they stand apart."""
    rates = [1.0 if day in {3, 11, 19} else 0.01 for day in range(56)]
    assert daily(*column_of(rates, 100), 56).left is None


@pytest.mark.parametrize(
    ("absent", "drawn"), [((4,), True), ((4, 9), True), ((4, 11), False), ((1, 9, 17), False)]
)
def test_a_day_or_two_without_cases_leave_a_chart(absent: tuple[int, ...], drawn: bool) -> None:
    """As long as each weekday has two others."""
    column, days = column_of([0.1 + day % 3 / 50 for day in range(40)], 50)
    present = ~np.isin(days, absent)
    column = MeasuredColumn(column.spec, column.values[present], np.arange(int(present.sum())))
    chart = daily(column, days[present], 40)
    assert (chart.chart is not None) is drawn, chart.reason
    if not drawn:
        assert chart.reason == "too many days of the first 3 weeks have fewer than 20 cases"


def test_fewer_days_of_the_baseline_ring_no_oftener() -> None:
    """Of 4,000 series that never change, as many leave their limits with two days less, within chance."""
    rng = np.random.default_rng(7)
    days = np.arange(77)
    fewer = np.delete(days, [5, 13])
    series = rng.standard_normal((4000, 77))
    rung = [sum(any(outside(watched(one[at], at))) for one in series) for at in (days, fewer)]
    assert max(rung) <= 8  # .0004 a series is wanted: 1.6


def test_what_has_no_chart_changed_only_where_that_is_no_chance() -> None:
    """A 95 % interval that just excludes 0 does so once in twenty weeks of a service that never changes."""
    column, days = column_of([0.0] * 10, 30)
    chart = daily(column, days, 10)
    lines = [DriftLine(chart, 0.0, (), Interval(0.1, low, 0.2 - low, 300)) for low in (0.01, 0.06, -0.01)]
    found = TrafficDrift(0, 1, tuple(lines), (), (), (), (), 0.002)
    assert found.moved_unseen == [lines[1]]
