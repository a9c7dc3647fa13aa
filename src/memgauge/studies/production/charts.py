"""The drawing of drift: a control chart for every measure that left its limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show.curves import Axis, Spread, curves

if TYPE_CHECKING:
    from memgauge.show.figures import Drawing
    from memgauge.studies.production.daily import DailyChart


def control(chart: DailyChart) -> Drawing | None:
    """Draw the faded average of a measure between its limits, day by day."""
    limits = chart.chart
    if limits is None:
        return None
    points = [
        {"name": chart.name, "x": day + 1, "value": value, "low": low, "high": high}
        for day, value, low, high in zip(chart.watched, limits.values, limits.low, limits.high, strict=True)
    ]
    low, high = min(*limits.values, *limits.low), max(*limits.values, *limits.high)
    room = (high - low) * 0.05 or 1.0
    caption = f"{chart.name}: usual {limits.centre:.3g}, at the end {limits.values[-1]:.3g}"
    across = Axis("day", (chart.watched[0] + 1, chart.watched[-1] + 1))
    return curves([points], across, Axis(chart.name, (low - room, high + room)), caption, spread=Spread.BAND)
