"""The figures of a history."""

from __future__ import annotations

import pytest

from memgauge.studies.golden.charts import _runs


@pytest.mark.parametrize(("count", "ticks"), [(2, [1, 2]), (25, [1, 4, 7, 10, 13, 16, 19, 22, 25])])
def test_every_tick_is_another_run(count: int, ticks: list[int]) -> None:
    """No run stands twice at the axis."""
    assert _runs(count).to_dict()["axis"]["values"] == ticks
