"""A measure day by day, and a chart that says when it left where it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.results import result
from memgauge.stats.drift import ControlChart, ewma
from memgauge.studies.production.columns import Summary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.production.columns import MeasuredColumn

    Floats = NDArray[np.float64]

WEEK: Final = 7
BASELINE: Final = 3
"""Weeks that say what is usual: 21 days, as the chart of the golden history wants some twenty runs."""
LEAST: Final = 20
"""Cases on a day, below which it says nothing."""
SPARED: Final = 2
"""Days of the baseline that may be missing or stand apart, in an outage say; each weekday keeps two others."""
_APART: Final = 12.0
"""Deviations of all other days beyond which a day of the baseline stands apart."""
WIDTH: Final = 7.0
"""Deviations between centre and limits; the golden history's 4 is for one series, looked at after every run."""


@result
@dataclass(frozen=True)
class DailyChart:
    """One measure by day; *chart* is ``None`` where *reason* says why."""

    key: str
    name: str
    unit: str
    days: tuple[int, ...]
    """Those that had enough cases."""
    values: tuple[float, ...]
    chart: ControlChart | None
    """Over the days behind the baseline, as far as they have enough cases, the usual of each weekday taken off."""
    reason: str = ""

    @property
    def watched(self) -> tuple[int, ...]:
        """Return the days that the chart is of."""
        return self.days[len(self.days) - len(self.chart.values) :] if self.chart else ()

    @property
    def left(self) -> tuple[int, int] | None:
        """Return the day on which it first left its limits, and to which side."""
        sides = zip(self.watched, outside(self.chart) if self.chart else [], strict=True)
        return next(((day, side) for day, side in sides if side), None)


def outside(chart: ControlChart) -> list[int]:
    """Say of every value whether it is below (-1), within (0) or above (1) its limits."""
    limits = zip(chart.values, chart.low, chart.high, strict=True)
    return [int(value > high) - int(value < low) for value, low, high in limits]


def daily(column: MeasuredColumn, day: NDArray[np.int64], days: int) -> DailyChart:
    """Average the cases of every whole day, and watch what comes after the baseline.

    *day* is (operations,), the day of each.
    """
    of = day[column.rows]
    counts = np.bincount(of, minlength=days)[:days]
    sums = np.bincount(of, column.values, minlength=days)[:days]
    full_days = np.flatnonzero(counts >= LEAST)
    values = sums[full_days] / counts[full_days]
    spec = column.spec
    chart, reason = None, ""
    if not len(of):
        reason = spec.why_none
    elif days <= BASELINE * WEEK:
        reason = f"a baseline needs {BASELINE} whole weeks and a day after them"
    elif not counts.any():
        reason = "all cases lie behind the last whole day"
    elif not _says_what_is_usual(full_days[full_days < BASELINE * WEEK]):
        reason = f"too many days of the first {BASELINE} weeks have fewer than {LEAST} cases"
    elif full_days[-1] < BASELINE * WEEK:
        reason = "no later day has enough cases"
    else:
        base = values[full_days < BASELINE * WEEK]
        one_case = 1 / float(counts[full_days[: len(base)]].mean()) if spec.summary is Summary.SHARE else 0.0
        if one_case or np.ptp(base):
            chart = watched(values, full_days, least=one_case)
        else:
            reason = f"no day of the first {BASELINE} weeks differs from another, so nothing says what is usual"
    return DailyChart(
        spec.key, spec.name, str(spec.unit), tuple(map(int, full_days)), tuple(map(float, values)), chart, reason
    )


def watched(values: Floats, days: NDArray[np.int64], *, least: float = 0.0) -> ControlChart:
    """Chart what comes after the baseline, beside what the baseline says is usual on that day of the week.

    Each weekday's mean rests on B weeks, so that a later value differs from it with variance sigma² (1 + 1/B), and
    sigma² is what is left in the baseline over as many degrees of freedom as it has days more than weekdays. Of a
    share it is at *least* what one case a day makes of it, which is how much the rarest count varies: a first case
    is no alarm. Days of the baseline that stand apart from all others do not say what is usual.
    """
    base = np.searchsorted(days, BASELINE * WEEK)
    typical = _typical(values[:base], days[:base], least)
    weekdays, typical_values = days[:base][typical] % WEEK, values[:base][typical]
    weeks = np.bincount(weekdays, minlength=WEEK)
    usual = np.bincount(weekdays, typical_values, minlength=WEEK) / weeks
    residuals = typical_values - usual[weekdays]
    freedom = len(typical_values) - WEEK
    sigma = float(np.sqrt((residuals @ residuals) / freedom * (1 + 1 / int(weeks.min()))))
    centre = float(usual.mean())
    adjusted = values[base:] - usual[days[base:] % WEEK] + centre
    return ewma(adjusted.tolist(), centre, max(sigma, least, 1e-12), width=_width(freedom))


def _width(freedom: int) -> float:
    """Return the deviations that a chart is wide: as seldom left with fewer degrees of freedom as with all."""
    from scipy.special import stdtr, stdtrit

    whole = WEEK * (BASELINE - 1)
    return WIDTH if freedom == whole else float(stdtrit(freedom, 1 - stdtr(whole, -WIDTH)))


def _says_what_is_usual(days: NDArray[np.int64]) -> bool:
    """Whether enough *days* of the baseline are there, and two of each weekday."""
    enough = len(days) >= BASELINE * WEEK - SPARED
    return enough and int(np.bincount(days % WEEK, minlength=WEEK).min()) >= BASELINE - 1


def _typical(values: Floats, days: NDArray[np.int64], least: float) -> NDArray[np.bool_]:
    """Say which days of the baseline are like the others: all, where more than a few would not be."""
    middle = np.array([np.median(values[days % WEEK == weekday]) for weekday in range(WEEK)])
    farthest = np.argsort(np.abs(values - middle[days % WEEK]))[-SPARED:]
    rest = np.delete(np.arange(len(values)), farthest)
    weeks = np.bincount(days[rest] % WEEK, minlength=WEEK)
    usual = np.bincount(days[rest] % WEEK, values[rest], minlength=WEEK) / np.maximum(weeks, 1)
    residuals = values - usual[days % WEEK]
    deviation = max(float(np.sqrt((residuals[rest] @ residuals[rest]) / (len(rest) - WEEK))), least)
    typical = np.ones(len(values), dtype=np.bool_)
    typical[farthest] = np.abs(residuals[farthest]) <= _APART * deviation
    return typical if deviation and _says_what_is_usual(days[typical]) else np.ones_like(typical)


def false_alarm_rate(charts: int, days: int, draws: int, seed: int) -> float:
    """Simulate in how many services that never change any of *charts* series leaves its limits within *days*."""
    rng = np.random.default_rng(seed)
    place = np.arange(days)
    alarms = sum(
        any(any(outside(watched(series, place))) for series in rng.standard_normal((charts, days)))
        for _ in range(draws)
    )
    return alarms / draws
