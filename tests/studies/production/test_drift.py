"""What drift says of traffic of which it cannot say anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.studies.production.columns import MeasuredColumn, MeasureSpec
from memgauge.studies.production.daily import daily
from memgauge.studies.production.drift import drift
from support.recorded import faults, operation

if TYPE_CHECKING:
    from pathlib import Path

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
